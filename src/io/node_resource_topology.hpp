#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpusched/io/cluster_dump.hpp"
#include "gpusched/model/cluster_shape.hpp"
#include "gpusched/model/kubelet.hpp"

namespace gpusched::io {

/// What a NodeResourceTopology says of its node: topology.node.k8s.io, written by the topology updater of Node Feature
/// Discovery and others.
struct NumaFacts {
  std::optional<TopologyPolicy> policy;
  std::vector<std::pair<int, std::int64_t>> gpus;  ///< how many of them each NUMA node has, ascending
};

/// By node. Policies are read from `attributes` (v1alpha2) and from `topologyPolicies`; a value that is not known
/// counts as unknown.
[[nodiscard]] std::map<std::string, NumaFacts, std::less<>> numa_facts(const ClusterDump& dump);

/// Gives the GPUs of a node whose NUMA nodes are all unknown theirs, the lowest indices to the lowest node, when the
/// counts add up; whether it did.
[[nodiscard]] bool apply_numa_counts(NodeClass& node_class, const NumaFacts& facts);

/// The NVLink domain of each node that some ComputeDomain lists with its clique (resource.nvidia.com, status.nodes).
[[nodiscard]] std::map<std::string, std::string, std::less<>> compute_domain_cliques(const ClusterDump& dump);

}  // namespace gpusched::io
