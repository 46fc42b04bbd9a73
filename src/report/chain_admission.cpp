#include "report/chain_admission.hpp"

#include <string>
#include <utility>

#include "gpusched/chain/names.hpp"
#include "report/admission_json.hpp"

namespace gpusched::report {

namespace {

using Json = nlohmann::ordered_json;

Json requirement(const objects::NodeSelectorRequirement& pin) {
  return {{"key", pin.key}, {"operator", pin.op}, {"values", pin.values}};
}

Json amounts(const std::map<std::string, std::int64_t, std::less<>>& map) {
  Json json = Json::object();
  for (const auto& [key, amount] : map) json[key] = chain::canonical(amount);
  return json;
}

Json pod_set(const chain::JudgedPodSet& value, const chain::Chain& chain) {
  Json json = {{"name", value.name}, {"count", value.pods}};
  json["requests"] = amounts(value.folded.resources);
  json["credits"] = amounts(chain::credits_of(value.folded.resources));
  if (!value.pins.empty()) {
    Json& pins = json["pins"] = Json::array();
    for (const auto& pin : value.pins) pins.push_back(requirement(pin));
  }
  if (!value.flavor.empty()) json["flavor"] = value.flavor;
  if (!value.places.empty()) {
    Json& places = json["places"] = Json::array();
    for (const chain::Placed& placed : value.places) {
      places.push_back(Json{{"node", chain.nodes[placed.node].name}, {"pods", placed.pods}});
    }
  }
  return json;
}

Json workload(const chain::JudgedWorkload& value, const chain::Chain& chain) {
  Json json = {{"workload", value.name}, {"queue", value.queue}};
  if (value.pool != nullptr) json["pool"] = value.pool->name;
  json["passes"] = value.passes();
  if (const std::size_t gate = value.first_refusal(); gate != 0) json["firstRefusal"] = gate;
  if (value.link) {
    Json link = {{"link", name_of(value.link->link)}, {"message", value.link->message}};
    if (!value.link->hint.empty()) link["hint"] = value.link->hint;
    json["brokenLink"] = std::move(link);
  }
  Json gates = Json::array();
  for (std::size_t i = 0; i < value.gates.size(); ++i) {
    const chain::GateVerdict& verdict = value.gates[i];
    Json gate = {{"gate", i + 1}, {"name", chain::gate_name(i + 1)}, {"outcome", name_of(verdict.outcome)}};
    if (!verdict.message.empty()) gate["message"] = verdict.message;
    if (!verdict.fix.empty()) gate["fix"] = verdict.fix;
    gates.push_back(std::move(gate));
  }
  json["gates"] = std::move(gates);
  Json pod_sets = Json::array();
  for (const chain::JudgedPodSet& set : value.pod_sets) pod_sets.push_back(pod_set(set, chain));
  json["podSets"] = std::move(pod_sets);
  return json;
}

}  // namespace

void put_admission(Json& report, const chain::Chain& chain, const chain::AdmissionResult& result,
                   std::string_view explain) {
  Json gates = Json::array();
  for (const chain::JudgedWorkload& value : result.workloads) {
    if (explain.empty() || value.name == explain) gates.push_back(workload(value, chain));
  }
  report["gates"] = std::move(gates);
  if (explain.empty()) report["admission"] = admission_object(result.answer);
}

}  // namespace gpusched::report
