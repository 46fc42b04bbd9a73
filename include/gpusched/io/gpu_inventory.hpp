#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/mig/board.hpp"
#include "gpusched/mig/enumerate.hpp"

/// Which GPUs a node has, from what `kubectl get nodes -o json` (and ResourceSlices) show. Sources, the first wins:
/// ResourceSlices of known GPU drivers, GPU Feature Discovery and vendors' labels, what sharing plugins register, cloud
/// labels, the instance type, allocatable alone. What no source tells stays unknown; what was inferred from what is
/// listed in GpuInventory.
namespace gpusched::io {

using LabelFact = std::pair<std::string_view, std::string_view>;
/// Name and amount of an extended resource, in whole units; other resources may be there and are skipped.
using ResourceFact = std::pair<std::string_view, std::int64_t>;
/// The value of a device attribute; versions as text.
using AttributeFact = std::variant<std::string_view, std::int64_t, bool>;

/// One device of a ResourceSlice.
struct DeviceFacts {
  std::string_view driver;
  std::string_view pool;
  std::string_view name;
  std::span<const std::pair<std::string_view, AttributeFact>> attributes;
  std::span<const ResourceFact> capacity;  ///< "memory" in bytes
  std::string_view counter_set;            ///< of the pool, from which the device consumes; "" for none
};

/// What a dump says about one node. Everything must outlive the call only.
struct NodeFacts {
  std::string_view name;
  std::span<const LabelFact> labels;
  std::span<const ResourceFact> capacity;
  std::span<const ResourceFact> allocatable;
  std::span<const DeviceFacts> devices;
  std::span<const LabelFact> annotations = {};
};

enum class Sharing : std::uint8_t { kNone, kTimeSlicing, kMps, kUnknown };
enum class MigStrategy : std::uint8_t { kNone, kSingle, kMixed, kDynamic };
/// Which count of GPUs a group has.
enum class CountBasis : std::uint8_t {
  kKnown,
  kUnits,    ///< as many as the advertised units; fewer if these are replicas or instances that no label tells of
  kAtLeast,  ///< the fewest that can hold the advertised MIG instances
};
/// How well something is known: stated, taken from the usual build of the product, or not at all.
enum class Basis : std::uint8_t { kUnknown, kAssumed, kKnown };
enum class Advertised : std::uint8_t {
  kUsable,
  kBroken,         ///< capacity is there, allocatable is 0: the device plugin is gone or every device is unhealthy
  kNotAdvertised,  ///< labels tell of hardware, neither capacity nor a slice does
};

/// MIG instances of one profile on the GPUs of a group.
struct MigCount {
  std::string profile;   ///< NVIDIA's spelling where the board is known: "1g.10gb+me"; else as the input has it
  std::string resource;  ///< that counts them: "nvidia.com/mig-1g.10gb.me", "nvidia.com/gpu" (single), "" (slices only)
  std::int64_t count = 0;
  std::int64_t capacity = 0;     ///< advertised units, count × replicas
  std::int64_t allocatable = 0;  ///< may be below what pods hold

  bool operator==(const MigCount&) const = default;
};

/// GPUs of one node that are equal in everything.
struct GpuGroup {
  std::string resource;      ///< "nvidia.com/gpu"; "" when only slices or labels tell of them, or MIG mixed
  std::string driver;        ///< of their ResourceSlices; ""
  std::string vendor;        ///< "nvidia", "amd", "huawei"; the resource's domain for an unknown one
  std::string model;         ///< as GPU Feature Discovery spells it, without suffixes; "" unknown
  std::string architecture;  ///< "hopper"; "" unknown
  std::string partition;     ///< AMD compute and memory partition: "cpx_nps1"; ""
  std::int64_t count = 0;    ///< physical GPUs
  CountBasis count_basis = CountBasis::kKnown;
  std::int64_t capacity = 0;     ///< advertised units of `resource`
  std::int64_t allocatable = 0;  ///< never clamped: it may be below what pods hold
  std::int64_t replicas = 1;     ///< units per GPU or MIG instance that share it
  Sharing sharing = Sharing::kNone;
  bool renamed = false;                   ///< advertised under "….shared"
  bool vgpu = false;                      ///< a vGPU of a VM: no MIG geometry
  std::int64_t parts = 1;                 ///< a VM with 1/parts of a board: 8 for AWS g6f.large
  std::int64_t board_memory_mib = 0;      ///< of one physical GPU; 0 unknown
  std::int64_t unit_memory_mib = 0;       ///< of what one unit stands for: GPU, instance, partition, vGPU; 0 unknown
  std::int64_t nvlink_mbps = 0;           ///< MB/s in one direction between GPUs of an island; 0 none or unknown
  std::int64_t pcie_mbps = 0;             ///< MB/s in one direction; 0 unknown
  const mig::Board* mig_board = nullptr;  ///< geometry; nullptr: no MIG or unknown
  MigStrategy mig = MigStrategy::kNone;   ///< kNone: not in MIG mode
  std::vector<MigCount> instances;
  std::vector<mig::Layout> layouts;  ///< per GPU, see layout_basis; empty when the counts cannot be split
  Basis layout_basis = Basis::kUnknown;
  std::vector<std::vector<std::uint32_t>> islands;  ///< indices of the group's GPUs; empty when unknown
  Basis islands_basis = Basis::kUnknown;
  std::string clique;                    ///< NVLink domain over several nodes; ""
  std::vector<std::int32_t> numa_nodes;  ///< of each GPU; empty unknown, -1 unknown for one
  Advertised advertised = Advertised::kUsable;
  std::vector<std::vector<std::string>> devices;  ///< of slices, for each GPU: "pool/name" of it and of its parts

  [[nodiscard]] bool usable() const { return advertised == Advertised::kUsable; }
};

/// One conclusion and what it rests on: {"model", "label nvidia.com/gpu.product"}.
struct Inference {
  std::string what;
  std::string from;

  bool operator==(const Inference&) const = default;
};

struct GpuInventory {
  std::vector<GpuGroup> groups;
  std::string_view parts;         ///< resource by which a scheduler of its own gives out parts of the GPUs; ""
  std::int64_t network_mbps = 0;  ///< MB/s in one direction of all NICs of the node; 0 unknown
  std::int64_t gpu_nic_mbps = 0;  ///< MB/s in one direction of the NIC that each GPU has for itself; 0 unknown or none
  std::vector<Inference> inferred;
  Diagnostics warnings;  ///< severities kWarning and kNote; their object is the node
};

struct InventoryOptions {
  std::vector<std::string> gpu_drivers;  ///< DRA drivers of GPUs beside the known ones
};

/// The drivers whose slices hold GPUs. Sources: the drivers' repositories.
[[nodiscard]] std::span<const std::string_view> known_gpu_drivers();

/// Groups in a fixed order: slices by driver, then NVIDIA, then other vendors by resource name.
[[nodiscard]] GpuInventory infer_gpus(const NodeFacts& node, const InventoryOptions& options = {});

/// What an extended resource counts.
enum class ResourceRole : std::uint8_t {
  kOther,    ///< no accelerator: RDMA, sockets, CPU features
  kDevice,   ///< GPUs, NPUs, TPUs, whole or replicas
  kMig,      ///< MIG instances of one profile
  kVgpu,     ///< vGPUs or partitions of one kind, each under its own name
  kCounter,  ///< memory, cores or monitoring of devices that another resource counts
};

struct ResourceKind {
  ResourceRole role = ResourceRole::kOther;
  std::string_view vendor;  ///< "" for kOther
};

/// Classifies the name of an extended resource, "nvidia.com/gpu.shared" included.
[[nodiscard]] ResourceKind classify_resource(std::string_view name);

}  // namespace gpusched::io
