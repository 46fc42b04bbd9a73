#include "gpusched/kubescheduler/rules.hpp"

#include <algorithm>
#include <array>

namespace gpusched::kubescheduler {

namespace {

constexpr SchedulerVersion kTaintTextChanged{34, 2};  // so did the deletion of terminating victims

struct Gate {
  std::string_view name;
  bool& (*of)(SchedulerRules&);
};

constexpr std::array<Gate, 11> kGates = {{
    {"DynamicResourceAllocation", [](SchedulerRules& r) -> bool& { return r.dynamic_resources; }},
    {"DRAExtendedResource", [](SchedulerRules& r) -> bool& { return r.extended_resources_by_dra; }},
    {"DRASchedulerFilterTimeout", [](SchedulerRules& r) -> bool& { return r.dra_filter_timeout; }},
    {"DRADeviceTaintRules", [](SchedulerRules& r) -> bool& { return r.device_taint_rules; }},
    {"InPlacePodVerticalScaling", [](SchedulerRules& r) -> bool& { return r.requests.use_status; }},
    {"InPlacePodLevelResourcesVerticalScaling", [](SchedulerRules& r) -> bool& { return r.requests.pod_level_status; }},
    {"PodLevelResources", [](SchedulerRules& r) -> bool& { return r.requests.pod_level; }},
    {"NodeDeclaredFeatures", [](SchedulerRules& r) -> bool& { return r.node_declared_features; }},
    {"StorageCapacityScoring", [](SchedulerRules& r) -> bool& { return r.storage_capacity_scoring; }},
    {"VolumeLimitScaling", [](SchedulerRules& r) -> bool& { return r.volume_limit_scaling; }},
    {"TaintTolerationComparisonOperators", [](SchedulerRules& r) -> bool& { return r.compare_tolerations; }},
}};

void before_1_37(SchedulerRules& rules) {
  rules.dra_post_filter_text = true;
  rules.preemption_success_text = false;
  rules.requests.maximum_of_sums = false;
  rules.storage_capacity_scoring = false;
  rules.volume_limit_scaling = false;
  rules.device_taint_rules = false;
}

void before_1_36(SchedulerRules& rules) {
  rules.balance_form = scoring::BalanceForm::kAfterPlacement;
  rules.old_owner_text = true;
  rules.node_declared_features = false;
  rules.requests.pod_level_status = false;
  rules.extended_resources_by_dra = false;
  rules.dra.partitionable_devices = false;
  rules.dra.device_taints = false;
  rules.dra.consumable_capacity = false;
  rules.dra.device_binding_and_status = false;
}

AllocatorRules allocator_rules_for(SchedulerVersion version) {
  const bool old = version.minor < 35;
  AllocatorRules rules;
  rules.device_in_selector_error = version.minor >= 37;
  rules.claim_limit_names_request = version.minor >= 37 || (version.minor == 36 && version.patch >= 5) ||
                                    (version.minor == 35 && version.patch >= 9) ||
                                    (version.minor == 34 && version.patch >= 12);
  rules.capacity_requests_fail = old;
  rules.distinct_needs_presence_only = old;
  rules.incomplete_pools_are_used = old;
  rules.invalid_pools_fail = old;
  rules.tolerations_in_results = !old;
  return rules;
}

}  // namespace

SchedulerRules rules_for(SchedulerVersion version) {
  SchedulerRules rules;
  rules.allocator = allocator_rules_for(version);
  rules.dra.fractional_capacity_range = false;  // on only with a minimum compatibility version of 1.37
  if (version.minor < 37) {
    before_1_37(rules);
  }
  if (version.minor < 36) {
    before_1_36(rules);
  }
  if (version.minor < 35) {
    rules.dra_scores = false;
    rules.taint_in_message = version < kTaintTextChanged;
    rules.terminating_victims_deleted = !(version < kTaintTextChanged);
  }
  return rules;
}

bool set_feature_gate(SchedulerRules& rules, std::string_view gate, bool enabled) {
  const auto found = std::ranges::find(kGates, gate, &Gate::name);
  if (found != kGates.end()) {
    found->of(rules) = enabled;
    return true;
  }
  return dra::set_feature(rules.dra, gate, enabled);
}

}  // namespace gpusched::kubescheduler
