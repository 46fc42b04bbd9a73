#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "gpusched/model/ids.hpp"
#include "gpusched/model/string_table.hpp"

namespace gpusched {

/// Allocatable of a resource that the input does not speak of: it neither filters nor scores.
inline constexpr std::int64_t kNotModelled = -1;

/// Milli-units of one whole GPU, or of one time-slicing replica.
inline constexpr std::int32_t kWholeGpuMilli = 1000;

/// What a GPU is, whichever node it sits in.
struct Board {
  StringId model;                    ///< "A100-SXM4-80GB", as the input names it; invalid when unknown
  std::int32_t memory_mib = 0;       ///< 0 when unknown
  std::int32_t nvlink_mbps = 0;      ///< MB/s in one direction between two GPUs of an island; 0: no NVLink
  std::int32_t pcie_mbps = 0;        ///< MB/s in one direction between islands; 0 when unknown
  std::uint16_t mig_board = 0xffff;  ///< index into mig::boards(); kNoMigBoard when the model has no known geometry

  bool operator==(const Board&) const = default;
};
inline constexpr std::uint16_t kNoMigBoard = 0xffff;

/// A MIG GPU instance of a node's layout. Whether a pod holds it is part of ClusterUsage.
struct MigInstance {
  StringId profile;                ///< "1g.10gb"
  ResourceId resource;             ///< what the device plugin's mixed strategy counts it as: nvidia.com/mig-1g.10gb
  std::uint16_t gpu = 0;           ///< index of the GPU in the node
  std::uint8_t start = 0;          ///< first memory slice
  std::uint8_t memory_slices = 0;  ///< slices from start
  std::uint8_t compute_slices = 0;
  std::uint8_t mig_profile = 0;  ///< index into the board's profiles (mig::Board::profiles)
  std::int32_t memory_mib = 0;

  bool operator==(const MigInstance&) const = default;
};

/// Readers refuse nodes with more GPUs, so that counts per island fit on the stack.
inline constexpr std::size_t kMaxGpusPerNode = 1024;

struct Gpu {
  BoardId board;
  std::uint16_t island = 0;     ///< index of the NVLink island in the node, dense from 0
  std::int16_t numa_node = -1;  ///< -1 when unknown
  std::uint16_t replicas = 1;   ///< time-slicing replicas; 1: exclusive
  bool mig = false;             ///< in MIG mode: only its instances can be used

  bool operator==(const Gpu&) const = default;
};

using LabelSet = std::vector<std::pair<StringId, StringId>>;  ///< sorted by id, keys unique

enum class TaintEffect : std::uint8_t { kNoSchedule, kPreferNoSchedule, kNoExecute };

struct Taint {
  StringId key;
  StringId value;  ///< invalid when empty
  TaintEffect effect = TaintEffect::kNoSchedule;

  bool operator==(const Taint&) const = default;
};

/// Nodes of one class differ in nothing but their name.
struct NodeClass {
  LabelSetId labels;
  TaintSetId taints;
  std::vector<std::int64_t>
      allocatable;  ///< by ResourceId; GPUs and MIG instances as the device plugin advertises them
  std::vector<Gpu> gpus;
  std::vector<MigInstance> instances;  ///< by GPU, then in the order of the layout
  std::uint16_t islands = 0;           ///< number of NVLink islands
  bool time_sliced = false;            ///< some GPU has more than one replica
  bool unschedulable = false;          ///< cordoned from the start
  bool islands_known = true;  ///< false: how the GPUs are linked is unknown, `island` numbers stand for nothing

  bool operator==(const NodeClass&) const = default;
};

struct Node {
  StringId name;
  NodeClassId node_class;
};

enum class TolerationOperator : std::uint8_t { kEqual, kExists };

struct Toleration {
  StringId key;  ///< invalid: every key (with kExists)
  TolerationOperator op = TolerationOperator::kEqual;
  StringId value;                     ///< invalid when empty
  std::optional<TaintEffect> effect;  ///< none: every effect

  bool operator==(const Toleration&) const = default;
};

enum class SelectorOperator : std::uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt };

/// One condition of required node affinity. On a label, or on the node's name when `key` is invalid.
struct SelectorRequirement {
  StringId key;
  SelectorOperator op = SelectorOperator::kIn;
  std::vector<StringId> values;
  std::int64_t number = 0;  ///< for kGt and kLt

  bool operator==(const SelectorRequirement&) const = default;
};

/// All requirements hold; a term without any matches nothing.
using SelectorTerm = std::vector<SelectorRequirement>;

/// How many instances of one MIG profile a pod asks for.
struct MigRequest {
  StringId profile;
  ResourceId resource;
  std::int32_t count = 1;

  bool operator==(const MigRequest&) const = default;
};

/// Pods of one class differ in nothing but their name.
struct PodClass {
  std::vector<std::pair<ResourceId, std::int64_t>>
      requests;                      ///< sorted by id, positive; GPUs and MIG instances included
  std::int64_t non_zero_cpu = 0;     ///< milli-CPU for scoring: 100m where a container names none
  std::int64_t non_zero_memory = 0;  ///< bytes for scoring: 200Mi where a container names none
  ResourceId gpu_resource = kNvidiaGpu;
  std::int32_t gpus = 0;                    ///< GPUs, or time-slicing replicas, of gpu_resource
  std::int32_t gpu_milli = kWholeGpuMilli;  ///< per GPU; below 1000 it may share an exclusive GPU
  std::vector<MigRequest> mig;
  StringId model;                     ///< the GPU model asked for; invalid: any
  std::int64_t gpu_memory_bytes = 0;  ///< declared need per GPU; 0: none
  std::int64_t gradient_bytes = 0;    ///< exchanged per training step (decimal GB × 10^9); 0: unknown
  bool nvlink = false;                ///< all GPUs in one NVLink island
  bool shared = false;                ///< accepts a time-sliced replica
  bool any_sharing = false;           ///< says nothing of sharing (a Kubernetes pod): exclusive and shared GPUs serve
  bool fixed = false;                 ///< already there and not ours to evict
  bool preempts = true;               ///< false: preemptionPolicy Never
  std::int32_t priority = 0;
  std::vector<Toleration> tolerations;
  LabelSet node_selector;
  std::vector<SelectorTerm> node_affinity;  ///< required; one of the terms must match, none: no condition

  /// Declared memory per GPU in MiB, rounded up.
  [[nodiscard]] std::int32_t gpu_memory_mib() const;
  /// Whether it asks for GPUs or MIG instances at all.
  [[nodiscard]] bool wants_gpu() const { return gpus > 0 || !mig.empty(); }

  bool operator==(const PodClass&) const = default;
};

struct Pod {
  StringId name;
  PodClassId pod_class;
};

/// Everything about a cluster that does not change while pods come and go: interned by content, shared between any
/// number of usages and threads, never changed in place. Made by ShapeBuilder.
struct ClusterShape {
  StringTable strings;
  std::vector<StringId> resources;  ///< name by ResourceId; starts with the constants of ids.hpp
  std::vector<Board> boards;
  std::vector<LabelSet> label_sets;
  std::vector<std::vector<Taint>> taint_sets;
  std::vector<NodeClass> node_classes;
  std::vector<Node> nodes;               ///< input order
  std::vector<NodeId> nodes_by_name;     ///< sorted by name as bytes: every tie goes by name, never by input order
  std::vector<std::uint32_t> name_rank;  ///< position of a node in nodes_by_name
  std::vector<PodClass> pod_classes;

  [[nodiscard]] std::string_view text(StringId id) const { return strings[id]; }
  [[nodiscard]] std::string_view name(NodeId id) const { return strings[nodes[id.index()].name]; }
  [[nodiscard]] std::string_view name(ResourceId id) const { return strings[resources[id.index()]]; }
  [[nodiscard]] const Board& board(const Gpu& gpu) const { return boards[gpu.board.index()]; }
  [[nodiscard]] NodeId find_node(std::string_view name) const;  ///< invalid when there is none
  [[nodiscard]] ResourceId find_resource(std::string_view name) const;
};

using ShapePtr = std::shared_ptr<const ClusterShape>;

}  // namespace gpusched
