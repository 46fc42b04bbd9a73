#pragma once

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/io/document.hpp"
#include "gpusched/objects/scheduler_configuration.hpp"

namespace gpusched::io {

/// Reads a KubeSchedulerConfiguration, with kube-scheduler's defaults filled in and under its rules. `apiVersion` and
/// `kind` may be missing; v1, v1beta3 and v1beta2 are read alike. A ConfigMap is read through: the one entry of its
/// `data` that holds a configuration.
/// Errors, all that there are: wrong kind, types, unknown fields (with a suggestion), duplicate profiles or args, and
/// values out of range; lines of a ConfigMap's entry count from the entry's start.
/// `warnings` gets what is read but not simulated: extenders, plugins that are not part of kube-scheduler, args of
/// plugins other than NodeResourcesFit, NodeResourcesBalancedAllocation and NodeAffinity, versions that current
/// schedulers refuse.
[[nodiscard]] Result<objects::SchedulerConfiguration> read_scheduler_configuration(const Document& document,
                                                                                   Diagnostics& warnings);

}  // namespace gpusched::io
