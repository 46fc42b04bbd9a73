#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/io/source.hpp"
#include "gpusched/model/cluster_shape.hpp"

namespace gpusched::io {

/// What `nvidia-smi topo -m` prints of one node.
struct TopologyMatrix {
  std::vector<std::vector<std::uint8_t>> nvlinks;  ///< bonded NVLinks between two GPUs; 0: none
  std::vector<std::int16_t> numa_nodes;            ///< of each GPU; -1: not printed

  [[nodiscard]] std::size_t gpus() const { return nvlinks.size(); }
  /// GPUs that NVLinks connect, directly or over others, by their lowest index. A cube mesh is one island.
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> islands() const;

  bool operator==(const TopologyMatrix&) const = default;
};

/// Reads the matrix (docs/formats/topology-matrix.md), with the NICs and the legend that the tool prints around it,
/// tabs or blanks, and the underlining of a terminal. Of several NUMA nodes of a GPU ("0,3-9" on GB200) the first
/// counts. Errors: no header with GPU0, a row that is missing, twice or too short, an unknown cell, two GPUs that
/// disagree.
[[nodiscard]] Result<TopologyMatrix> parse_topology_matrix(const Source& source);

/// Lays the islands and NUMA nodes over a node with as many GPUs; false: it has another number.
[[nodiscard]] bool apply_topology(NodeClass& node_class, const TopologyMatrix& matrix);

}  // namespace gpusched::io
