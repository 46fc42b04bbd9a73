#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpusched/objects/label_selector.hpp"
#include "gpusched/objects/meta.hpp"
#include "gpusched/objects/node.hpp"
#include "gpusched/objects/resources.hpp"

/// The quota side of Kueue's API: flavors, queues, cohorts. v1beta1 and v1beta2 fill the same structs; enumerations are
/// kept as written, with "" for absent. Source: sigs.k8s.io/kueue v0.17.0, apis/kueue.
namespace gpusched::objects {

struct ResourceFlavor {
  ObjectMeta meta;
  Labels node_labels;
  std::vector<Taint> node_taints;
  std::vector<Toleration> tolerations;
  std::optional<std::string> topology_name;

  bool operator==(const ResourceFlavor&) const = default;
};

/// The quota of one resource in one flavor.
struct FlavorQuota {
  std::string resource;
  Quantity nominal;
  std::optional<Quantity> borrowing_limit;  ///< absent: no limit
  std::optional<Quantity> lending_limit;    ///< absent: everything may be lent

  bool operator==(const FlavorQuota&) const = default;
};

struct FlavorQuotas {
  std::string flavor;
  std::vector<FlavorQuota> resources;

  bool operator==(const FlavorQuotas&) const = default;
};

/// Resources that get their flavor together; flavors are tried in this order.
struct ResourceGroup {
  std::vector<std::string> covered_resources;
  std::vector<FlavorQuotas> flavors;

  bool operator==(const ResourceGroup&) const = default;
};

struct FlavorFungibility {
  std::string when_can_borrow;   ///< MayStopSearch (or ""), TryNextFlavor; v1beta1 also Borrow
  std::string when_can_preempt;  ///< TryNextFlavor (or ""), MayStopSearch; v1beta1 also Preempt
  std::string preference;        ///< BorrowingOverPreemption (or ""), PreemptionOverBorrowing

  bool operator==(const FlavorFungibility&) const = default;
};

struct QueuePreemption {
  std::string within_cluster_queue;                    ///< Never (or ""), LowerPriority, LowerOrNewerEqualPriority
  std::string reclaim_within_cohort;                   ///< Never (or ""), LowerPriority, Any
  std::string borrow_within_cohort;                    ///< the policy: Never (or ""), LowerPriority
  std::optional<std::int32_t> max_priority_threshold;  ///< of borrowWithinCohort

  bool operator==(const QueuePreemption&) const = default;
};

/// An admission check of a queue and the flavors that it is for.
struct AdmissionCheckRule {
  std::string name;
  std::vector<std::string> on_flavors;  ///< empty: all

  bool operator==(const AdmissionCheckRule&) const = default;
};

struct ClusterQueue {
  ObjectMeta meta;
  std::vector<ResourceGroup> resource_groups;
  std::string cohort;                               ///< "": none
  std::string queueing_strategy;                    ///< BestEffortFIFO (or ""), StrictFIFO
  std::optional<LabelSelector> namespace_selector;  ///< absent: matches no namespace
  FlavorFungibility flavor_fungibility;
  QueuePreemption preemption;
  std::string stop_policy;                           ///< None (or ""), Hold, HoldAndDrain
  std::optional<Quantity> fair_weight;               ///< absent: 1
  std::vector<AdmissionCheckRule> admission_checks;  ///< also v1beta1's flat list

  bool operator==(const ClusterQueue&) const = default;
};

struct Cohort {
  ObjectMeta meta;
  std::string parent;  ///< "": a root
  std::vector<ResourceGroup> resource_groups;
  std::optional<Quantity> fair_weight;

  bool operator==(const Cohort&) const = default;
};

struct LocalQueue {
  ObjectMeta meta;
  std::string cluster_queue;
  std::string stop_policy;  ///< None (or ""), Hold, HoldAndDrain

  bool operator==(const LocalQueue&) const = default;
};

struct Topology {
  ObjectMeta meta;
  std::vector<std::string> levels;  ///< node labels, coarse to fine

  bool operator==(const Topology&) const = default;
};

struct AdmissionCheck {
  ObjectMeta meta;
  std::string controller_name;
  bool active = false;  ///< condition Active is True

  bool operator==(const AdmissionCheck&) const = default;
};

/// kueue.x-k8s.io WorkloadPriorityClass.
struct WorkloadPriorityClass {
  ObjectMeta meta;
  std::int32_t value = 0;

  bool operator==(const WorkloadPriorityClass&) const = default;
};

}  // namespace gpusched::objects
