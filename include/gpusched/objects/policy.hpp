#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpusched/objects/label_selector.hpp"
#include "gpusched/objects/meta.hpp"

/// Small objects that decide about pods: namespaces, priorities, disruption budgets, and the owners whose selectors
/// spread pods. Source: k8s.io/api v0.37.2.
namespace gpusched::objects {

struct Namespace {
  ObjectMeta meta;

  bool operator==(const Namespace&) const = default;
};

struct PriorityClass {
  ObjectMeta meta;
  std::int32_t value = 0;
  bool global_default = false;
  std::string preemption_policy;  ///< PreemptLowerPriority (or ""), Never

  bool operator==(const PriorityClass&) const = default;
};

struct PodDisruptionBudget {
  ObjectMeta meta;
  std::optional<LabelSelector> selector;
  std::int32_t disruptions_allowed = 0;     ///< status
  std::vector<std::string> disrupted_pods;  ///< names of status.disruptedPods

  bool operator==(const PodDisruptionBudget&) const = default;
};

struct Service {
  ObjectMeta meta;
  std::optional<Labels> selector;

  bool operator==(const Service&) const = default;
};

/// A ReplicaSet, StatefulSet or ReplicationController (whose plain map becomes match_labels).
struct PodController {
  std::string kind;
  ObjectMeta meta;
  std::optional<LabelSelector> selector;

  bool operator==(const PodController&) const = default;
};

}  // namespace gpusched::objects
