#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpusched/model/cluster_usage.hpp"
#include "gpusched/placement/options.hpp"

namespace gpusched::placement {

/// Why a node cannot take a pod: one reason per node, the first that applies in this order. What the hardware cannot
/// do comes before what is merely used up, so that a pod which never fits is not told to wait.
enum class ReasonKind : std::uint8_t {
  kFits,
  kUnschedulable,  ///< cordoned
  kTaint,
  kSelector,
  kNotTimeSliced,
  kTimeSliced,
  kModel,
  kGpuMemory,
  kInsufficientDevice,  ///< GPUs or MIG instances
  kNoIsland,
  kInsufficient,  ///< cpu, memory or another resource
  kTooManyPods,
};

struct Reason {
  ReasonKind kind = ReasonKind::kFits;
  ResourceId resource;  ///< for kInsufficientDevice and kInsufficient

  auto operator<=>(const Reason&) const = default;
};

/// The sentence of a reason, in kube-scheduler's words where it has some: "Insufficient nvidia.com/gpu".
[[nodiscard]] std::string reason_text(const ClusterShape& shape, const PodClass& pod, Reason reason);

/// A node's answer to a pod: a reason, or the key by which nodes compete (smallest wins).
struct Verdict {
  Reason reason;
  std::uint64_t key = 0;
};

/// Filters and ranks nodes for the pods of one class. What depends on the node's class only (taints, labels, model,
/// memory, sharing) is worked out once per class; `evaluate` then looks at what is left on one node and allocates
/// nothing.
class NodeFilter {
 public:
  NodeFilter(const ClusterShape& shape, PodClassId pod_class, const Options& options);

  [[nodiscard]] const PodClass& pod_class() const { return *pod_; }
  [[nodiscard]] PodClassId pod_class_id() const { return pod_class_; }
  [[nodiscard]] Verdict evaluate(const ClusterUsage& usage, NodeId node) const;
  /// The GPUs or MIG instances that the pod would get on a node that evaluates to kFits, in ascending order.
  [[nodiscard]] std::vector<GpuShare> choose(const ClusterUsage& usage, NodeId node) const;
  /// What no eviction can change: the reason that follows from the node's class alone (kFits when there is none).
  [[nodiscard]] Reason class_reason(NodeClassId node_class) const { return classes_[node_class.index()].reason; }

 private:
  struct ClassFacts {
    Reason reason;
    std::vector<std::uint16_t> gpus;  ///< indices of the GPUs that could serve the pod when free
  };
  struct Islands {  ///< candidates of one node
    int candidates = 0;
    int largest = 0;   ///< most candidates in one island
    int best_fit = 0;  ///< candidates of the smallest island that holds the pod, 0 when none does
  };

  [[nodiscard]] ClassFacts facts(const NodeClass& node_class) const;
  [[nodiscard]] bool is_candidate(std::int32_t free_milli, std::int64_t free_memory_mib) const;
  [[nodiscard]] Islands count_islands(const ClusterUsage& usage, NodeId node, const ClassFacts& facts) const;
  [[nodiscard]] Reason check_resources(const ClusterUsage& usage, NodeId node) const;
  [[nodiscard]] Reason check_mig(const ClusterUsage& usage, NodeId node) const;
  [[nodiscard]] int free_units(const ClusterUsage& usage, NodeId node) const;
  [[nodiscard]] std::uint64_t key(const ClusterUsage& usage, NodeId node, const Islands& islands) const;
  [[nodiscard]] std::vector<GpuShare> choose_instances(const ClusterUsage& usage, NodeId node) const;
  [[nodiscard]] std::vector<GpuShare> choose_as_kubelet(const ClusterUsage& usage, NodeId node) const;
  [[nodiscard]] std::vector<GpuShare> choose_islands(const ClusterUsage& usage, NodeId node) const;

  const ClusterShape* shape_;
  const PodClass* pod_;
  PodClassId pod_class_;
  Options options_;
  std::int32_t memory_mib_;                                          ///< declared per GPU
  std::vector<std::pair<ResourceId, std::int64_t>> plain_requests_;  ///< without GPUs and MIG instances
  std::vector<ClassFacts> classes_;
  bool tolerates_cordon_;
  bool affinity_names_nodes_;
};

}  // namespace gpusched::placement
