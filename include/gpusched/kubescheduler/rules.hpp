#pragma once

#include <cstdint>
#include <string_view>

#include "gpusched/dra/features.hpp"
#include "gpusched/objects/pod_requests.hpp"
#include "gpusched/scoring/balanced_allocation.hpp"

namespace gpusched::kubescheduler {

/// A release of Kubernetes 1.x. Known are 1.34 to 1.37; others are taken for the nearest of these.
struct SchedulerVersion {
  std::int32_t minor = 37;
  std::int32_t patch = kNewestPatch;

  static constexpr std::int32_t kNewestPatch = 9999;

  auto operator<=>(const SchedulerVersion&) const = default;
};

/// What older device allocators do differently. The defaults are those of 1.37.
struct AllocatorRules {
  bool device_in_selector_error = true;       ///< since 1.37: the CEL runtime error names the device and gives a hint
  bool claim_limit_names_request = true;      ///< 1.34.12, 1.35.9, 1.36.5 and later
  bool capacity_requests_fail = false;        ///< 1.34 without DRAConsumableCapacity
  bool distinct_needs_presence_only = false;  ///< 1.34: distinctAttribute compares addresses, not values
  bool incomplete_pools_are_used = false;     ///< 1.34: for ExactCount requests
  bool invalid_pools_fail = false;            ///< 1.34: a duplicate device name ends the attempt
  bool tolerations_in_results = true;         ///< since 1.35
};

/// Where releases and feature gates differ. The defaults are those of 1.37.
/// Source: the schedulers of 1.34.0, 1.34.12, 1.35.8, 1.36.5 and 1.37.2, run on the same cases.
struct SchedulerRules {
  bool taint_in_message = false;             ///< 1.34.0 and 1.34.1: untolerated taints are told apart
  bool dra_post_filter_text = false;         ///< up to 1.36: "no new claims to deallocate", "still not schedulable"
  bool preemption_success_text = true;       ///< since 1.37
  bool terminating_victims_deleted = false;  ///< 1.34.2 and later 1.34
  bool old_owner_text = false;               ///< up to 1.35: "was not created for pod"
  bool dra_scores = true;                    ///< since 1.35
  bool storage_capacity_scoring = true;      ///< StorageCapacityScoring, since 1.37
  bool volume_limit_scaling = true;          ///< VolumeLimitScaling, since 1.37
  bool node_declared_features = true;        ///< NodeDeclaredFeatures, since 1.36
  bool dynamic_resources = true;             ///< DynamicResourceAllocation
  bool extended_resources_by_dra = true;     ///< DRAExtendedResource, since 1.36
  bool device_taint_rules = true;            ///< DRADeviceTaintRules, since 1.37
  bool dra_filter_timeout = true;            ///< DRASchedulerFilterTimeout
  bool compare_tolerations = false;          ///< TaintTolerationComparisonOperators
  scoring::BalanceForm balance_form = scoring::BalanceForm::kImprovement;
  objects::PodRequestRules requests;
  dra::Features dra;
  AllocatorRules allocator;
};

[[nodiscard]] SchedulerRules rules_for(SchedulerVersion version);

/// Switches a feature gate by its name; whether it is one that this model knows.
bool set_feature_gate(SchedulerRules& rules, std::string_view gate, bool enabled);

}  // namespace gpusched::kubescheduler
