#include "kubescheduler/plugins.hpp"

#include <array>

namespace gpusched::kubescheduler {

std::span<const FilterEntry> default_filters() {
  static constexpr std::array<FilterEntry, 14> kFilters = {{
      {"NodeName", pre_filter_node_name, Reach::kNode},
      {"NodeUnschedulable", pre_filter_node_unschedulable, Reach::kNode},
      {"TaintToleration", pre_filter_taint_toleration, Reach::kNode},
      {"NodeAffinity", pre_filter_node_affinity, Reach::kNode},
      {"NodePorts", pre_filter_node_ports, Reach::kNode},
      {"NodeResourcesFit", pre_filter_node_resources_fit, Reach::kNode},
      {"VolumeRestrictions", pre_filter_volume_restrictions, Reach::kCluster},
      {"NodeVolumeLimits", pre_filter_node_volume_limits, Reach::kCluster},
      {"VolumeBinding", pre_filter_volume_binding, Reach::kCluster},
      {"VolumeZone", pre_filter_volume_zone, Reach::kCluster},
      {"PodTopologySpread", pre_filter_pod_topology_spread, Reach::kCluster},
      {"InterPodAffinity", pre_filter_inter_pod_affinity, Reach::kCluster},
      {"DynamicResources", pre_filter_dynamic_resources, Reach::kNode},
      {"NodeDeclaredFeatures", pre_filter_node_declared_features, Reach::kNode},
  }};
  return kFilters;
}

std::span<const ScoreEntry> default_scores() {
  static constexpr std::array<ScoreEntry, 9> kScores = {{
      {"TaintToleration", 3, pre_score_taint_toleration, Reach::kNode, true},
      {"NodeAffinity", 2, pre_score_node_affinity, Reach::kNode, true},
      {"NodeResourcesFit", 1, pre_score_node_resources_fit, Reach::kNode, false},
      // Its filter tells the pods with volumes; the others score 0 everywhere.
      {"VolumeBinding", 1, pre_score_volume_binding, Reach::kNode, false},
      {"PodTopologySpread", 2, pre_score_pod_topology_spread, Reach::kCluster, true},
      {"InterPodAffinity", 2, pre_score_inter_pod_affinity, Reach::kCluster, true},
      {"DynamicResources", 2, pre_score_dynamic_resources, Reach::kNode, true},
      {"NodeResourcesBalancedAllocation", 1, pre_score_balanced_allocation, Reach::kNode, false},
      {"ImageLocality", 1, pre_score_image_locality, Reach::kNode, false},
  }};
  return kScores;
}

}  // namespace gpusched::kubescheduler
