#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "gpusched/model/cluster_usage.hpp"

namespace gpusched::topology {

/// The link that bounds a ring all-reduce.
enum class Link : std::uint8_t {
  kNvlink,
  kPcie,
  kNetwork,  ///< NICs of a node
  kUplink,   ///< links between racks
};

/// "nvlink", "pcie", "network", "uplink"; the names of documents.
[[nodiscard]] std::string_view link_name(Link link);

struct RingLink {
  Link link = Link::kNvlink;
  std::int32_t bandwidth_mbps = 0;  ///< MB/s in one direction; 0 unknown
};

/// What a ring over some GPUs of a node goes over: NVLink inside one island, PCIe across islands, or inside an island
/// without NVLink figures; the slowest board counts. At least one share.
[[nodiscard]] RingLink ring_link(const ClusterShape& shape, const NodeClass& node_class,
                                 std::span<const GpuShare> shares);

struct AllReduceBound {
  Link link = Link::kNvlink;
  std::int32_t bandwidth_mbps = 0;  ///< MB/s in one direction
  double seconds = 0;               ///< per training step
};

/// Least time of a ring all-reduce: every GPU sends and receives 2(k-1)/k times the gradient over the slowest link of
/// the ring. 0 for fewer than two GPUs, no gradient or an unknown bandwidth. Real libraries overlap communication with
/// computation, so this is what the topology alone costs, not a benchmark.
[[nodiscard]] double all_reduce_seconds(int gpus, std::int64_t gradient_bytes, std::int32_t bandwidth_mbps);

/// The bound for a pod's GPUs on a node: NVLink inside one island, PCIe across islands. None when the pod does not
/// communicate (one GPU, MIG) or a number is unknown.
[[nodiscard]] std::optional<AllReduceBound> all_reduce_bound(const ClusterShape& shape, const NodeClass& node_class,
                                                             std::span<const GpuShare> shares,
                                                             std::int64_t gradient_bytes);

/// How many different NVLink islands the shares touch.
[[nodiscard]] int islands_spanned(const NodeClass& node_class, std::span<const GpuShare> shares);

}  // namespace gpusched::topology
