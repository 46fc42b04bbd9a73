#include <array>

#include "gpusched/io/core_objects.hpp"
#include "gpusched/io/kueue_objects.hpp"
#include "io/core_fields.hpp"
#include "io/core_pod_fields.hpp"

namespace gpusched::io {

namespace {

using namespace core;

/// A string that must be one of the API's words; "" when it is absent.
template <std::size_t N>
std::string read_word(ObjectReader& reader, std::string_view key, const std::array<std::string_view, N>& words) {
  const auto index = reader.optional_one_of(key, words);
  return index ? std::string(words[*index]) : std::string();
}

constexpr std::array<std::string_view, 3> kStopPolicies = {"None", "Hold", "HoldAndDrain"};

objects::Taint read_taint(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "taint");
  reader.ignore_other_keys();
  return {read_string(reader, "key"), read_string(reader, "value"), read_string(reader, "effect")};
}

objects::FlavorQuota read_quota(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "resource quota");
  reader.ignore_other_keys();
  objects::FlavorQuota quota;
  quota.resource = reader.required_string("name");
  quota.nominal = read_quantity(reader, "nominalQuota").value_or(Quantity());
  quota.borrowing_limit = read_quantity(reader, "borrowingLimit");
  quota.lending_limit = read_quantity(reader, "lendingLimit");
  return quota;
}

objects::ResourceGroup read_group(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "resource group");
  reader.ignore_other_keys();
  objects::ResourceGroup group;
  group.covered_resources = read_strings(reader, "coveredResources");
  group.flavors = read_list(reader, "flavors", [&](const Value& item) {
    ObjectReader fields(decoder, item, "flavor");
    fields.ignore_other_keys();
    objects::FlavorQuotas flavor;
    flavor.flavor = fields.required_string("name");
    flavor.resources = read_list(fields, "resources", [&](const Value& quota) { return read_quota(decoder, quota); });
    return flavor;
  });
  return group;
}

std::vector<objects::ResourceGroup> read_groups(Decoder& decoder, ObjectReader& reader) {
  return read_list(reader, "resourceGroups", [&](const Value& item) { return read_group(decoder, item); });
}

std::optional<Quantity> read_fair_weight(Decoder& decoder, ObjectReader& reader) {
  std::optional<Quantity> weight;
  reader.object("fairSharing", [&](const Value& value) {
    ObjectReader fields(decoder, value, "fair sharing");
    fields.ignore_other_keys();
    weight = read_quantity(fields, "weight");
  });
  return weight;
}

objects::FlavorFungibility read_fungibility(Decoder& decoder, const Value& value) {
  static constexpr std::array<std::string_view, 4> kSearch = {"MayStopSearch", "TryNextFlavor", "Borrow", "Preempt"};
  static constexpr std::array<std::string_view, 2> kPreferences = {"BorrowingOverPreemption",
                                                                   "PreemptionOverBorrowing"};
  ObjectReader reader(decoder, value, "flavor fungibility");
  reader.ignore_other_keys();
  return {read_word(reader, "whenCanBorrow", kSearch), read_word(reader, "whenCanPreempt", kSearch),
          read_word(reader, "preference", kPreferences)};
}

objects::QueuePreemption read_preemption(Decoder& decoder, const Value& value) {
  static constexpr std::array<std::string_view, 4> kPolicies = {"Never", "LowerPriority", "LowerOrNewerEqualPriority",
                                                                "Any"};
  ObjectReader reader(decoder, value, "preemption");
  reader.ignore_other_keys();
  objects::QueuePreemption preemption;
  preemption.within_cluster_queue = read_word(reader, "withinClusterQueue", kPolicies);
  preemption.reclaim_within_cohort = read_word(reader, "reclaimWithinCohort", kPolicies);
  reader.object("borrowWithinCohort", [&](const Value& borrow) {
    ObjectReader fields(decoder, borrow, "borrowWithinCohort");
    fields.ignore_other_keys();
    preemption.borrow_within_cohort = read_word(fields, "policy", kPolicies);
    preemption.max_priority_threshold = read_optional_int32(fields, "maxPriorityThreshold");
  });
  return preemption;
}

std::vector<objects::AdmissionCheckRule> read_checks(Decoder& decoder, ObjectReader& reader) {
  std::vector<objects::AdmissionCheckRule> checks;
  for (std::string& name : read_strings(reader, "admissionChecks")) {  // v1beta1
    checks.push_back({std::move(name), {}});
  }
  reader.object("admissionChecksStrategy", [&](const Value& strategy) {
    ObjectReader fields(decoder, strategy, "admission checks strategy");
    fields.ignore_other_keys();
    fields.array("admissionChecks", [&](const Value& item, std::size_t) {
      ObjectReader check(decoder, item, "admission check");
      check.ignore_other_keys();
      checks.push_back({std::string(check.required_string("name")), read_strings(check, "onFlavors")});
    });
  });
  return checks;
}

}  // namespace

objects::ResourceFlavor decode_resource_flavor(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "ResourceFlavor");
  reader.ignore_other_keys();
  objects::ResourceFlavor flavor;
  flavor.meta = read_meta(decoder, reader);
  reader.object("spec", [&](const Value& spec) {
    ObjectReader fields(decoder, spec, "spec");
    fields.ignore_other_keys();
    flavor.node_labels = read_string_map(fields, "nodeLabels");
    flavor.node_taints = read_list(fields, "nodeTaints", [&](const Value& item) { return read_taint(decoder, item); });
    flavor.tolerations =
        read_list(fields, "tolerations", [&](const Value& item) { return read_toleration(decoder, item); });
    flavor.topology_name = read_optional_string(fields, "topologyName");
  });
  return flavor;
}

objects::ClusterQueue decode_cluster_queue(Decoder& decoder, const Value& value) {
  static constexpr std::array<std::string_view, 2> kStrategies = {"BestEffortFIFO", "StrictFIFO"};
  ObjectReader reader(decoder, value, "ClusterQueue");
  reader.ignore_other_keys();
  objects::ClusterQueue queue;
  queue.meta = read_meta(decoder, reader);
  reader.object("spec", [&](const Value& spec) {
    ObjectReader fields(decoder, spec, "spec");
    fields.ignore_other_keys();
    queue.resource_groups = read_groups(decoder, fields);
    queue.cohort = read_string(fields, "cohortName");
    if (const std::string old_name = read_string(fields, "cohort"); queue.cohort.empty()) {  // v1beta1
      queue.cohort = old_name;
    }
    queue.queueing_strategy = read_word(fields, "queueingStrategy", kStrategies);
    queue.namespace_selector = read_label_selector(decoder, fields, "namespaceSelector");
    fields.object("flavorFungibility",
                  [&](const Value& item) { queue.flavor_fungibility = read_fungibility(decoder, item); });
    fields.object("preemption", [&](const Value& item) { queue.preemption = read_preemption(decoder, item); });
    queue.stop_policy = read_word(fields, "stopPolicy", kStopPolicies);
    queue.fair_weight = read_fair_weight(decoder, fields);
    queue.admission_checks = read_checks(decoder, fields);
  });
  return queue;
}

objects::Cohort decode_cohort(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "Cohort");
  reader.ignore_other_keys();
  objects::Cohort cohort;
  cohort.meta = read_meta(decoder, reader);
  reader.object("spec", [&](const Value& spec) {
    ObjectReader fields(decoder, spec, "spec");
    fields.ignore_other_keys();
    cohort.parent = read_string(fields, "parentName");
    if (const std::string old_name = read_string(fields, "parent"); cohort.parent.empty()) {  // v1alpha1, v1beta1
      cohort.parent = old_name;
    }
    cohort.resource_groups = read_groups(decoder, fields);
    cohort.fair_weight = read_fair_weight(decoder, fields);
  });
  return cohort;
}

objects::LocalQueue decode_local_queue(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "LocalQueue");
  reader.ignore_other_keys();
  objects::LocalQueue queue;
  queue.meta = read_meta(decoder, reader);
  reader.object("spec", [&](const Value& spec) {
    ObjectReader fields(decoder, spec, "spec");
    fields.ignore_other_keys();
    queue.cluster_queue = read_string(fields, "clusterQueue");
    queue.stop_policy = read_word(fields, "stopPolicy", kStopPolicies);
  });
  return queue;
}

objects::Topology decode_topology(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "Topology");
  reader.ignore_other_keys();
  objects::Topology topology;
  topology.meta = read_meta(decoder, reader);
  reader.object("spec", [&](const Value& spec) {
    ObjectReader fields(decoder, spec, "spec");
    fields.ignore_other_keys();
    topology.levels = read_list(fields, "levels", [&](const Value& item) {
      ObjectReader level(decoder, item, "level");
      level.ignore_other_keys();
      return std::string(level.required_string("nodeLabel"));
    });
  });
  return topology;
}

objects::AdmissionCheck decode_admission_check(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "AdmissionCheck");
  reader.ignore_other_keys();
  objects::AdmissionCheck check;
  check.meta = read_meta(decoder, reader);
  reader.object("spec", [&](const Value& spec) {
    ObjectReader fields(decoder, spec, "spec");
    fields.ignore_other_keys();
    check.controller_name = read_string(fields, "controllerName");
  });
  reader.object("status", [&](const Value& status) {
    ObjectReader fields(decoder, status, "status");
    fields.ignore_other_keys();
    fields.array("conditions", [&](const Value& item, std::size_t) {
      ObjectReader condition(decoder, item, "condition");
      condition.ignore_other_keys();
      check.active |= read_string(condition, "type") == "Active" && read_string(condition, "status") == "True";
    });
  });
  return check;
}

objects::WorkloadPriorityClass decode_workload_priority_class(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "WorkloadPriorityClass");
  reader.ignore_other_keys();
  objects::WorkloadPriorityClass priority_class;
  priority_class.meta = read_meta(decoder, reader);
  priority_class.value = read_int32(reader, "value");
  return priority_class;
}

}  // namespace gpusched::io
