#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubescheduler/cycle.hpp"

/// Topology spread constraints ready for counting. Source: kube-scheduler 1.37, podtopologyspread/common.go.
namespace gpusched::kubescheduler {

struct SpreadConstraint {
  std::int32_t max_skew = 1;
  std::string topology_key;
  std::optional<objects::LabelSelector> selector;  ///< with matchLabelKeys; none: matches no pod
  std::int32_t min_domains = 1;
  bool honor_affinity = true;
  bool honor_taints = false;

  [[nodiscard]] bool selects(const objects::Pod& pod) const { return selector && matches(*selector, pod.meta.labels); }
};

/// The constraints with that whenUnsatisfiable: the pod's own if it has any, else the profile's defaults, with the
/// selector of the pod's services and controller. No defaults when nothing selects the pod.
[[nodiscard]] std::vector<SpreadConstraint> spread_constraints(const Cycle& cycle, std::string_view action);

/// Whether the system's own defaults apply: under them a node may lack topology keys.
[[nodiscard]] bool has_system_defaults(const Cycle& cycle);

[[nodiscard]] bool has_all_keys(const objects::Node& node, const std::vector<SpreadConstraint>& constraints);
/// The constraint's inclusion policies; `matches_affinity` says whether the node matches the pod's required affinity.
[[nodiscard]] bool includes(const SpreadConstraint& constraint, const Cycle& cycle, const objects::Node& node,
                            bool matches_affinity);
/// Pods on the node that count: of the pod's namespace, not being deleted, selected by a selector that is not empty.
[[nodiscard]] std::int64_t count_selected(const SpreadConstraint& constraint, const Cycle& cycle, NodeIndex node);

}  // namespace gpusched::kubescheduler
