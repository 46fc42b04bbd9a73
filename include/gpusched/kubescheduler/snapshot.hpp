#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gpusched/base/strong_id.hpp"
#include "gpusched/objects/cluster_objects.hpp"
#include "gpusched/objects/pod_requests.hpp"

namespace gpusched::kubescheduler {

using objects::ClusterObjects;

using NodeIndex = Id<struct NodeIndexTag>;          ///< into Snapshot::nodes()
using PodIndex = Id<struct PodIndexTag>;            ///< into Snapshot::pods()
using ResourceIndex = Id<struct ResourceIndexTag>;  ///< into Snapshot::resources()

inline constexpr ResourceIndex kCpu{std::size_t{0}};     ///< milli-CPU; all others in whole units
inline constexpr ResourceIndex kMemory{std::size_t{1}};  ///< bytes
inline constexpr ResourceIndex kEphemeralStorage{std::size_t{2}};

struct ResourceAmount {
  ResourceIndex resource;
  std::int64_t amount = 0;
};

struct HostPort {
  std::string ip;        ///< "0.0.0.0": all addresses
  std::string protocol;  ///< TCP, UDP, SCTP
  std::int32_t port = 0;

  bool operator==(const HostPort&) const = default;
};

/// A pod that is not finished, with what the scheduler computes of it once.
struct PodState {
  const objects::Pod* object = nullptr;
  NodeIndex node;  ///< none for a pending pod
  std::vector<ResourceAmount> requests;
  std::int64_t non_zero_milli_cpu = 0, non_zero_memory = 0;
  std::vector<HostPort> ports;
};

/// What the pods of a node use.
struct NodeUsage {
  std::vector<std::int64_t> requested;  ///< by ResourceIndex; resources named later than the snapshot have none
  std::int64_t non_zero_milli_cpu = 0, non_zero_memory = 0;
  std::vector<PodIndex> pods;

  [[nodiscard]] std::int64_t of(ResourceIndex resource) const {
    return resource.index() < requested.size() ? requested[resource.index()] : 0;
  }
  void add(PodIndex index, const PodState& pod);
  void remove(PodIndex index, const PodState& pod);
};

struct NodeState {
  const objects::Node* object = nullptr;
  std::int64_t allowed_pods = 0;
  std::vector<std::int64_t> allocatable;  ///< by ResourceIndex
  std::vector<bool> offers_resource;      ///< the node names the resource, be it with 0
  NodeUsage usage;

  [[nodiscard]] const std::string& name() const { return object->meta.name; }
  [[nodiscard]] std::int64_t allocatable_of(ResourceIndex resource) const {
    return resource.index() < allocatable.size() ? allocatable[resource.index()] : 0;
  }
  [[nodiscard]] bool offers(ResourceIndex resource) const {
    return resource.index() < offers_resource.size() && offers_resource[resource.index()];
  }
};

/// An image in the cluster.
struct ImageState {
  std::int64_t size_bytes = 0;   ///< as the first node that has it says
  std::vector<NodeIndex> nodes;  ///< that have it, ascending
};

/// A cluster as one scheduling cycle sees it. Copies share the objects; a copy may be edited while others are read.
///
/// Pods that are finished do not exist for the scheduler; a pod that is bound to a node that is not there is ignored.
/// Source: kube-scheduler 1.37, pkg/scheduler/backend/cache.
class Snapshot {
 public:
  explicit Snapshot(ClusterObjects objects, const objects::PodRequestRules& rules = {});

  [[nodiscard]] const ClusterObjects& objects() const { return *objects_; }
  [[nodiscard]] std::span<const NodeState> nodes() const { return nodes_; }
  [[nodiscard]] std::span<const PodState> pods() const { return pods_; }
  [[nodiscard]] const NodeState& node(NodeIndex index) const { return nodes_[index.index()]; }
  [[nodiscard]] const PodState& pod(PodIndex index) const { return pods_[index.index()]; }
  [[nodiscard]] NodeIndex find_node(std::string_view name) const;
  [[nodiscard]] std::span<const std::string> resources() const { return resources_; }
  [[nodiscard]] ResourceIndex find_resource(std::string_view name) const;
  [[nodiscard]] const objects::PodRequestRules& request_rules() const { return rules_; }

  [[nodiscard]] const std::vector<objects::ResourceClaim>& resource_claims() const {
    return own_claims_ ? *own_claims_ : objects_->resource_claims;
  }
  /// Labels of the namespace; none when the object is not there.
  [[nodiscard]] const objects::Labels& namespace_labels(std::string_view name) const;
  /// By its name exactly as nodes report it, or nullptr.
  [[nodiscard]] const ImageState* find_image(const std::string& name) const;
  [[nodiscard]] const objects::PersistentVolumeClaim* find_volume_claim(std::string_view namespace_name,
                                                                        std::string_view name) const;
  [[nodiscard]] const objects::PersistentVolume* find_volume(std::string_view name) const;
  [[nodiscard]] const objects::StorageClass* find_storage_class(std::string_view name) const;
  [[nodiscard]] const objects::CsiNode* find_csi_node(std::string_view name) const;
  [[nodiscard]] const objects::ResourceClaim* find_resource_claim(std::string_view namespace_name,
                                                                  std::string_view name) const;

  /// Bound pods with required anti-affinity, and with any affinity between pods.
  [[nodiscard]] std::span<const PodIndex> pods_with_anti_affinity() const { return anti_affinity_pods_; }
  [[nodiscard]] std::span<const PodIndex> pods_with_affinity() const { return affinity_pods_; }
  /// No pod that has a node has a lower priority.
  [[nodiscard]] std::int32_t lowest_priority() const { return lowest_priority_; }
  /// Pending pods with a nominated node that exists.
  [[nodiscard]] std::span<const PodIndex> nominated_pods() const { return nominated_pods_; }

  /// Puts a pending pod on a node, or takes a bound one away.
  void bind(PodIndex pod, NodeIndex node);
  void unbind(PodIndex pod);

  // What-if: nodes that the objects do not have. The images of such nodes are not counted, they matter for scores only.
  /// Gives the node another object, which keeps the name; its pods stay.
  void replace_node(NodeIndex node, std::shared_ptr<const objects::Node> object);
  /// An empty node behind all others. A second node of a name is not found by it.
  NodeIndex append_node(std::shared_ptr<const objects::Node> object);
  /// Takes the last node away; it must be empty.
  void remove_last_node();
  /// The ResourceClaims in place of those of the objects, in the same order.
  void replace_claims(std::shared_ptr<const std::vector<objects::ResourceClaim>> claims);

  /// What the scheduler computes of a pod, for one that need not be part of the snapshot.
  [[nodiscard]] PodState make_pod_state(const objects::Pod& pod) const;

 private:
  using Lookup = std::unordered_map<std::string, std::size_t>;

  [[nodiscard]] PodState to_state(const objects::Pod& pod, const objects::PodDemand& demand) const;
  ResourceIndex intern_resource(const std::string& name);
  std::vector<ResourceAmount> to_amounts(const objects::ResourceAmounts& amounts);
  void add_node(const objects::Node& node);
  [[nodiscard]] NodeState make_node_state(const objects::Node& object);
  void add_pod(const objects::Pod& pod);
  void index_objects();

  std::shared_ptr<const ClusterObjects> objects_;
  std::vector<std::shared_ptr<const objects::Node>> own_nodes_;  // what nodes_ refers to beside objects_
  std::shared_ptr<const std::vector<objects::ResourceClaim>> own_claims_;
  objects::PodRequestRules rules_;
  std::vector<NodeState> nodes_;
  std::vector<PodState> pods_;
  std::vector<std::string> resources_;
  std::vector<PodIndex> anti_affinity_pods_, affinity_pods_, nominated_pods_;
  std::int32_t lowest_priority_ = std::numeric_limits<std::int32_t>::max();
  std::unordered_map<std::string, ImageState> images_;
  Lookup node_lookup_, resource_lookup_, namespace_lookup_, volume_claim_lookup_, volume_lookup_;
  Lookup storage_class_lookup_, csi_node_lookup_, resource_claim_lookup_;
};

}  // namespace gpusched::kubescheduler
