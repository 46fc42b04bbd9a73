#pragma once

#include <array>
#include <string_view>

#include "gpusched/objects/meta.hpp"
#include "gpusched/whatif/cluster_edit.hpp"

namespace gpusched::whatif {

/// The labels in which GPU Feature Discovery describes the sharing of a node's GPUs: product, replicas, strategy.
inline constexpr std::array<std::string_view, 3> kSharingLabels = {"nvidia.com/gpu.product", "nvidia.com/gpu.replicas",
                                                                   "nvidia.com/gpu.sharing-strategy"};

/// Writes what GPU Feature Discovery would say of a node after the edit, if it says anything of it: the replicas, the
/// strategy, and "-SHARED" behind the product, unless the renamed resource tells that. Source: k8s-device-plugin v0.20,
/// internal/lm/resource.go.
void label_sharing(objects::Labels& labels, const ShareGpus& edit);

}  // namespace gpusched::whatif
