#pragma once

#include <span>
#include <string_view>

#include "gpusched/model/cluster_shape.hpp"

namespace gpusched {

/// The labels by which clouds and provisioners name their node pools, the first one that a node has counts. Each is
/// documented by its owner: GKE, EKS, eksctl, AKS, Karpenter, Cluster API; "pool" is what people use on their own.
[[nodiscard]] std::span<const std::string_view> pool_label_keys();

/// The pool of a node; "" when it has none of the labels.
[[nodiscard]] std::string_view pool_of(const ClusterShape& shape, const NodeClass& node_class);

}  // namespace gpusched
