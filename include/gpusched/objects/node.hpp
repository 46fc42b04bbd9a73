#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/objects/affinity.hpp"
#include "gpusched/objects/meta.hpp"
#include "gpusched/objects/resources.hpp"

/// Node of core/v1, as far as scheduling reads it. Source: k8s.io/api v0.37.2.
namespace gpusched::objects {

struct Taint {
  std::string key, value;
  std::string effect;  ///< NoSchedule, PreferNoSchedule, NoExecute

  bool operator==(const Taint&) const = default;
};

/// Effect empty or equal; key empty or equal; Exists ignores the value, Equal (or "") compares it. Lt and Gt compare
/// whole numbers when `compare_numbers` is on (feature gate TaintTolerationComparisonOperators, off up to 1.37), else
/// they tolerate nothing. Source: k8s.io/component-helpers v0.37.2, scheduling/corev1.
[[nodiscard]] bool tolerates(const Toleration& toleration, const Taint& taint, bool compare_numbers = false);

struct ContainerImage {
  std::vector<std::string> names;
  std::int64_t size_bytes = 0;

  bool operator==(const ContainerImage&) const = default;
};

struct NodeCondition {
  std::string type, status, reason;

  bool operator==(const NodeCondition&) const = default;
};

struct NodeSpec {
  bool unschedulable = false;  ///< cordoned
  std::vector<Taint> taints;
  std::string provider_id;

  bool operator==(const NodeSpec&) const = default;
};

struct NodeStatus {
  ResourceList capacity, allocatable;
  std::vector<NodeCondition> conditions;
  std::vector<ContainerImage> images;
  std::vector<std::string> declared_features;
  std::string kubelet_version;  ///< nodeInfo.kubeletVersion: "v1.37.2"

  bool operator==(const NodeStatus&) const = default;
};

struct Node {
  ObjectMeta meta;
  NodeSpec spec;
  NodeStatus status;

  bool operator==(const Node&) const = default;
};

}  // namespace gpusched::objects
