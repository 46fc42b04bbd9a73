#include "cli/mig_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "cli/answer.hpp"
#include "gpusched/base/text.hpp"
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

Result<report::MigLayoutPart> part_of(const Question& question, const mig::Board& board) {
  Result<mig::WantedLayout> wanted = mig::parse_layout(board, question.layout);
  if (!wanted) {
    for (Diagnostic& error : wanted.error()) {
      error.object = fmt::format("--mig-layout {}", shorten(question.target));
    }
    return std::unexpected(std::move(wanted.error()));
  }
  return report::MigLayoutPart{question.target, nullptr, frag::mig_layout(board, *std::move(wanted))};
}

/// The parts of a node: its GPUs, or the one that is named, by board.
Result<Parts> parts_of_node(const Question& question, const ClusterUsage& usage, NodeId node,
                            std::optional<std::int64_t> only) {
  const ClusterShape& shape = usage.shape();
  const NodeClass& node_class = usage.node_class(node);
  std::map<std::uint16_t, std::vector<std::uint16_t>> gpus_by_board;
  for (std::uint16_t gpu = 0; gpu < node_class.gpus.size(); ++gpu) {
    const std::uint16_t board = shape.board(node_class.gpus[gpu]).mig_board;
    if (board != kNoMigBoard && (!only || *only == gpu)) {
      gpus_by_board[board].push_back(gpu);
    }
  }
  if (gpus_by_board.empty()) {
    return bad_usage(fmt::format("--mig-layout: {} has no {} whose MIG geometry is known", shape.name(node),
                                 only ? fmt::format("GPU {}", *only) : "GPU"),
                     fmt::format("it has {} GPUs", node_class.gpus.size()));
  }
  Parts parts;
  for (const auto& [board, gpus] : gpus_by_board) {
    Result<report::MigLayoutPart> part = part_of(question, mig::boards()[board]);
    if (!part) {
      return std::unexpected(std::move(part.error()));
    }
    part->usage = &usage;
    if (part->answer.refused.empty()) {
      for (const std::uint16_t gpu : gpus) {
        frag::add_gpu(part->answer, usage, node, gpu);
      }
    }
    parts.push_back(*std::move(part));
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

Result<Parts> parts_of(const Question& question, const ClusterUsage* usage) {
  if (usage != nullptr) {
    const std::size_t slash = question.target.rfind('/');
    if (const NodeId node = usage->shape().find_node(question.target); node.valid()) {
      return parts_of_node(question, *usage, node, std::nullopt);
    }
    const NodeId node = usage->shape().find_node(std::string_view(question.target).substr(0, slash));
    if (slash != std::string::npos && node.valid()) {
      const auto index = parse_whole_number(std::string_view(question.target).substr(slash + 1));
      return parts_of_node(question, *usage, node, index.value_or(-1));
    }
  }
  const mig::Board* const board = mig::find_board(question.target);
  if (board == nullptr) {
    return unknown_target(question, usage);
  }
  Result<report::MigLayoutPart> part = part_of(question, *board);
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
    Result<Parts> more = parts_of(question, model ? &model->usage : nullptr);
    if (!more) {
      return cannot_answer(more.error(), terminal);
    }
    std::ranges::move(*more, std::back_inserter(parts));
  }
  const bool all_fit = std::ranges::all_of(parts, [](const auto& part) { return part.answer.refused.empty(); });
  return answer(report::mig_layout_report(parts), arguments, terminal, all_fit ? kYes : kNo);
}

}  // namespace gpusched::cli
