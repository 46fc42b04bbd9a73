#pragma once

#include <string>

#include "gpusched/model/cluster_shape.hpp"
#include "gpusched/placement/filter.hpp"

namespace gpusched::placement {

/// What the node's hardware can never do for the pod, in the lesson's order: sharing, model, memory. A node without
/// GPUs outside MIG answers by its count instead.
[[nodiscard]] ReasonKind hardware_mismatch(const ClusterShape& shape, const NodeClass& node_class, const PodClass& pod);
/// "40", "22.5", "2000000": GiB as people write it, six significant digits and all of the whole part.
[[nodiscard]] std::string gib_text(std::int64_t bytes);

/// Whether a pod can use an instance of a resource that it asks for. One that is advertised as a GPU, as under the
/// device plugin's single strategy, has to be what the pod wants of a GPU.
[[nodiscard]] bool serves(const ClusterShape& shape, const NodeClass& node_class, const MigInstance& instance,
                          const PodClass& pod);

}  // namespace gpusched::placement
