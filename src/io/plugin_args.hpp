#pragma once

#include "gpusched/io/decode.hpp"
#include "gpusched/objects/scheduler_configuration.hpp"

namespace gpusched::io {

/// The `args` of a pluginConfig entry, with defaults and rules of kube-scheduler 1.37.
[[nodiscard]] objects::NodeResourcesFitArgs read_node_resources_fit_args(Decoder& decoder, const Value& args);
[[nodiscard]] objects::NodeResourcesBalancedAllocationArgs read_balanced_allocation_args(Decoder& decoder,
                                                                                         const Value& args);
/// addedAffinity of NodeAffinityArgs.
[[nodiscard]] objects::NodeAffinity read_node_affinity_args(Decoder& decoder, const Value& args);

[[nodiscard]] objects::PodTopologySpreadArgs read_pod_topology_spread_args(Decoder& decoder, const Value& args);
[[nodiscard]] objects::InterPodAffinityArgs read_inter_pod_affinity_args(Decoder& decoder, const Value& args);
[[nodiscard]] objects::VolumeBindingArgs read_volume_binding_args(Decoder& decoder, const Value& args);
[[nodiscard]] objects::DynamicResourcesArgs read_dynamic_resources_args(Decoder& decoder, const Value& args);
/// DefaultPreemptionArgs are checked and not kept: they say how many nodes are tried, and all are tried here.
void check_default_preemption_args(Decoder& decoder, const Value& args);

}  // namespace gpusched::io
