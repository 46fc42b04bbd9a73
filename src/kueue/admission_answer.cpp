#include "kueue/admission_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "kueue/amounts.hpp"

namespace gpusched::kueue {

namespace {

AdmittedWorkload to_admitted(const State& state, const WorkloadState& workload) {
  AdmittedWorkload admitted;
  admitted.workload = workload.key;
  admitted.admitted = workload.is(ConditionType::kAdmitted);
  admitted.cycle = workload.admitted_cycle;
  admitted.since = workload.condition(ConditionType::kQuotaReserved).since;
  if (!workload.admission) {
    return admitted;
  }
  admitted.cluster_queue = workload.admission->queue_name;
  for (const AssignedPodSet& assigned : workload.admission->pod_sets) {
    AdmittedPods& pods = admitted.pod_sets.emplace_back();
    pods.name = assigned.name;
    pods.count = assigned.count;
    pods.topology = assigned.domains
                        ? state.flavors[assigned.topology_flavor.index()].topology->to_object(*assigned.domains)
                        : assigned.topology;
    for (const AssignedResource& resource : assigned.resources) {
      const std::string name(state.resources[resource.resource]);
      pods.flavors.emplace_back(name, state.flavors[resource.flavor.index()].name);
      pods.usage.emplace_back(name, quantity_of(name, resource.amount));
    }
  }
  return admitted;
}

PendingWorkload to_pending(const WorkloadState& workload) {
  PendingWorkload pending;
  pending.workload = workload.key;
  const ConditionState& reserved = workload.condition(ConditionType::kQuotaReserved);
  const ConditionState& requeued = workload.condition(ConditionType::kRequeued);
  if (reserved.present) {
    pending.reason = reserved.reason;
    pending.message = reserved.message;
  }
  if (requeued.present) {
    pending.requeued = fmt::format("{}/{}", requeued.is_true ? "True" : "False", requeued.reason);
  }
  return pending;
}

}  // namespace

AdmissionAnswer answer_of(const State& state, const Journal& journal) {
  AdmissionAnswer answer;
  std::vector<const WorkloadState*> sorted;
  for (const WorkloadState& workload : state.workloads) {
    if (workload.exists) {
      sorted.push_back(&workload);
    }
  }
  std::ranges::sort(sorted, {}, [](const WorkloadState* workload) { return workload->name_rank; });
  for (const WorkloadState* const workload : sorted) {
    if (workload->is(ConditionType::kFinished)) {
      answer.finished.push_back(workload->key);
    } else if (workload->is(ConditionType::kQuotaReserved)) {
      answer.admitted.push_back(to_admitted(state, *workload));
    } else {
      answer.pending.push_back(to_pending(*workload));
    }
  }
  answer.evicted = journal.evictions();
  std::ranges::stable_sort(answer.evicted, {},
                           [](const Eviction& eviction) { return std::tie(eviction.cycle, eviction.workload); });
  for (const QueueState& queue : state.queues) {
    if (!queue.active) {
      answer.cluster_queues.push_back({queue.object.meta.name, queue.reason, queue.message});
    }
  }
  answer.cycles = state.cycle;
  return answer;
}

}  // namespace gpusched::kueue
