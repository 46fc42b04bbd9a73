#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gpusched/base/text.hpp"
#include "render/case_lists.hpp"

// Cases of the answers about claims, clusters, jobs and queues: dra, frag, gang and chain.
namespace gpusched::render {

using Json = nlohmann::ordered_json;

namespace {

std::string text(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? std::string() : found->is_string() ? found->get<std::string>() : found->dump();
}

/// What keeps devices from a claim: the conclusion for each kind of node, hints, changes that help.
std::vector<std::string> why_not_texts(const Json& owner) {
  std::vector<std::string> texts;
  if (!owner.contains("whyNot")) {
    return texts;
  }
  const Json& why = owner.at("whyNot");
  for (const Json& nodes : why.at("nodes")) {
    const auto names = nodes.at("examples").get<std::vector<std::string>>();
    const bool more = nodes.at("count").get<std::size_t>() > names.size();
    texts.push_back(fmt::format("{}{}: {}", join(names, ", "), more ? ", ..." : "", text(nodes, "conclusion")));
  }
  for (const Json& hint : why.at("hints")) {
    texts.push_back(fmt::format("hint: {}", text(hint, "text")));
  }
  for (const Json& fix : why.at("fixes")) {
    texts.push_back(fmt::format("fix: {}: {}", text(fix, "change"), text(fix, "effect")));
  }
  return texts;
}

void deadlock_case(const Json& report, std::vector<Case>& cases) {
  Case result{.kind = "run", .name = text(report, "mode"), .result = {}};
  if (const Json& deadlock = report.at("deadlock"); !deadlock.is_null()) {
    Finding& found = result.findings.emplace_back(
        finding("GPU203", fmt::format("deadlock at t={}: {} GPUs held, nothing running", deadlock.at("time").dump(),
                                      deadlock.at("heldGpus").dump())));
    for (const Json& job : deadlock.at("jobs")) {
      found.details.push_back(fmt::format("{} holds {} GPUs and waits for {}", text(job, "name"),
                                          job.at("holds").at("gpus").dump(), job.at("waitsFor").at("gpus").dump()));
    }
  }
  if (report.value("livelock", false)) {
    result.findings.push_back(finding("GPU204", "jobs took and gave back parts for ever; the run was stopped"));
  }
  result.result = fmt::format("makespan {} s", report.at("makespan").dump());
  cases.push_back(std::move(result));
}

void admission_cases(const Json& admission, std::vector<Case>& cases) {
  for (const Json& workload : admission.at("admitted")) {
    cases.push_back({.kind = "workload",
                     .name = text(workload, "workload"),
                     .result = fmt::format("admitted by {}", text(workload, "clusterQueue"))});
  }
  for (const Json& workload : admission.at("pending")) {
    const std::string message = text(workload, "message");
    cases.push_back({.kind = "workload",
                     .name = text(workload, "workload"),
                     .result = text(workload, "reason"),
                     .findings = {finding("GPU303", message.empty() ? text(workload, "reason") : message)}});
  }
}

Case gate_case(const Json& workload) {
  Case result{.kind = "workload",
              .name = text(workload, "workload"),
              .result = workload.at("passes").get<bool>() ? "passes all gates" : "held up"};
  if (workload.contains("brokenLink")) {
    const Json& link = workload.at("brokenLink");
    result.findings.push_back(finding("GPU301", fmt::format("{}: {}", text(link, "link"), text(link, "message"))));
  }
  for (const Json& gate : workload.at("gates")) {
    const std::string outcome = text(gate, "outcome");
    if (outcome != "refuses" && outcome != "holds") {
      continue;
    }
    Finding& found = result.findings.emplace_back(finding(
        "GPU302",
        fmt::format("gate {}, {}, {}: {}", text(gate, "gate"), text(gate, "name"), outcome, text(gate, "message"))));
    if (gate.contains("fix")) {
      found.details.push_back(fmt::format("fix: {}", text(gate, "fix")));
    }
  }
  return result;
}

}  // namespace

void fragmentation_cases(const Json& report, std::vector<Case>& cases) {
  for (const Json& threshold : report.value("thresholds", Json::array())) {
    const bool stranded = threshold.at("kind") == "max-stranded";
    const std::string unit = stranded ? "%" : "";
    Case result{.kind = "threshold",
                .name = fmt::format("{} {}={}{}", text(threshold, "kind"), text(threshold, "size"),
                                    text(threshold, "limit"), unit),
                .result = fmt::format("{}{}", text(threshold, "value"), unit)};
    if (threshold.contains("violation")) {
      result.findings.push_back(finding(stranded ? "GPU201" : "GPU202", text(threshold, "violation")));
    }
    cases.push_back(std::move(result));
  }
  if (report.contains("repartition")) {
    repartition_cases(report.at("repartition"), cases);
  }
}

void allocation_cases(const Json& report, std::vector<Case>& cases) {
  const bool together = report.contains("outcome");
  for (const Json& claim : report.at("claims")) {
    Case result{.kind = "claim",
                .name = fmt::format("{}/{}", text(claim, "namespace"), text(claim, "name")),
                .result = together ? text(report, "node") : text(claim, "node")};
    if (claim.value("undecided", false) || (together && report.at("outcome") == "undecided")) {
      result.findings.push_back(finding("GPU004", "the search reached its step budget"));
    } else if (claim.at("allocation").is_null()) {
      std::string reason = together ? text(report, "error") : text(claim, "reason");
      Finding& why = result.findings.emplace_back(
          finding("GPU006", reason.empty() ? "the devices are not there" : std::move(reason)));
      why.details = why_not_texts(together ? report : claim);
    }
    cases.push_back(std::move(result));
  }
}

void selector_cases(const Json& report, std::vector<Case>& cases) {
  std::size_t matches = 0;
  for (const Json& device : report.at("devices")) {
    matches += device.value("match", false) ? 1 : 0;
  }
  Case result{.kind = "selector",
              .name = text(report, "expression"),
              .result = fmt::format("matches {} of {} devices", matches, report.at("devices").size())};
  if (const std::string error = text(report, "compileError"); !error.empty()) {
    result.findings.push_back(finding("GPU007", error));
  }
  cases.push_back(std::move(result));
}

void gang_cases(const Json& report, std::vector<Case>& cases) {
  if (report.contains("deadlock")) {
    deadlock_case(report, cases);
  }
  for (const Json& job : report.value("jobs", Json::array())) {
    const std::string state = text(job, "state");
    Case result{.kind = "job", .name = text(job, "name"), .result = state};
    if (state != "finished") {
      const std::string message = text(job, "message");
      result.findings.push_back(finding("GPU205", message.empty() ? state : message));
    }
    cases.push_back(std::move(result));
  }
  if (report.contains("admission")) {
    admission_cases(report.at("admission"), cases);
  }
}

void chain_cases(const Json& report, std::vector<Case>& cases) {
  for (const Json& link : report.value("links", Json::array())) {
    Finding broken = finding("GPU301", fmt::format("{}: {}", text(link, "link"), text(link, "message")));
    broken.level = Level::kWarning;  // the exit code tells about workloads only
    if (link.contains("hint")) {
      broken.details.push_back(fmt::format("hint: {}", text(link, "hint")));
    }
    cases.push_back(
        {.kind = "link", .name = text(link, "object"), .result = "broken", .findings = {std::move(broken)}});
  }
  for (const Json& workload : report.value("gates", Json::array())) {
    cases.push_back(gate_case(workload));
  }
}

void chain_diff_cases(const Json& report, std::vector<Case>& cases) {
  for (const Json& drift : report.at("drift")) {
    std::string message = text(drift, "drift");
    if (drift.contains("path")) {
      message += fmt::format(" at {}", text(drift, "path"));
    }
    Finding found = finding("GPU304", std::move(message));
    for (const char* const side : {"want", "found"}) {
      if (drift.contains(side)) {
        found.details.push_back(fmt::format("{}: {}", side, text(drift, side)));
      }
    }
    cases.push_back(
        {.kind = "object", .name = text(drift, "object"), .result = "drift", .findings = {std::move(found)}});
  }
}

}  // namespace gpusched::render
