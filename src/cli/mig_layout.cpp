#include "cli/mig_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "cli/answer.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/io/mig_parted_config.hpp"
#include "gpusched/report/mig_layout.hpp"

namespace gpusched::cli {

namespace {

using Parts = std::vector<report::MigLayoutPart>;

/// One "TARGET=LAYOUT".
struct Question {
  std::string target;
  std::string layout;
};

Result<std::vector<Question>> questions(const Arguments& arguments) {
  std::vector<Question> questions;
  for (const std::string& word : arguments.all("mig-layout")) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      return bad_usage(fmt::format("--mig-layout takes TARGET=LAYOUT, not {}", quote(word)),
                       "for example A100-SXM4-80GB=3g.40gb,4g.40gb, or NODE/0=all-balanced");
    }
    questions.push_back({word.substr(0, equals), word.substr(equals + 1)});
  }
  return questions;
}

using Configs = std::vector<io::MigPartedConfig>;

Result<Configs> mig_parted_configs(Inputs& inputs) {
  const Result<std::vector<io::Document>> documents = inputs.documents("mig-parted-config");
  if (!documents) {
    return std::unexpected(documents.error());
  }
  Configs configs;
  for (const io::Document& document : *documents) {
    Result<Configs> more = io::read_mig_parted_configs(document);
    if (!more) {
      return more;
    }
    std::ranges::move(*more, std::back_inserter(configs));
  }
  return configs;
}

/// A name of the files, one of gpu-operator's or a list. `gpu`: the GPU's index, -1: any.
Result<mig::WantedLayout> wanted_layout(const Question& question, const mig::Board& board, const Configs& configs,
                                        std::int64_t gpu) {
  const auto named = std::ranges::find(configs, question.layout, &io::MigPartedConfig::name);
  return named == configs.end() ? mig::parse_layout(board, question.layout) : io::layout_of(*named, board, gpu);
}

Result<report::MigLayoutPart> part_of(const Question& question, const mig::Board& board, const Configs& configs,
                                      std::int64_t gpu) {
  Result<mig::WantedLayout> wanted = wanted_layout(question, board, configs, gpu);
  if (!wanted) {
    for (Diagnostic& error : wanted.error()) {
      error.object = fmt::format("--mig-layout {}", shorten(question.target));
    }
    return std::unexpected(std::move(wanted.error()));
  }
  return report::MigLayoutPart{question.target, nullptr, frag::mig_layout(board, *std::move(wanted))};
}

bool same_question(const report::MigLayoutPart& a, const report::MigLayoutPart& b) {
  return a.answer.board == b.answer.board && a.answer.wanted == b.answer.wanted;
}

/// The parts of a node: its GPUs, or the one that is named; GPUs that are asked the same thing together.
Result<Parts> parts_of_node(const Question& question, const ClusterUsage& usage, NodeId node,
                            std::optional<std::int64_t> only, const Configs& configs) {
  const ClusterShape& shape = usage.shape();
  const NodeClass& node_class = usage.node_class(node);
  Parts parts;
  for (std::uint16_t gpu = 0; gpu < node_class.gpus.size(); ++gpu) {
    const std::uint16_t board = shape.board(node_class.gpus[gpu]).mig_board;
    if (board == kNoMigBoard || (only && *only != gpu)) {
      continue;
    }
    Result<report::MigLayoutPart> part = part_of(question, mig::boards()[board], configs, gpu);
    if (!part) {
      return std::unexpected(std::move(part.error()));
    }
    auto known = std::ranges::find_if(parts, [&](const auto& other) { return same_question(other, *part); });
    if (known == parts.end()) {
      part->usage = &usage;
      parts.push_back(*std::move(part));
      known = std::prev(parts.end());
    }
    if (known->answer.refused.empty()) {
      frag::add_gpu(known->answer, usage, node, gpu);
    }
  }
  if (parts.empty()) {
    return bad_usage(fmt::format("--mig-layout: {} has no {} whose MIG geometry is known", shape.name(node),
                                 only ? fmt::format("GPU {}", *only) : "GPU"),
                     fmt::format("it has {} GPUs", node_class.gpus.size()));
  }
  return parts;
}

std::unexpected<Diagnostics> unknown_target(const Question& question, const ClusterUsage* usage) {
  std::string candidates;
  for (const mig::Board* const board : mig::board_candidates(question.target)) {
    candidates += fmt::format("{}{}", candidates.empty() ? "" : ", ", board->id);
  }
  if (!candidates.empty()) {
    return bad_usage(fmt::format("--mig-layout: {} leaves several boards open", quote(question.target)),
                     fmt::format("name one of {}", candidates));
  }
  std::vector<std::string_view> names;
  for (const mig::Board& board : mig::boards()) {
    names.push_back(board.id);
  }
  const std::string ids = join(names, ", ");
  if (usage != nullptr) {
    for (const NodeId node : usage->shape().nodes_by_name) {
      names.push_back(usage->shape().name(node));
    }
  }
  const std::string nearest = suggest(question.target, names);
  return bad_usage(fmt::format("--mig-layout: {} is neither a MIG board nor a node", quote(question.target)),
                   nearest.empty() ? "the boards are " + ids : fmt::format("did you mean {}?", nearest));
}

Result<Parts> parts_of(const Question& question, const ClusterUsage* usage, const Configs& configs) {
  if (usage != nullptr) {
    const std::size_t slash = question.target.rfind('/');
    if (const NodeId node = usage->shape().find_node(question.target); node.valid()) {
      return parts_of_node(question, *usage, node, std::nullopt, configs);
    }
    const NodeId node = usage->shape().find_node(std::string_view(question.target).substr(0, slash));
    if (slash != std::string::npos && node.valid()) {
      const auto index = parse_whole_number(std::string_view(question.target).substr(slash + 1));
      return parts_of_node(question, *usage, node, index.value_or(-1), configs);
    }
  }
  const mig::Board* const board = mig::find_board(question.target);
  if (board == nullptr) {
    return unknown_target(question, usage);
  }
  Result<report::MigLayoutPart> part = part_of(question, *board, configs, -1);
  if (!part) {
    return std::unexpected(std::move(part.error()));
  }
  Parts parts;
  parts.push_back(*std::move(part));
  return parts;
}

}  // namespace

int answer_mig_layouts(const Arguments& arguments, Inputs& inputs, Terminal& terminal) {
  const Result<std::vector<Question>> asked = questions(arguments);
  if (!asked) {
    return cannot_answer(asked.error(), terminal);
  }
  const Result<Configs> configs = mig_parted_configs(inputs);
  if (!configs) {
    return cannot_answer(configs.error(), terminal);
  }
  std::optional<io::Model> model;
  if (arguments.has("CLUSTER") || arguments.has("nodes")) {
    Result<io::Model> read = inputs.model(Inputs::Pods::kNone);
    if (!read) {
      return cannot_answer(read.error(), terminal);
    }
    report_notes(read->notes, arguments, terminal);
    model = *std::move(read);
  }
  Parts parts;
  for (const Question& question : *asked) {
    Result<Parts> more = parts_of(question, model ? &model->usage : nullptr, *configs);
    if (!more) {
      return cannot_answer(more.error(), terminal);
    }
    std::ranges::move(*more, std::back_inserter(parts));
  }
  const bool all_fit = std::ranges::all_of(parts, [](const auto& part) { return part.answer.refused.empty(); });
  return answer(report::mig_layout_report(parts), arguments, terminal, all_fit ? kYes : kNo);
}

}  // namespace gpusched::cli
