#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gpusched/objects/policy.hpp"

/// PodDisruptionBudgets as the eviction API uses them, which kubectl drain calls.
namespace gpusched::objects {

/// A budget and how much it allows.
struct DisruptionRule {
  PodDisruptionBudget budget;
  std::string min_available, max_unavailable;  ///< spec: "2" or "50%"; "" when not given
  bool has_status = false;                     ///< status.disruptionsAllowed is there
};

/// Whether the eviction API counts the pod against the budget: same namespace, labels that match; an empty selector
/// matches every pod with labels, none matches nothing. Source: k8s.io/kubernetes v1.37,
/// pkg/registry/core/pod/storage/eviction.go.
[[nodiscard]] bool covers(const PodDisruptionBudget& budget, std::string_view namespace_name, const Labels& labels);

/// How many of the pods that it covers may be evicted now: what the status says; without one what the disruption
/// controller would write, if the owners of the pods want as many as there are. `healthy` of the `covered` pods run.
[[nodiscard]] std::int32_t disruptions_allowed(const DisruptionRule& rule, std::int32_t covered, std::int32_t healthy);

}  // namespace gpusched::objects
