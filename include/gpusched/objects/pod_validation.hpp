#pragma once

#include <string>
#include <vector>

#include "gpusched/objects/pod.hpp"

namespace gpusched::objects {

/// Why the API server refuses the pod for what its containers ask of extended resources and huge pages, in its words:
/// amounts of extended resources are whole and not negative, the limit is set, the request is equal to it. Ask after
/// set_defaults(), as the API server does. Source: k8s.io/kubernetes v1.37.2, pkg/apis/core/validation.
[[nodiscard]] std::vector<std::string> extended_resource_errors(const Pod& pod);

}  // namespace gpusched::objects
