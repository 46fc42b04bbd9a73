#include "report/chain_admission.hpp"

#include <string>
#include <utility>

#include "gpusched/chain/names.hpp"

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

Json admitted(const kueue::AdmittedWorkload& value) {
  Json json = {{"workload", value.workload}, {"clusterQueue", value.cluster_queue}};
  if (!value.admitted) json["state"] = "QuotaReserved";
  Json pod_sets = Json::array();
  for (const kueue::AdmittedPods& pods : value.pod_sets) {
    Json set = {{"name", pods.name}, {"count", pods.count}};
    Json flavors = Json::object();
    for (const auto& [resource, flavor] : pods.flavors) flavors[resource] = flavor;
    Json usage = Json::object();
    for (const auto& [resource, amount] : pods.usage) usage[resource] = amount.to_string();
    set["flavors"] = std::move(flavors);
    set["usage"] = std::move(usage);
    if (pods.topology) {
      Json domains = Json::array();
      for (const objects::TopologyDomain& domain : pods.topology->domains) {
        domains.push_back(Json{{"values", domain.values}, {"count", domain.count}});
      }
      set["topology"] = Json{{"levels", pods.topology->levels}, {"domains", std::move(domains)}};
    }
    pod_sets.push_back(std::move(set));
  }
  json["podSets"] = std::move(pod_sets);
  return json;
}

Json reasons(const std::string& name, const std::string& reason, const std::string& message) {
  return {{"workload", name}, {"reason", reason}, {"message", message}};
}

Json kueue_answer(const kueue::AdmissionAnswer& answer) {
  Json json;
  json["admitted"] = Json::array();
  for (const auto& value : answer.admitted) json["admitted"].push_back(admitted(value));
  json["pending"] = Json::array();
  for (const kueue::PendingWorkload& value : answer.pending) {
    Json entry = reasons(value.workload, value.reason, value.message);
    if (!value.requeued.empty()) entry["requeued"] = value.requeued;
    json["pending"].push_back(std::move(entry));
  }
  json["evicted"] = Json::array();
  for (const kueue::Eviction& value : answer.evicted) {
    Json entry = reasons(value.workload, value.reason, value.message);
    if (!value.preempted.empty()) entry["preempted"] = value.preempted;
    json["evicted"].push_back(std::move(entry));
  }
  json["finished"] = answer.finished;
  json["clusterQueues"] = Json::array();
  for (const kueue::InactiveQueue& queue : answer.cluster_queues) {
    json["clusterQueues"].push_back(
        Json{{"name", queue.name}, {"reason", queue.reason}, {"message", queue.message}});
  }
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
  if (explain.empty()) report["admission"] = kueue_answer(result.answer);
}

}  // namespace gpusched::report
