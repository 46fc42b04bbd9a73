#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What a PodSet of a Kueue Workload asks of the topology and what it got. Source: sigs.k8s.io/kueue v0.17.0,
/// apis/kueue/v1beta2 and v1beta1.
namespace gpusched::objects {

/// One layer of podsetSliceRequiredTopologyConstraints (feature gate TASMultiLayerTopology).
struct PodSetSliceConstraint {
  std::string topology;  ///< a level's node label
  std::int32_t size = 1;

  bool operator==(const PodSetSliceConstraint&) const = default;
};

/// spec.podSets[].topologyRequest. Levels are named by their node label.
struct PodSetTopologyRequest {
  std::optional<std::string> required;
  std::optional<std::string> preferred;
  std::optional<bool> unconstrained;
  std::optional<std::string> slice_topology;  ///< podSetSliceRequiredTopology
  std::optional<std::int32_t> slice_size;     ///< podSetSliceSize
  std::vector<PodSetSliceConstraint> slice_constraints;
  std::optional<std::string> pod_set_group;  ///< podSetGroupName

  bool operator==(const PodSetTopologyRequest&) const = default;
};

/// Pods of one topology domain.
struct TopologyDomain {
  std::vector<std::string> values;  ///< one per level of the assignment
  std::int32_t count = 0;

  bool operator==(const TopologyDomain&) const = default;
};

/// status.admission.podSetAssignments[].topologyAssignment, as v1beta1 writes it. v1beta2 compresses the list.
struct TopologyAssignment {
  std::vector<std::string> levels;
  std::vector<TopologyDomain> domains;

  bool operator==(const TopologyAssignment&) const = default;
};

/// The values of one level in a compressed slice: one value for all domains, or prefix + root + suffix for each.
struct TopologySliceValues {
  std::optional<std::string> universal;
  std::string prefix, suffix;
  std::vector<std::string> roots;

  bool operator==(const TopologySliceValues&) const = default;
};

/// v1beta2's compressed form of consecutive domains.
struct TopologySlice {
  std::int32_t domain_count = 0;
  std::vector<TopologySliceValues> values_per_level;
  std::optional<std::int32_t> universal_count;  ///< podCounts.universal
  std::vector<std::int32_t> counts;             ///< podCounts.individual

  bool operator==(const TopologySlice&) const = default;
};

/// The one slice that Kueue writes for these domains; none for no domains.
[[nodiscard]] std::vector<TopologySlice> compress(const TopologyAssignment& assignment);
/// The domains of slices. None when a domain_count is negative or longer than a list of its slice, and for more than
/// 100,000 domains.
[[nodiscard]] std::optional<std::vector<TopologyDomain>> expand(const std::vector<TopologySlice>& slices);

}  // namespace gpusched::objects
