#include "render/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "render/case_lists.hpp"

namespace gpusched::render {

using Json = nlohmann::ordered_json;

namespace {

struct CaseLister {
  std::string_view kind, command;
  void (*list)(const Json&, std::vector<Case>&);
};

constexpr std::array kListers = {
    CaseLister{"PlacementReport", "place", &placement_cases},
    CaseLister{"FragmentationReport", "frag", &fragmentation_cases},
    CaseLister{"MigLayoutReport", "frag", &mig_layout_cases},
    CaseLister{"PendingReport", "k8s", &pending_cases},
    CaseLister{"PendingReportList", "k8s", &pending_list_cases},
    CaseLister{"WorkloadReport", "k8s", &workload_cases},
    CaseLister{"VerificationReport", "k8s", &verification_cases},
    CaseLister{"AllocationReport", "dra", &allocation_cases},
    CaseLister{"SelectorReport", "dra", &selector_cases},
    CaseLister{"GangReport", "gang", &gang_cases},
    CaseLister{"ChainReport", "chain", &chain_cases},
    CaseLister{"ChainDiff", "chain", &chain_diff_cases},
    CaseLister{"CheckReport", "check", &check_cases},
};

/// That of the object, or of what it was made of: "pod web-0" of "pod web". Else the place that stands for all others.
report::Location location_of(const report::Locations& locations, std::string key) {
  while (true) {
    if (const auto found = locations.find(key); found != locations.end()) {
      return found->second;
    }
    const std::size_t dash = key.rfind('-');
    if (dash == std::string::npos) {
      break;
    }
    key.resize(dash);
  }
  const auto other = locations.find("");
  return other == locations.end() ? report::Location() : other->second;
}

}  // namespace

Level Case::level() const {
  Level worst = Level::kNote;
  for (const Finding& finding : findings) {
    worst = std::max(worst, finding.level);
  }
  return worst;
}

std::size_t Cases::count(Level level) const {
  return static_cast<std::size_t>(std::ranges::count(cases, level, &Case::level));
}

bool has_cases(std::string_view kind) {
  return std::ranges::find(kListers, kind, &CaseLister::kind) != kListers.end();
}

Cases cases_of(const report::Document& document, std::string_view kind) {
  const auto lister = std::ranges::find(kListers, kind, &CaseLister::kind);
  Cases result;
  if (lister == kListers.end()) {
    return result;
  }
  result.command = lister->command;
  lister->list(*document.json, result.cases);
  for (Case& each : result.cases) {
    if (!each.location.file.empty()) {
      continue;
    }
    each.location = location_of(document.locations, fmt::format("{} {}", each.kind, each.name));
  }
  return result;
}

std::string kind_of(const Json& document) {
  auto kind = document.value("kind", std::string());
  const bool ours = document.value("apiVersion", std::string()).starts_with("gpusched/");
  return kind == "List" && ours ? "PendingReportList" : kind;
}

Finding finding(std::string_view rule_id, std::string message) {
  const Rule& found = rule(rule_id);
  return {&found, found.level, std::move(message)};
}

std::string explanation_text(const Json& part) {
  const std::string by = part.contains("by") ? fmt::format(" by {}", part.at("by").get<std::string>()) : "";
  return fmt::format("{}{}: {}", part.at("verdict").get<std::string>(), by, part.at("text").get<std::string>());
}

std::vector<std::string> explanation_texts(const Json& report) {
  std::vector<std::string> texts;
  for (const Json& part : report.value("explanation", Json::array())) {
    texts.push_back(explanation_text(part));
  }
  for (const Json& fix : report.value("fixes", Json::array())) {
    texts.push_back(
        fmt::format("fix: {}: {}", fix.at("change").get<std::string>(), fix.at("effect").get<std::string>()));
  }
  return texts;
}

}  // namespace gpusched::render
