#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "cli/place_question.hpp"
#include "cli/shape_offers.hpp"
#include "cli/terminal.hpp"
#include "gpusched/base/text.hpp"

// What `place` is asked about the cluster after the placement.
namespace gpusched::cli {

namespace {

struct Question {
  std::string_view option;
  PlaceQuestion question;
};
constexpr std::array kQuestions = {Question{"fill", PlaceQuestion::kFill}, Question{"compare", PlaceQuestion::kCompare},
                                   Question{"drainable", PlaceQuestion::kDrainable},
                                   Question{"defrag", PlaceQuestion::kDefrag},
                                   Question{"min-nodes", PlaceQuestion::kMinNodes}};
constexpr std::int64_t kMostMoves = 64;

std::unexpected<Diagnostics> unknown_pod(std::string_view option, std::string_view wanted, const io::Model& model) {
  std::vector<std::string_view> names;
  std::ranges::transform(model.pods, std::back_inserter(names),
                         [&](PodId pod) { return model.usage.shape().text(model.usage.pod_name(pod)); });
  const std::string nearest = suggest(wanted, names);
  return bad_usage(fmt::format("--{}: there is no pod {}", option, quote(wanted)),
                   nearest.empty() ? "name one of the pods that are placed" : fmt::format("did you mean {}?", nearest));
}

/// The pod of that name; of a dump's the namespace may be left out where one pod alone has the name.
PodId find_pod(std::string_view wanted, const io::Model& model) {
  PodId found;
  for (const PodId pod : model.pods) {
    const std::string_view name = model.usage.shape().text(model.usage.pod_name(pod));
    if (name == wanted) {
      return pod;
    }
    if (name.size() > wanted.size() && name.ends_with(wanted) && name[name.size() - wanted.size() - 1] == '/') {
      if (found.valid()) {
        return {};
      }
      found = pod;
    }
  }
  return found;
}

Result<int> fill(const Arguments& arguments, io::Model& model, const placement::Options& options,
                 report::PlacementParts& parts) {
  const std::string_view wanted = arguments.get("fill");
  const PodId found = find_pod(wanted, model);
  if (!found.valid()) {
    return unknown_pod("fill", wanted, model);
  }
  const PodClassId pod_class = model.usage.pod_class_id(found);
  Result<placement::FillResult> result = placement::fill(model.usage, pod_class, options);
  if (!result) {
    return std::unexpected(std::move(result.error()));
  }
  parts.fill = report::FillAnswer{std::string(wanted), pod_class, std::move(*result)};
  return kYes;
}

Result<int> defrag(const Arguments& arguments, io::Model& model, std::span<const PodId> asked,
                   const placement::Options& options, report::PlacementParts& parts) {
  whatif::DefragLimits limits;
  const Result<std::optional<std::int64_t>> moves = arguments.whole_number("max-moves", 1, kMostMoves);
  const Result<std::optional<std::int64_t>> steps = arguments.whole_number("max-steps", 1, INT64_MAX);
  if (!moves || !steps) {
    return std::unexpected(moves ? steps.error() : moves.error());
  }
  limits.moves = static_cast<int>(moves->value_or(limits.moves));
  limits.steps = steps->value_or(limits.steps);
  report::DefragPart part{std::string(arguments.get("defrag")), {}, limits.moves, {}};
  for (const PodId pod : asked) {
    part.pods.emplace_back(model.usage.shape().text(model.usage.pod_name(pod)));
  }
  part.answer = whatif::find_moves(model.usage, parts.disruption, asked, options, limits, kSizes);
  const whatif::DefragOutcome outcome = part.answer.outcome;
  parts.defrag = std::move(part);
  return outcome == whatif::DefragOutcome::kPlan ? kYes : outcome == whatif::DefragOutcome::kNoPlan ? kNo : kUndecided;
}

Result<int> count_nodes(const Arguments& arguments, Inputs& inputs, const io::Model& model,
                        const placement::Options& options, report::PlacementParts& parts) {
  const Result<std::vector<whatif::ShapeOffer>> offers = shape_offers(arguments, inputs, model.usage.shape());
  if (!offers) {
    return std::unexpected(offers.error());
  }
  std::vector<PodId> pending;
  std::ranges::copy_if(model.pods, std::back_inserter(pending),
                       [&](PodId pod) { return !model.usage.node_of(pod).valid(); });
  report::MinNodesPart part;
  for (const whatif::ShapeOffer& offer : *offers) {
    part.names.push_back(offer.node.name);
    part.prices.push_back(offer.price);
  }
  part.pending = std::ssize(pending);
  part.answer = whatif::min_nodes(model.usage, pending, *offers, options);
  const bool all = part.answer.never.empty();
  parts.min_nodes = std::move(part);
  return all ? kYes : kNo;
}

}  // namespace

// A pod of that name, else all pods of a job: "train" means train-0, train-1 and so on. Of a dump's the namespace may
// be left out.
Result<std::vector<PodId>> asked_pods(PlaceQuestion question, const Arguments& arguments, const io::Model& model) {
  std::vector<PodId> asked;
  if (question != PlaceQuestion::kDefrag) {
    return asked;
  }
  const std::string_view wanted = arguments.get("defrag");
  const auto name_of = [&](PodId pod) { return model.usage.shape().text(model.usage.pod_name(pod)); };
  std::ranges::copy_if(model.pods, std::back_inserter(asked), [&](PodId pod) { return name_of(pod) == wanted; });
  if (const PodId one = find_pod(wanted, model); asked.empty() && one.valid()) {
    asked.push_back(one);
  }
  if (asked.empty()) {
    const auto is_of_job = [&](std::string_view name) {
      return name.starts_with(wanted) && name.substr(wanted.size()).starts_with('-');
    };
    std::ranges::copy_if(model.pods, std::back_inserter(asked), [&](PodId pod) {
      const std::string_view name = name_of(pod);
      return is_of_job(name) || is_of_job(name.substr(name.find('/') + 1));
    });
  }
  if (asked.empty()) {
    return unknown_pod("defrag", wanted, model);
  }
  return asked;
}

Result<PlaceQuestion> place_question(const Arguments& arguments) {
  const Question* asked = nullptr;
  for (const Question& question : kQuestions) {
    if (!arguments.has(question.option)) {
      continue;
    }
    if (asked != nullptr) {
      return bad_usage(fmt::format("--{} and --{} exclude each other", asked->option, question.option));
    }
    asked = &question;
  }
  return asked == nullptr ? PlaceQuestion::kPlace : asked->question;
}

Result<int> search(PlaceQuestion question, const Arguments& arguments, Inputs& inputs, io::Model& model,
                   std::span<const PodId> asked, const placement::Options& options, report::PlacementParts& parts) {
  switch (question) {
    case PlaceQuestion::kPlace:
      return kYes;
    case PlaceQuestion::kFill:
      return fill(arguments, model, options, parts);
    case PlaceQuestion::kCompare:
      return std::ranges::any_of(parts.compare, [](const auto& row) { return row.pending == 0; }) ? kYes : kNo;
    case PlaceQuestion::kDrainable:
      parts.drainable = whatif::find_drainable(model.usage, parts.disruption, options);
      return parts.drainable->drainable() > 0 ? kYes : kNo;
    case PlaceQuestion::kDefrag:
      return defrag(arguments, model, asked, options, parts);
    case PlaceQuestion::kMinNodes:
      return count_nodes(arguments, inputs, model, options, parts);
  }
  return kYes;
}

}  // namespace gpusched::cli
