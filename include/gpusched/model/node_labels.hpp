#pragma once

#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "gpusched/model/cluster_shape.hpp"

/// What the labels of a node tell of its hardware.
namespace gpusched {

/// Key and value.
using LabelText = std::pair<std::string_view, std::string_view>;

/// Labels of a shape as texts, which live as long as it.
[[nodiscard]] std::vector<LabelText> label_texts(const ClusterShape& shape, LabelSetId labels);

/// Where drivers write which NVLink connects a node's GPUs to those of other nodes, the first one that says something
/// counts: GPU Feature Discovery (k8s-device-plugin v0.17 and later), and the DRA driver's ComputeDomain plugin.
inline constexpr std::array<std::string_view, 2> kNvlinkDomainLabels = {"nvidia.com/gpu.clique",
                                                                        "resource.nvidia.com/computeDomain.cliqueID"};

/// The NVLink domain, "<cluster UUID>.<clique ID>"; "" when no label names one.
[[nodiscard]] std::string_view nvlink_domain(std::span<const LabelText> labels);

}  // namespace gpusched
