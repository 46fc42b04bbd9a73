#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpusched/objects/label_selector.hpp"
#include "gpusched/objects/node_selector.hpp"

/// What a pod says about its node and its neighbours. Source: k8s.io/api v0.37.2, core/v1.
namespace gpusched::objects {

struct PreferredSchedulingTerm {
  std::int32_t weight = 0;  ///< 1 to 100
  NodeSelectorTerm preference;

  bool operator==(const PreferredSchedulingTerm&) const = default;
};

struct NodeAffinity {
  std::optional<NodeSelector> required;
  std::vector<PreferredSchedulingTerm> preferred;

  bool operator==(const NodeAffinity&) const = default;
};

struct PodAffinityTerm {
  std::optional<LabelSelector> label_selector;  ///< absent: matches no pod
  std::vector<std::string> namespaces;
  std::optional<LabelSelector> namespace_selector;  ///< neither of the two: the pod's own namespace
  std::string topology_key;
  std::vector<std::string> match_label_keys, mismatch_label_keys;  ///< the API server has merged them into the selector

  bool operator==(const PodAffinityTerm&) const = default;
};

struct WeightedPodAffinityTerm {
  std::int32_t weight = 0;  ///< 1 to 100
  PodAffinityTerm term;

  bool operator==(const WeightedPodAffinityTerm&) const = default;
};

/// podAffinity or podAntiAffinity.
struct PodAffinity {
  std::vector<PodAffinityTerm> required;
  std::vector<WeightedPodAffinityTerm> preferred;

  bool operator==(const PodAffinity&) const = default;
};

struct Affinity {
  std::optional<NodeAffinity> node;
  std::optional<PodAffinity> pod, pod_anti;

  bool operator==(const Affinity&) const = default;
};

struct Toleration {
  std::string key;  ///< "": every key
  std::string op;   ///< Exists, Equal (or ""), Lt, Gt
  std::string value;
  std::string effect;  ///< "": every effect
  std::optional<std::int64_t> toleration_seconds;

  bool operator==(const Toleration&) const = default;
};

struct TopologySpreadConstraint {
  std::int32_t max_skew = 1;
  std::string topology_key;
  std::string when_unsatisfiable;               ///< DoNotSchedule, ScheduleAnyway
  std::optional<LabelSelector> label_selector;  ///< absent: counts no pod
  std::optional<std::int32_t> min_domains;      ///< none: 1
  std::string node_affinity_policy;             ///< Honor (or ""), Ignore
  std::string node_taints_policy;               ///< Ignore (or ""), Honor
  std::vector<std::string> match_label_keys;

  bool operator==(const TopologySpreadConstraint&) const = default;
};

}  // namespace gpusched::objects
