#include "gpusched/report/allocation.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "report/allocation_json.hpp"
#include "report/header.hpp"
#include "report/why_not_json.hpp"

namespace gpusched::report {

namespace {

using Json = nlohmann::ordered_json;

Json claim_json(const objects::ResourceClaim& claim) {
  return {{"namespace", claim.namespace_name}, {"name", claim.name}};
}

Document to_document(Json json) {
  return {std::make_shared<const Json>(std::move(json))};
}

void put_steps(Json& json, const dra::AllocationAnswer& answer) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const bool too_many = answer.steps > kMost;
  json["steps"] = too_many ? kMost : static_cast<std::uint64_t>(answer.steps);
  if (answer.steps_at_least || too_many) json["stepsAtLeast"] = true;
  if (too_many) json["stepsDecimal"] = dra::to_string(answer.steps);
}

std::string_view name_of(cel::CompileErrorKind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"syntax", "check", "output-type", "program"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name_of(cel::ErrorKind kind) {
  constexpr std::array<std::string_view, 5> kNames = {"", "runtime", "cost-limit", "attribute", "result"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name_of(cel::Verdict verdict) {
  constexpr std::array<std::string_view, 4> kNames = {"ok", "too-long", "invalid", "too-complex"};
  return kNames[static_cast<std::size_t>(verdict)];
}

Json admission_json(const cel::Admission& admission) {
  Json json = {{"verdict", name_of(admission.verdict)}};
  if (!admission.error.empty()) json["error"] = admission.error;
  if (admission.max_cost) json["maxCost"] = *admission.max_cost;
  return json;
}

Json device_answer_json(const dra::DeviceAnswer& answer) {
  Json json = {{"device", answer.device.to_string()}};
  if (answer.outcome.ok()) {
    json["match"] = answer.outcome.match;
    if (!answer.reason.empty()) json["reason"] = answer.reason;
  } else {
    json["error"] = answer.outcome.error;
    json["errorKind"] = name_of(answer.outcome.error_kind);
  }
  json["cost"] = answer.outcome.cost;
  return json;
}

}  // namespace

Document claim_series_report(const dra::ClaimSeries& series, std::span<const objects::ResourceClaim> claims,
                             std::span<const dra::NodeFacts> nodes, WhyNotShown shown) {
  std::set<const dra::WhyNot*> told;
  const auto is_told = [&](const dra::WhyNot* why) {
    return why != nullptr && (told.contains(why) || (told.size() < shown.refusals && told.insert(why).second));
  };
  Json json = document_header("AllocationReport");
  Json& rows = json["claims"] = Json::array();
  for (const dra::ClaimOutcome& outcome : series.claims) {
    Json row = claim_json(claims[outcome.claim]);
    row["node"] = outcome.node ? nodes[*outcome.node].name : "";
    row["allocation"] = outcome.allocation ? allocation_json(*outcome.allocation) : Json();
    row["reason"] = outcome.reason;
    if (outcome.already_allocated) row["alreadyAllocated"] = true;
    if (outcome.undecided) row["undecided"] = true;
    if (outcome.timeout.any()) {
      row["filterTimeout"] = {{"nodes", outcome.timeout.count},
                              {"first", nodes[outcome.timeout.first].name},
                              {"steps", dra::to_string(outcome.timeout.steps)}};
    }
    if (is_told(outcome.why_not.get())) row["whyNot"] = why_not_json(*outcome.why_not, nodes, shown.nodes);
    rows.push_back(std::move(row));
  }
  return to_document(std::move(json));
}

Document allocation_report(const dra::AllocationAnswer& answer, dra::Implementation implementation,
                           std::span<const objects::ResourceClaim* const> claims, const dra::NodeFacts& node,
                           const dra::WhyNot* why_not, WhyNotShown shown) {
  Json json = document_header("AllocationReport");
  json["node"] = node.name;
  json["outcome"] = dra::name_of(answer.outcome);
  json["error"] = answer.error;
  json["allocator"] = dra::name_of(implementation);
  Json& rows = json["claims"] = Json::array();
  for (std::size_t c = 0; c < claims.size(); ++c) {
    Json row = claim_json(*claims[c]);
    row["allocation"] = c < answer.allocations.size() ? allocation_json(answer.allocations[c]) : Json();
    rows.push_back(std::move(row));
  }
  put_steps(json, answer);
  if (answer.times_out) json["filterTimeout"] = true;
  if (why_not != nullptr) json["whyNot"] = why_not_json(*why_not, std::span(&node, 1), shown.nodes);
  return to_document(std::move(json));
}

Document selector_report(const dra::DeviceAnswers& answers) {
  Json json = document_header("SelectorReport");
  json["expression"] = answers.expression;
  if (!answers.compile_error.empty()) {
    json["compileError"] = answers.compile_error;
    json["errorKind"] = name_of(answers.compile_error_kind);
  } else {
    json["outputType"] = answers.output_type;
    // Absent: there is no bound.
    if (answers.max_cost != std::numeric_limits<std::uint64_t>::max()) json["maxCost"] = answers.max_cost;
  }
  json["admission"] = admission_json(answers.admission);
  Json& rows = json["devices"] = Json::array();
  for (const dra::DeviceAnswer& answer : answers.devices) rows.push_back(device_answer_json(answer));
  if (!answers.hint.empty()) json["hint"] = answers.hint;
  return to_document(std::move(json));
}

}  // namespace gpusched::report
