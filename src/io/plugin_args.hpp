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

}  // namespace gpusched::io
