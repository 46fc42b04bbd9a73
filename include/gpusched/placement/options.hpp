#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "gpusched/model/ids.hpp"
#include "gpusched/model/kubelet.hpp"
#include "gpusched/scoring/node_resources_fit.hpp"

namespace gpusched::placement {

/// What the scheduler can see of a GPU.
enum class View : std::uint8_t {
  kGpu,       ///< model, memory, islands, sharing, MIG: what DRA makes possible
  kExtended,  ///< the integers of node.status.allocatable, as kube-scheduler sees them
};

/// Which feasible node wins. Ties go to the first name.
enum class Policy : std::uint8_t {
  kBinpack,   ///< the fewest GPUs left afterwards (MostAllocated)
  kSpread,    ///< the most GPUs left afterwards (LeastAllocated)
  kTopology,  ///< no island spanned, then the island with the fewest GPUs left, then as kBinpack
  kFirstFit,  ///< the first by name
};

/// The names of the policies, by Policy.
inline constexpr std::array<std::string_view, 4> kPolicyNames = {"binpack", "spread", "topology", "first-fit"};
/// The names of the views, by View.
inline constexpr std::array<std::string_view, 2> kViewNames = {"gpu", "extended"};

/// In which order the pods of one run are placed.
enum class Order : std::uint8_t {
  kGiven,
  kPriority,      ///< highest priority first
  kLargestFirst,  ///< most GPUs first
};

/// Which of a node's free devices a container gets, in the view kExtended.
enum class KubeletPick : std::uint8_t {
  kLowest,     ///< the lowest indices, replicas of one GPU after each other: stands for any choice
  kPreferred,  ///< what NVIDIA's device plugin prefers: well connected GPUs, replicas of different GPUs
};
inline constexpr std::array<std::string_view, 2> kKubeletPickNames = {"lowest", "preferred"};
inline constexpr std::array<std::string_view, 4> kTopologyPolicyNames = {"none", "best-effort", "restricted",
                                                                         "single-numa-node"};

/// How the kubelets of a cluster give devices to pods.
struct KubeletRules {
  KubeletPick pick = KubeletPick::kLowest;
  std::optional<TopologyPolicy> policy;  ///< of every node; none: each node's own
  std::vector<KubeletFacts> nodes;       ///< by NodeId; may be shorter

  [[nodiscard]] KubeletFacts of(NodeId node) const;
  /// Of an unknown node: kNone.
  [[nodiscard]] TopologyPolicy policy_of(NodeId node) const;
};

struct Options {
  View view = View::kGpu;
  Policy policy = Policy::kBinpack;
  /// Replaces the policy's key by NodeResourcesFit's score (highest wins); the policy still chooses inside a node.
  std::optional<scoring::ScoringStrategy> scoring;
  Order order = Order::kGiven;
  bool requeue_evicted = false;                 ///< place evicted pods again after the rest
  std::shared_ptr<const KubeletRules> kubelet;  ///< none: kLowest, and nothing is known of the nodes
};

}  // namespace gpusched::placement
