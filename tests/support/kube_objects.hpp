#pragma once

#include <string_view>

#include "gpusched/kubescheduler/snapshot.hpp"

/// Kubernetes objects from YAML or JSON text, for tests. A text that cannot be read fails the test.
namespace gpusched::testing {

[[nodiscard]] objects::Pod pod_from(std::string_view text);
[[nodiscard]] objects::Node node_from(std::string_view text);

/// A node with 4 CPUs, 8Gi, 10 pods and, when `gpus` is not 0, that many nvidia.com/gpu.
[[nodiscard]] objects::Node simple_node(std::string_view name, int gpus = 0);
/// A pod of namespace default with one container that requests this; bound when `node` is not empty.
[[nodiscard]] objects::Pod simple_pod(std::string_view name, std::string_view node = {}, int gpus = 0,
                                      int priority = 0);

/// All objects of the documents.
[[nodiscard]] kubescheduler::ClusterObjects cluster_from(std::string_view text);

}  // namespace gpusched::testing
