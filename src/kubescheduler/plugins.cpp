#include "kubescheduler/plugins.hpp"

#include <array>

namespace gpusched::kubescheduler {

std::span<const FilterEntry> default_filters() {
  static constexpr std::array<FilterEntry, 14> kFilters = {{
      {"NodeName", pre_filter_node_name},
      {"NodeUnschedulable", pre_filter_node_unschedulable},
      {"TaintToleration", pre_filter_taint_toleration},
      {"NodeAffinity", pre_filter_node_affinity},
      {"NodePorts", pre_filter_node_ports},
      {"NodeResourcesFit", pre_filter_node_resources_fit},
      {"VolumeRestrictions", pre_filter_volume_restrictions},
      {"NodeVolumeLimits", pre_filter_node_volume_limits},
      {"VolumeBinding", pre_filter_volume_binding},
      {"VolumeZone", pre_filter_volume_zone},
      {"PodTopologySpread", pre_filter_pod_topology_spread},
      {"InterPodAffinity", pre_filter_inter_pod_affinity},
      {"DynamicResources", pre_filter_dynamic_resources},
      {"NodeDeclaredFeatures", pre_filter_node_declared_features},
  }};
  return kFilters;
}

std::span<const ScoreEntry> default_scores() {
  static constexpr std::array<ScoreEntry, 9> kScores = {{
      {"TaintToleration", 3, pre_score_taint_toleration},
      {"NodeAffinity", 2, pre_score_node_affinity},
      {"NodeResourcesFit", 1, pre_score_node_resources_fit},
      {"VolumeBinding", 1, pre_score_volume_binding},
      {"PodTopologySpread", 2, pre_score_pod_topology_spread},
      {"InterPodAffinity", 2, pre_score_inter_pod_affinity},
      {"DynamicResources", 2, pre_score_dynamic_resources},
      {"NodeResourcesBalancedAllocation", 1, pre_score_balanced_allocation},
      {"ImageLocality", 1, pre_score_image_locality},
  }};
  return kScores;
}

}  // namespace gpusched::kubescheduler
