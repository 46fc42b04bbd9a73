#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpusched/objects/resources.hpp"

/// The part of Kueue's own Configuration that decides about admission. Source: sigs.k8s.io/kueue v0.17.0,
/// apis/config/v1beta2, and pkg/features for the gates.
namespace gpusched::objects {

enum class FairStrategy : std::uint8_t { kLessThanOrEqualToFinalShare, kLessThanInitialShare };

struct FairSharing {
  std::vector<FairStrategy> strategies;  ///< empty: both, in this order

  bool operator==(const FairSharing&) const = default;
};

struct ResourceTransformation {
  std::string input;
  bool replace = false;     ///< strategy Replace; else Retain
  std::string multiply_by;  ///< a resource of the pod; "": none
  ResourceList outputs;

  bool operator==(const ResourceTransformation&) const = default;
};

struct WaitForPodsReady {
  std::int64_t timeout_seconds = 0;
  std::optional<std::int64_t> recovery_timeout_seconds;  ///< absent: never
  bool block_admission = false;
  bool order_by_eviction = true;  ///< requeuingStrategy.timestamp Eviction; else Creation
  std::int64_t backoff_base_seconds = 60;
  std::int64_t backoff_max_seconds = 3600;
  std::optional<std::int32_t> backoff_limit_count;

  bool operator==(const WaitForPodsReady&) const = default;
};

/// Gates that change what is admitted, with the defaults of 0.17.
struct KueueFeatures {
  bool partial_admission = true;
  bool flavor_fungibility = true;
  bool priority_sorting_within_cohort = true;
  bool topology_aware_scheduling = true;
  bool tas_profile_mixed = true;
  bool tas_balanced_placement = false;
  bool tas_multi_layer_topology = false;
  bool tas_respect_preferred_node_affinity = false;  ///< newer than 0.17: TASRespectNodeAffinityPreferred
  bool ignore_undeclared = false;                    ///< newer than 0.17: quotaCheckStrategy IgnoreUndeclared
  bool fair_sharing_preempt_within_nominal = true;
  bool fair_sharing_prioritize_non_borrowing = true;
  bool scheduler_timestamp_preemption_buffer = false;
  bool reclaimable_pods = true;

  bool operator==(const KueueFeatures&) const = default;
};

struct KueueConfiguration {
  std::optional<FairSharing> fair_sharing;
  std::vector<std::string> exclude_resource_prefixes;
  std::vector<ResourceTransformation> transformations;
  std::optional<WaitForPodsReady> wait_for_pods_ready;
  KueueFeatures features;

  bool operator==(const KueueConfiguration&) const = default;
};

}  // namespace gpusched::objects
