#pragma once

#include "gpusched/objects/pod.hpp"

namespace gpusched::objects {

/// What a new pod requests, overhead included; its status does not count.
[[nodiscard]] ResourceList spec_requests(const Pod& pod);
/// The same sum over its limits; overhead is added to what is limited.
/// Source: k8s.io/component-helpers v0.37.2, resource/helpers.go, PodLimits.
[[nodiscard]] ResourceList spec_limits(const Pod& pod);

}  // namespace gpusched::objects
