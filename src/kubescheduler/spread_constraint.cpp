#include "kubescheduler/spread_constraint.hpp"

#include <algorithm>
#include <map>

#include "kubescheduler/node_selection.hpp"
#include "kubescheduler/profile.hpp"

namespace gpusched::kubescheduler {

namespace {

/// Labels that all services of the pod select, merged.
std::map<std::string, std::string> service_labels(const Cycle& cycle) {
  std::map<std::string, std::string> merged;
  for (const objects::Service& service : cycle.snapshot.objects().services) {
    if (service.meta.namespace_name != cycle.pod.meta.namespace_name || !service.selector) {
      continue;
    }
    if (objects::matches(objects::LabelSelector{*service.selector, {}}, cycle.pod.meta.labels)) {
      for (const auto& [key, value] : *service.selector) {
        merged[key] = value;
      }
    }
  }
  return merged;
}

const objects::PodController* find_controller(const Cycle& cycle) {
  const objects::OwnerReference* const owner = objects::controller_of(cycle.pod.meta);
  if (owner == nullptr) {
    return nullptr;
  }
  const std::string_view version = owner->kind == "ReplicationController" ? "v1" : "apps/v1";
  const bool known =
      owner->kind == "ReplicationController" || owner->kind == "ReplicaSet" || owner->kind == "StatefulSet";
  if (!known || owner->api_version != version) {
    return nullptr;
  }
  for (const objects::PodController& controller : cycle.snapshot.objects().controllers) {
    if (controller.kind == owner->kind && controller.meta.name == owner->name &&
        controller.meta.namespace_name == cycle.pod.meta.namespace_name) {
      return &controller;
    }
  }
  return nullptr;
}

/// Source: kube-scheduler 1.37, plugins/helper/spread.go.
objects::LabelSelector default_selector(const Cycle& cycle) {
  std::map<std::string, std::string> labels = service_labels(cycle);
  objects::LabelSelector selector;
  const objects::PodController* const controller = find_controller(cycle);
  if (controller != nullptr && controller->selector) {
    if (controller->kind == "ReplicationController") {
      for (const auto& [key, value] : controller->selector->match_labels) {
        labels[key] = value;
      }
    } else {
      selector = *controller->selector;
    }
  }
  selector.match_labels.insert(selector.match_labels.end(), labels.begin(), labels.end());
  return selector;
}

/// Source: kube-scheduler 1.37, podtopologyspread/plugin.go.
const std::vector<objects::TopologySpreadConstraint>& system_defaults() {
  static const std::vector<objects::TopologySpreadConstraint> kDefaults = [] {
    constexpr std::int32_t kHostSkew = 3;
    constexpr std::int32_t kZoneSkew = 5;
    objects::TopologySpreadConstraint hosts;
    hosts.max_skew = kHostSkew;
    hosts.topology_key = "kubernetes.io/hostname";
    hosts.when_unsatisfiable = "ScheduleAnyway";
    objects::TopologySpreadConstraint zones = hosts;
    zones.max_skew = kZoneSkew;
    zones.topology_key = "topology.kubernetes.io/zone";
    return std::vector{hosts, zones};
  }();
  return kDefaults;
}

std::vector<SpreadConstraint> with_action(const std::vector<objects::TopologySpreadConstraint>& given_constraints,
                                          const objects::Labels& pod_labels, std::string_view action) {
  std::vector<SpreadConstraint> constraints;
  for (const objects::TopologySpreadConstraint& given : given_constraints) {
    if (given.when_unsatisfiable != action) {
      continue;
    }
    SpreadConstraint constraint;
    constraint.max_skew = given.max_skew;
    constraint.topology_key = given.topology_key;
    constraint.selector = given.label_selector;
    for (const std::string& key : given.match_label_keys) {
      const std::string* const value = objects::find(pod_labels, key);
      if (value != nullptr && constraint.selector) {
        constraint.selector->match_labels.emplace_back(key, *value);
      }
    }
    constraint.min_domains = given.min_domains.value_or(1);
    constraint.honor_affinity = given.node_affinity_policy.empty() || given.node_affinity_policy == "Honor";
    constraint.honor_taints = given.node_taints_policy == "Honor";
    constraints.push_back(std::move(constraint));
  }
  return constraints;
}

}  // namespace

std::vector<SpreadConstraint> spread_constraints(const Cycle& cycle, std::string_view action) {
  const std::vector<objects::TopologySpreadConstraint>& own = cycle.pod.spec->topology_spread_constraints;
  if (!own.empty()) {
    return with_action(own, cycle.pod.meta.labels, action);
  }
  const auto& listed = profile_of(cycle).pod_topology_spread.default_constraints;
  std::vector<SpreadConstraint> constraints =
      with_action(listed ? *listed : system_defaults(), cycle.pod.meta.labels, action);
  if (constraints.empty()) {
    return constraints;
  }
  const objects::LabelSelector selector = default_selector(cycle);
  if (selector.empty()) {
    return {};
  }
  for (SpreadConstraint& constraint : constraints) {
    constraint.selector = selector;
  }
  return constraints;
}

bool has_system_defaults(const Cycle& cycle) {
  return cycle.pod.spec->topology_spread_constraints.empty() &&
         !profile_of(cycle).pod_topology_spread.default_constraints;
}

bool has_all_keys(const objects::Node& node, const std::vector<SpreadConstraint>& constraints) {
  return std::ranges::all_of(constraints, [&](const SpreadConstraint& constraint) {
    return objects::find(node.meta.labels, constraint.topology_key) != nullptr;
  });
}

bool includes(const SpreadConstraint& constraint, const Cycle& cycle, const objects::Node& node,
              bool matches_affinity) {
  if (constraint.honor_affinity && !matches_affinity) {
    return false;
  }
  return !constraint.honor_taints || find_untolerated(node, cycle.pod, cycle.rules.compare_tolerations) == nullptr;
}

std::int64_t count_selected(const SpreadConstraint& constraint, const Cycle& cycle, NodeIndex node) {
  if (!constraint.selector || constraint.selector->empty()) {
    return 0;
  }
  return std::ranges::count_if(cycle.snapshot.node(node).usage.pods, [&](PodIndex index) {
    const objects::Pod& pod = *cycle.snapshot.pod(index).object;
    return !pod.meta.deletion_timestamp && pod.meta.namespace_name == cycle.pod.meta.namespace_name &&
           constraint.selects(pod);
  });
}

}  // namespace gpusched::kubescheduler
