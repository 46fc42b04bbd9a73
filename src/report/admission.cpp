#include "gpusched/report/admission.hpp"

#include <nlohmann/json.hpp>

#include "report/admission_json.hpp"
#include "report/header.hpp"

namespace gpusched::report {

namespace {

using Json = nlohmann::ordered_json;

Json pods_object(const kueue::AdmittedPods& pods) {
  Json flavors = Json::object();
  Json usage = Json::object();
  for (const auto& [resource, flavor] : pods.flavors) {
    flavors[resource] = flavor;
  }
  for (const auto& [resource, quantity] : pods.usage) {
    usage[resource] = quantity.to_string();
  }
  Json object = {
      {"name", pods.name}, {"count", pods.count}, {"flavors", std::move(flavors)}, {"usage", std::move(usage)}};
  if (pods.topology) {
    Json domains = Json::array();
    for (const objects::TopologyDomain& domain : pods.topology->domains) {
      domains.push_back({{"values", domain.values}, {"count", domain.count}});
    }
    object["topology"] = {{"levels", pods.topology->levels}, {"domains", std::move(domains)}};
  }
  return object;
}

Json admitted_object(const kueue::AdmittedWorkload& workload) {
  Json object = {{"workload", workload.workload}, {"clusterQueue", workload.cluster_queue}};
  if (!workload.admitted) {
    object["state"] = "QuotaReserved";
  }
  object["cycle"] = workload.cycle;
  object["podSets"] = Json::array();
  for (const kueue::AdmittedPods& pods : workload.pod_sets) {
    object["podSets"].push_back(pods_object(pods));
  }
  return object;
}

Json pending_object(const kueue::PendingWorkload& workload) {
  Json object = {{"workload", workload.workload}, {"reason", workload.reason}, {"message", workload.message}};
  if (!workload.requeued.empty()) {
    object["requeued"] = workload.requeued;
  }
  return object;
}

Json eviction_object(const kueue::Eviction& eviction) {
  Json object = {{"workload", eviction.workload}, {"cycle", eviction.cycle}, {"reason", eviction.reason}};
  if (!eviction.preempted.empty()) {
    object["preempted"] = eviction.preempted;
  }
  object["message"] = eviction.message;
  return object;
}

}  // namespace

Json admission_object(const kueue::AdmissionAnswer& answer) {
  Json object = {{"admitted", Json::array()},   {"pending", Json::array()},       {"evicted", Json::array()},
                 {"finished", answer.finished}, {"clusterQueues", Json::array()}, {"cycles", answer.cycles}};
  for (const kueue::AdmittedWorkload& workload : answer.admitted) {
    object["admitted"].push_back(admitted_object(workload));
  }
  for (const kueue::PendingWorkload& workload : answer.pending) {
    object["pending"].push_back(pending_object(workload));
  }
  for (const kueue::Eviction& eviction : answer.evicted) {
    object["evicted"].push_back(eviction_object(eviction));
  }
  for (const kueue::InactiveQueue& queue : answer.cluster_queues) {
    object["clusterQueues"].push_back(
        {{"name", queue.name}, {"active", false}, {"reason", queue.reason}, {"message", queue.message}});
  }
  if (answer.loop > 1) {
    object["loop"] = answer.loop;
  }
  if (answer.cut_short) {
    object["cutShort"] = true;
  }
  return object;
}

Document admission_report(const kueue::AdmissionAnswer& answer) {
  Json report = document_header("GangReport");
  report["mode"] = "kueue";
  report["admission"] = admission_object(answer);
  return {std::make_shared<const Json>(std::move(report))};
}

}  // namespace gpusched::report
