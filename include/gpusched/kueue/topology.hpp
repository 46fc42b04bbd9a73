#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/model/ids.hpp"
#include "gpusched/model/string_table.hpp"
#include "gpusched/objects/node.hpp"
#include "gpusched/objects/pod_set_topology.hpp"

/// Kueue's topology-aware scheduling (TAS): which topology domains of one flavor take the pods of a Workload.
/// Source: sigs.k8s.io/kueue v0.17.0, pkg/cache/scheduler/tas_flavor_snapshot.go, tas_balanced_placement.go.
namespace gpusched::kueue {

/// Feature gates, with the defaults of 0.17.
struct TopologyFeatures {
  bool mixed_profile = true;        ///< TASProfileMixed: LeastFreeCapacity for unconstrained requests, else BestFit
  bool balanced_placement = false;  ///< TASBalancedPlacement
  bool multi_layer = false;         ///< TASMultiLayerTopology
  /// TASRespectNodeAffinityPreferred, since 0.18: domains are ranked by the preferred node affinity of their nodes
  /// before capacity.
  bool preferred_affinity = false;
};

/// An amount of a resource: milli-CPU for cpu, whole units (rounded up) for everything else.
struct ResourceAmount {
  StringId resource;  ///< in the simulation's table of resource names
  std::int64_t amount = 0;

  bool operator==(const ResourceAmount&) const = default;
};
/// One entry a resource. An amount of 0 counts as requested where Kueue tells absent from zero.
using ResourceRow = std::vector<ResourceAmount>;

/// A node as the topology sees it. `node` must live until the next set_nodes.
struct TopologyNode {
  const objects::Node* node = nullptr;
  ResourceRow other_pods;  ///< requests of pods that TAS does not manage, and their number as "pods"
};

/// A domain of the lowest level. The id stays the same when nodes come and go.
using DomainId = Id<struct TopologyDomainTag>;

struct DomainPods {
  DomainId domain;
  std::int32_t pods = 0;

  bool operator==(const DomainPods&) const = default;
};
/// Where the pods of one pod set go, ordered by the domains' level values. May be empty: see kueue.md on leader groups.
using DomainAssignment = std::vector<DomainPods>;

/// Pods of one domain that hold room: `per_pod` each, plus one "pods" each.
struct DomainUsage {
  DomainId domain;
  std::int32_t pods = 0;
  const ResourceRow* per_pod = nullptr;
};

/// What matters for the placement of a pod set, its count aside. Pod sets with equal needs share a class.
struct PodSetNeeds {
  std::optional<objects::PodSetTopologyRequest> request;
  bool implied = false;  ///< no request, but all flavors of the ClusterQueue have a topology
  ResourceRow per_pod;   ///< the pod spec's requests, without "pods"
  std::vector<objects::Toleration> tolerations;
  objects::Labels node_selector;
  std::optional<objects::NodeAffinity> affinity;

  bool operator==(const PodSetNeeds&) const = default;
};
using PodSetClass = Id<struct PodSetClassTag>;  ///< PodSetNeeds of one FlavorTopology

struct PodSetRequest {
  std::size_t pod_set = 0;  ///< the caller's number, repeated in the answer
  PodSetClass pod_set_class;
  std::int32_t count = 0;
};

struct PodSetPlacement {
  std::size_t pod_set = 0;
  DomainAssignment domains;
};

struct PlacementFailure {
  std::vector<std::size_t> pod_sets;  ///< in request order; of a leader and its workers Kueue names either
  std::string reason;                 ///< word for word
};

struct TopologyPlacement {
  std::vector<PodSetPlacement> placed;  ///< in the order of groups; those before the failing group when one fails
  std::optional<PlacementFailure> failure;
};

/// The topology of one flavor: nodes as leaves of a tree of domains, their free capacity and what Workloads hold.
///
/// Usage belongs to domains, not to nodes: it may be added for a domain that has no node at the moment, and counts
/// again as soon as it has. Adding and removing are inverse, which is how a preemption is tried and taken back.
class FlavorTopology {
 public:
  /// `levels`: node labels, coarse to fine, at least one. `node_labels`, `tolerations`: the flavor's.
  /// `resource_names` must outlive the topology.
  FlavorTopology(std::string topology_name, std::vector<std::string> levels, objects::Labels node_labels,
                 std::vector<objects::Toleration> tolerations, TopologyFeatures features, StringTable& resource_names);
  ~FlavorTopology();
  FlavorTopology(FlavorTopology&&) noexcept;
  FlavorTopology& operator=(FlavorTopology&&) noexcept;

  /// Replaces all nodes. Those that are not Ready, cordoned, or lack a label of the flavor or of a level are left out.
  /// O(nodes log nodes); usage and classes stay.
  void set_nodes(std::span<const TopologyNode> nodes);

  /// Whether the topology has every level that the request names (flavor eligibility).
  [[nodiscard]] bool has_level(const objects::PodSetTopologyRequest& request) const;

  /// Levels of an assignment: the hostname alone when it is the lowest level, else all.
  [[nodiscard]] std::span<const std::string> assignment_levels() const;
  /// The domain with these values of assignment_levels(); known or not to a node.
  DomainId domain(std::span<const std::string> values);
  /// Values of a domain as an assignment shows them.
  [[nodiscard]] std::span<const std::string> values(DomainId domain) const;
  [[nodiscard]] objects::TopologyAssignment to_object(const DomainAssignment& assignment) const;

  void add_usage(const DomainUsage& usage);
  void remove_usage(const DomainUsage& usage);
  /// Whether the domain has a node and room for these pods, each looked at alone and without "pods" (the last check of
  /// a scheduling cycle).
  [[nodiscard]] bool fits(const DomainUsage& usage) const;

  /// The class of pod sets with these needs; O(size of needs), to be kept by the caller.
  PodSetClass pod_set_class(const PodSetNeeds& needs);

  /// Places the pod sets of one Workload that were assigned this flavor, in this order; pod sets of one podSetGroupName
  /// together. Stops at the first group that fails. Nothing is booked.
  /// `simulate_empty`: as if no Workload held anything.
  [[nodiscard]] TopologyPlacement place(std::span<const PodSetRequest> requests, bool simulate_empty);

 private:
  class Data;
  std::unique_ptr<Data> data_;
};

/// Ready, and not cordoned: what makes a node part of any topology.
[[nodiscard]] bool is_schedulable(const objects::Node& node);
/// Whether TAS leaves the pod to others: bound to a node, still running, no topology annotation. Its requests and
/// 1 "pods" go into TopologyNode::other_pods.
[[nodiscard]] bool is_other_pod(const objects::Labels& annotations, std::string_view node_name, std::string_view phase);
/// Whether a pod set names a topology itself (isTASImplied is for those that do not).
[[nodiscard]] bool asks_topology(const std::optional<objects::PodSetTopologyRequest>& request);

}  // namespace gpusched::kueue
