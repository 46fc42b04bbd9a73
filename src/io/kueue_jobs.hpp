#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gpusched/io/decode.hpp"
#include "gpusched/objects/kueue_input.hpp"

/// Jobs in the shape that Kueue's job controllers give them. Rules: sigs.k8s.io/kueue v0.17.0, pkg/controller/jobs and
/// pkg/controller/jobframework.
namespace gpusched::io {

/// The Workloads that Kueue makes for an object with the label kueue.x-k8s.io/queue-name: one with a pod set per pod
/// template; of a LeaderWorkerSet one per replica, of a Deployment one per pod. None for other objects, for kinds that
/// Kueue does not admit (a CronJob's Jobs are admitted), for ended ones, and for what another workload controls. Each
/// has its object as owner; priorities are open until `add_workloads`. Errors of pod templates go to the decoder.
[[nodiscard]] std::vector<objects::Workload> workloads_of_job(Decoder& decoder, const Value& object);

/// What the annotations of a pod or a pod template ask of the topology.
[[nodiscard]] std::optional<objects::PodSetTopologyRequest> pod_set_topology(const objects::ObjectMeta& pod);
/// A number from 0 to 2^31 - 1, as annotations give it.
[[nodiscard]] std::optional<std::int32_t> whole_number(std::string_view text);
/// The class that the labels name, else the first one of the pod sets.
void take_priority_class(const objects::Labels& labels, objects::Workload& workload);

/// Puts these Workloads among the objects, but for owners that already have a Workload there and for names that are
/// taken, and looks their priorities up: that of the WorkloadPriorityClass, else of the pods' PriorityClass, else of
/// the default class. Warnings
/// ("no-priority-class"): classes that are not there, for which Kueue would make no Workload yet.
[[nodiscard]] Diagnostics add_workloads(std::vector<objects::Workload> made, objects::KueueObjects& objects);

}  // namespace gpusched::io
