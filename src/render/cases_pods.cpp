#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "gpusched/base/text.hpp"
#include "gpusched/explain/workload.hpp"
#include "render/case_lists.hpp"
#include "render/tables.hpp"

// Cases of the answers about pods: place and k8s.
namespace gpusched::render {

using Json = nlohmann::ordered_json;

namespace {

struct ConsequenceRule {
  std::string_view kind, rule;
};
constexpr std::array kConsequenceRules = {
    ConsequenceRule{"model-mismatch", "GPU101"},        ConsequenceRule{"memory-below-need", "GPU102"},
    ConsequenceRule{"time-sliced-replica", "GPU103"},   ConsequenceRule{"same-physical-gpu", "GPU104"},
    ConsequenceRule{"memory-oversubscribed", "GPU105"}, ConsequenceRule{"spans-islands", "GPU106"},
};

Finding consequence_finding(const Json& consequence, bool fail) {
  const auto found =
      std::ranges::find(kConsequenceRules, consequence.at("kind").get<std::string>(), &ConsequenceRule::kind);
  Finding result = finding(found == kConsequenceRules.end() ? "GPU101" : found->rule, consequence.at("text"));
  if (fail) {
    result.level = Level::kError;
  }
  return result;
}

/// "3 x Insufficient nvidia.com/gpu: dgx-a, dgx-b, mig-a"
std::vector<std::string> node_groups(const Json& groups) {
  std::vector<std::string> lines;
  for (const Json& group : groups) {
    const auto examples = group.at("examples").get<std::vector<std::string>>();
    lines.push_back(fmt::format("{} x {}: {}{}", group.at("count").get<std::size_t>(),
                                group.at("reason").get<std::string>(), join(examples, ", "),
                                group.at("count") > examples.size() ? ", ..." : ""));
  }
  return lines;
}

Case placed_pod(const Json& pod, bool fail_on_consequences, const std::set<std::string>& tried_again) {
  Case result{.kind = "pod", .name = pod.at("name"), .result = {}};
  const bool again = pod.value("requeued", false);
  if (pod.at("node") == "") {
    Finding& pending = result.findings.emplace_back(finding("GPU001", pod.at("message")));
    pending.details = node_groups(pod.at("nodes"));
    result.result = again ? "Pending again, after its eviction" : "Pending";
    return result;
  }
  const auto resource = pod.at("resource").get<std::string>();
  result.result = fmt::format("{}{}", pod.at("node").get<std::string>(),
                              resource.empty() ? "" : fmt::format(", GPUs {}", index_list(pod.at("gpus"))));
  if (pod.value("claimsUndecided", false)) {
    result.findings.push_back(
        finding("GPU004", "place does not allocate ResourceClaims: gpusched k8s tells whether a node has the devices"));
  }
  for (const Json& consequence : pod.at("consequences")) {
    result.findings.push_back(consequence_finding(consequence, fail_on_consequences));
  }
  if (pod.contains("evictedBy")) {
    Finding evicted = finding("GPU005", fmt::format("evicted for {}", pod.at("evictedBy").get<std::string>()));
    if (tried_again.contains(result.name)) {
      evicted.level = Level::kWarning;  // its second try tells how it ends
    }
    result.findings.push_back(std::move(evicted));
  }
  return result;
}

Finding pending_finding(std::string_view verdict, std::string message) {
  return finding(verdict == "unschedulable" ? "GPU001"
                 : verdict == "error"       ? "GPU003"
                 : verdict == "undecided"   ? "GPU004"
                                            : "GPU002",
                 std::move(message));
}

}  // namespace

void placement_cases(const Json& report, std::vector<Case>& cases) {
  const Json fail_on = report.value("failOn", Json::array());
  const bool fail_on_consequences = std::ranges::find(fail_on, "consequences") != fail_on.end();
  std::set<std::string> tried_again;
  for (const Json& pod : report.at("pods")) {
    if (pod.value("requeued", false)) {
      tried_again.insert(pod.at("name").get<std::string>());
    }
  }
  const bool searched = search_cases(report, cases);
  for (const Json& pod : report.at("pods")) {
    Case& placed = cases.emplace_back(placed_pod(pod, fail_on_consequences, tried_again));
    for (Finding& found : placed.findings) {
      found.level = searched ? std::min(found.level, Level::kWarning) : found.level;
    }
  }
}

void pending_cases(const Json& report, std::vector<Case>& cases) {
  const Json& pod = report.at("pod");
  const auto verdict = report.at("verdict").get<std::string>();
  Case result{.kind = "pod",
              .name = fmt::format("{}/{}", pod.at("namespace").get<std::string>(), pod.at("name").get<std::string>()),
              .result = verdict};
  if (verdict == "scheduled") {
    result.result = fmt::format("scheduled on {}", report.at("node").get<std::string>());
  } else {
    auto message = report.at("message").get<std::string>();
    if (message.empty()) {
      message = report.at("pluginMessage").get<std::string>();
    }
    std::vector<std::string> texts = explanation_texts(report);
    if (message.empty() && !texts.empty()) {
      message = texts.front();
      texts.erase(texts.begin());
    }
    Finding& why = result.findings.emplace_back(pending_finding(verdict, message.empty() ? verdict : message));
    why.details = std::move(texts);
  }
  cases.push_back(std::move(result));
}

void pending_list_cases(const Json& list, std::vector<Case>& cases) {
  for (const Json& item : list.at("items")) {
    pending_cases(item, cases);
  }
}

void workload_cases(const Json& report, std::vector<Case>& cases) {
  const Json& name = report.at("workload");
  Case workload{.kind = "workload",
                .name = fmt::format("{}/{}/{}", name.at("kind").get<std::string>(),
                                    name.at("namespace").get<std::string>(), name.at("name").get<std::string>()),
                .result = fmt::format("{} pods have a node, {} have none", report.at("podsWithNode").get<std::size_t>(),
                                      report.at("podsWithoutNode").get<std::size_t>())};
  for (const Json& part : report.at("explanation")) {
    if (explain::keeps(part.at("verdict").get_ref<const std::string&>())) {
      workload.findings.push_back(finding("GPU008", explanation_text(part)));
    }
  }
  cases.push_back(std::move(workload));
  pending_list_cases(report, cases);
}

void verification_cases(const Json& report, std::vector<Case>& cases) {
  for (const Json& difference : report.at("differences")) {
    const auto message = difference.at("message").get<std::string>();
    Finding differs = finding("GPU401", difference.at("cause"));
    differs.details = {
        fmt::format("recorded: {}", difference.at("recorded").get<std::string>()),
        fmt::format("predicted: {}", message.empty() ? difference.at("verdict").get<std::string>() : message)};
    cases.push_back(
        {.kind = "pod", .name = difference.at("pod"), .result = "differs", .findings = {std::move(differs)}});
  }
  cases.push_back({.kind = "messages",
                   .name = "recorded",
                   .result = fmt::format("{} of {} are equal", report.at("equal").get<std::size_t>(),
                                         report.at("compared").get<std::size_t>())});
}

}  // namespace gpusched::render
