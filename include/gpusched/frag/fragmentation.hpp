#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/mig/profile.hpp"
#include "gpusched/model/cluster_usage.hpp"

namespace gpusched::frag {

/// A figure that the input may leave open between two values; equal when it is known.
struct Range {
  constexpr Range(std::int64_t known = 0) : min(known), max(known) {}  // NOLINT: a known figure is a range
  constexpr Range(std::int64_t least, std::int64_t most) : min(least), max(most) {}

  std::int64_t min;
  std::int64_t max;

  bool operator==(const Range&) const = default;
};

/// How many pods of one size fit on the free exclusive GPUs.
struct SizeRow {
  int size = 1;               ///< GPUs per pod
  std::int64_t by_count = 0;  ///< pods that fit by count on some node: what an extended resource allows
  Range within_island;        ///< pods that fit inside one NVLink island
  std::int64_t stranded = 0;  ///< free GPUs that no pod of this size can use, by count

  /// Stranded GPUs in per cent of the free ones, in tenths, rounded half to even; 0 when none is free.
  [[nodiscard]] double stranded_percent(std::int64_t free) const;
  /// GPUs that pods of this size can use in per cent of all exclusive GPUs: "60% free for 1-GPU pods".
  [[nodiscard]] double usable_percent(std::int64_t total) const;

  bool operator==(const SizeRow&) const = default;
};

/// A job of several equal pods that must run together: "4x8" is four pods of eight GPUs.
struct Gang {
  int pods = 1;
  int gpus_per_pod = 1;
};

struct GangRow {
  Gang gang;
  std::int64_t by_count = 0;  ///< gangs that fit at once
  Range within_island;        ///< … with every pod inside one island
};

/// Exclusive GPUs: neither time-sliced nor in MIG mode. Free: held by nobody, not even in part.
struct ExclusiveGpus {
  std::int64_t total = 0;
  std::int64_t free = 0;
  int largest_block = 0;  ///< most free ones on one node
  Range largest_island;   ///< most free ones in one NVLink island
  std::vector<SizeRow> rows;
  std::vector<GangRow> gangs;
  std::int64_t cordoned = 0;  ///< GPUs that nobody holds, on nodes that take no pods: part of `total`, not of `free`
};

/// Time-sliced GPUs are no capacity for exclusive pods, so they are counted apart.
struct TimeSlicedGpus {
  std::int64_t gpus = 0;
  std::int64_t replicas = 0;
  std::int64_t free_replicas = 0;
};

/// A GPU in MIG mode.
struct MigGpu {
  NodeId node;
  std::uint16_t gpu = 0;
  std::vector<std::uint16_t> used;  ///< indices into NodeClass::instances, by start
  std::vector<std::uint16_t> free;  ///< the same for instances that nobody holds
  mig::ProfileSet could_add;        ///< base profiles that a repartition could add without touching the used ones
  mig::ProfileSet could_add_other;  ///< double-memory, +me and +gfx profiles, likewise
  bool geometry_known = true;
};

/// Who stands in the way of the largest size asked for that does not fit anywhere.
struct Blockers {
  int size = 0;                ///< 0: every size fits somewhere, or no node is large enough
  NodeId node;                 ///< the node that is closest: fewest GPUs to free, first name on a tie
  bool one_island = false;     ///< the block is one NVLink island
  std::uint16_t island = 0;    ///< which one
  int free = 0;                ///< free GPUs of the block
  int total = 0;               ///< GPUs of the block
  std::vector<PodId> holders;  ///< pods on the block, most GPUs first, then by name
};

struct Fragmentation {
  ExclusiveGpus exclusive;
  TimeSlicedGpus time_sliced;
  std::vector<MigGpu> mig;  ///< by node name, then by GPU
  Blockers blockers;
  std::vector<NodeId> free_nodes;  ///< nodes with a free exclusive GPU, by name
};

enum class GroupBy : std::uint8_t { kModel, kPool, kNode, kNuma, kDomain };

struct Group {
  std::string name;  ///< "(none)" for nodes without a pool or domain, "(unknown)" for a model or NUMA node that no one
                     ///< tells; a NUMA node is "node/numa-0"
  ExclusiveGpus exclusive;
  TimeSlicedGpus time_sliced;
};

/// Measures the free GPUs of a cluster for pods of the given sizes (and gangs).
[[nodiscard]] Fragmentation fragmentation(const ClusterUsage& usage, std::span<const int> sizes,
                                          std::span<const Gang> gangs = {});

/// The same figures for each model, pool, node, NUMA node or NVLink domain, sorted by name; groups without GPUs are
/// left out. `domains`: of the nodes, by NodeId; may be shorter.
[[nodiscard]] std::vector<Group> fragmentation_by(const ClusterUsage& usage, std::span<const int> sizes, GroupBy by,
                                                  std::span<const Gang> gangs = {},
                                                  std::span<const StringId> domains = {});

}  // namespace gpusched::frag
