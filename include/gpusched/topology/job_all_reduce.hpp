#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "gpusched/model/cluster_usage.hpp"
#include "gpusched/model/node_network.hpp"
#include "gpusched/topology/all_reduce.hpp"

namespace gpusched::topology {

/// What exchanges gradients at one level of an all-reduce over several nodes.
enum class Level : std::uint8_t {
  kGpus,   ///< GPUs that NVLink or PCIe connects: of one node, or of one NVLink domain
  kNodes,  ///< nodes (or NVLink domains) over their NICs
  kRacks,  ///< racks over the links between them
};

struct LevelBound {
  Level level = Level::kGpus;
  Link link = Link::kNvlink;
  std::int32_t members = 0;         ///< GPUs, nodes or racks; of several groups, those of the slowest
  std::int64_t bandwidth_mbps = 0;  ///< MB/s of one member in one direction; 0 unknown
  double seconds = 0;               ///< 0 unknown
};

/// The bound of a job; the levels that it has, from the GPUs to the racks.
struct JobBound {
  std::vector<LevelBound> levels;

  /// The level that bounds it; null when no bandwidth is known.
  [[nodiscard]] const LevelBound* slowest() const;
};

/// The GPUs of one pod.
struct PodGpus {
  NodeId node;
  std::span<const GpuShare> shares;
};

/// Least time of an all-reduce over the GPUs of a job, when it is done level by level: the members of each level
/// reduce-scatter and all-gather what the level above it reduces (Cho et al., BlueConnect, MLSys 2019). A level with m
/// members of bandwidth B costs 2(m-1)/m · gradient / B, and the levels work at the same time, so that the slowest is
/// the bound. B of a node is what all NICs of the job's GPUs carry; of a rack what its nodes together carry, or its
/// links when they carry less.
class JobAllReduce {
 public:
  /// `domains`, by NodeId: the NVLink domains; may be shorter.
  JobAllReduce(const ClusterUsage& usage, ClusterNetwork network, std::span<const StringId> domains);

  /// None when nothing is exchanged: less than two GPUs, MIG instances, no gradient.
  [[nodiscard]] std::optional<JobBound> bound(std::span<const PodGpus> pods, std::int64_t gradient_bytes) const;

 private:
  struct Group;

  [[nodiscard]] std::vector<Group> groups_of(std::span<const PodGpus> pods) const;
  [[nodiscard]] LevelBound gpu_level(const Group& group, std::int64_t gradient_bytes) const;
  [[nodiscard]] std::int64_t network_of(const Group& group) const;
  [[nodiscard]] std::optional<LevelBound> rack_level(std::span<const Group> groups, std::int64_t gradient_bytes) const;

  const ClusterUsage& usage_;
  ClusterNetwork network_;
  std::span<const StringId> domains_;
  std::map<StringId, std::int64_t> uplinks_;  ///< MB/s of a rack's links in one direction; none: unknown
};

}  // namespace gpusched::topology
