#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "gpusched/base/text.hpp"
#include "render/case_lists.hpp"

// Cases of the answers that search: place --drainable, --defrag, --min-nodes, --compare, frag --repartition-for and
// --mig-layout. A case is an error exactly when it makes the exit code 1, and undecided when it makes it 3.
namespace gpusched::render {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kExamples = 3;

std::string text(const Json& object, const char* key) {
  return object.at(key).get<std::string>();
}

/// "a, b, c, ..."
std::string examples(const std::vector<std::string>& names, std::size_t count) {
  const auto shown = std::span(names).first(std::min(names.size(), kExamples));
  return fmt::format("{}{}", fmt::join(shown, ", "), count > shown.size() ? ", ..." : "");
}

/// Why nodes cannot go, nodes with the same reason in one line.
std::vector<std::string> refusals(const Json& nodes) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const Json& node : nodes) {
    if (!node.at("drainable").get<bool>()) {
      by_reason[text(node, "message")].push_back(text(node, "node"));
    }
  }
  std::vector<std::string> lines;
  for (const auto& [reason, names] : by_reason) {
    lines.push_back(fmt::format("{}: {}", examples(names, names.size()), reason));
  }
  return lines;
}

Case drainable_case(const Json& drainable) {
  const auto could_go = drainable.at("drainable").get<std::size_t>();
  Case result{.kind = "question",
              .name = "drainable",
              .result = fmt::format("{} of {} nodes could go", could_go, drainable.at("nodes").size())};
  if (could_go == 0) {
    result.findings.push_back(finding("GPU206", "no node could go"));
    result.findings.back().details = refusals(drainable.at("nodes"));
  }
  return result;
}

Case defrag_case(const Json& defrag) {
  const std::string outcome = text(defrag, "outcome");
  const std::size_t moves = defrag.at("moves").size();
  Case result{.kind = "question",
              .name = fmt::format("defrag {}", text(defrag, "wanted")),
              .result = fmt::format("{} {}", moves, moves == 1 ? "move" : "moves")};
  if (outcome != "plan") {
    result.result = outcome;
    result.findings.push_back(
        outcome == "no-plan"
            ? finding("GPU207", fmt::format("no plan with at most {} moves makes room", defrag.at("maxMoves").dump()))
            : finding("GPU004", fmt::format("no plan with at most {} moves found in {} steps",
                                            defrag.at("maxMoves").dump(), defrag.at("steps").dump())));
  }
  return result;
}

Case min_nodes_case(const Json& answer) {
  Case result{
      .kind = "question",
      .name = "min-nodes",
      .result = fmt::format("{} nodes to add for {} pods", answer.at("nodes").dump(), answer.at("pending").dump())};
  for (const Json& never : answer.at("never")) {
    const auto count = never.at("count").get<std::size_t>();
    Finding& found = result.findings.emplace_back(
        finding("GPU208", fmt::format("{} {} on no shape: {}", count, count == 1 ? "pod fits" : "pods fit",
                                      examples(never.at("examples").get<std::vector<std::string>>(), count))));
    for (const Json& reason : never.at("reasons")) {
      found.details.push_back(fmt::format("{}: {}", text(reason, "shape"), text(reason, "reason")));
    }
  }
  return result;
}

/// One for each alternative; the answer is yes when one of them places all pods.
void compare_cases(const Json& rows, std::vector<Case>& cases) {
  const auto pending = [](const Json& row) { return row.at("pending").get<std::size_t>(); };
  const bool yes = std::ranges::any_of(rows, [&](const Json& row) { return pending(row) == 0; });
  for (const Json& row : rows) {
    Case result{.kind = "alternative",
                .name = text(row, "name"),
                .result = fmt::format("{} placed, {} Pending", row.at("placed").dump(), pending(row))};
    if (pending(row) > 0) {
      const std::string_view stay = pending(row) == 1 ? "pod stays" : "pods stay";
      result.findings.push_back(finding("GPU209", fmt::format("{} {} Pending", pending(row), stay)));
      result.findings.back().level = yes ? Level::kWarning : Level::kError;
    }
    cases.push_back(std::move(result));
  }
}

}  // namespace

bool search_cases(const Json& report, std::vector<Case>& cases) {
  if (report.contains("compare")) {
    compare_cases(report.at("compare").at("rows"), cases);
  } else if (report.contains("drainable")) {
    cases.push_back(drainable_case(report.at("drainable")));
  } else if (report.contains("minNodes")) {
    cases.push_back(min_nodes_case(report.at("minNodes")));
  } else if (report.contains("defrag")) {
    cases.push_back(defrag_case(report.at("defrag")));
  } else {
    return false;
  }
  return true;
}

void repartition_cases(const Json& repartition, std::vector<Case>& cases) {
  const bool exhaustive = repartition.at("optimal").get<bool>();
  for (const Json& row : repartition.at("mix")) {
    const std::string served =
        fmt::format("{} of {} instances can be served", row.at("served").dump(), row.at("wanted").dump());
    Case result{.kind = "profile", .name = text(row, "profile"), .result = served};
    if (row.at("served") != row.at("wanted")) {
      result.findings.push_back(
          exhaustive ? finding("GPU210", served)
                     : finding("GPU004", fmt::format("{} as far as was searched, which was not everywhere", served)));
    }
    cases.push_back(std::move(result));
  }
}

void mig_layout_cases(const Json& report, std::vector<Case>& cases) {
  for (const Json& layout : report.at("layouts")) {
    const auto wanted = layout.at("wanted").get<std::vector<std::string>>();
    Case result{.kind = "layout",
                .name = fmt::format("{}={}", text(layout, "target"), fmt::join(wanted, ",")),
                .result = layout.at("fits").get<bool>() ? "fits" : "does not fit"};
    if (!layout.at("fits").get<bool>()) {
      Finding& found = result.findings.emplace_back(finding("GPU211", text(layout, "message")));
      if (const std::string hint = text(layout, "hint"); !hint.empty()) {
        found.details.push_back(fmt::format("hint: {}", hint));
      }
    }
    cases.push_back(std::move(result));
  }
}

}  // namespace gpusched::render
