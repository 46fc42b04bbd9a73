#pragma once

#include <string>
#include <vector>

#include "gpusched/objects/meta.hpp"
#include "gpusched/objects/node_selector.hpp"
#include "gpusched/objects/pod.hpp"
#include "gpusched/objects/resources.hpp"

/// Objects by which the API server changes or refuses the pods of a namespace. Source: k8s.io/api v0.37.2.
namespace gpusched::objects {

/// One entry of a LimitRange's spec.limits, with what the API server filled in when it was made.
struct LimitRangeItem {
  std::string type;  ///< Container, Pod, PersistentVolumeClaim
  ResourceList max, min, default_limits, default_requests, max_limit_request_ratio;

  bool operator==(const LimitRangeItem&) const = default;
};

struct LimitRange {
  ObjectMeta meta;
  std::vector<LimitRangeItem> limits;

  bool operator==(const LimitRange&) const = default;
};

/// node.k8s.io RuntimeClass: what its pods cost beside their containers, and where they may run.
struct RuntimeClass {
  ObjectMeta meta;
  ResourceList overhead;
  Labels node_selector;
  std::vector<Toleration> tolerations;

  bool operator==(const RuntimeClass&) const = default;
};

/// One of spec.scopes (operator Exists) or of spec.scopeSelector.matchExpressions.
struct QuotaScope {
  std::string name;  ///< Terminating, NotTerminating, BestEffort, NotBestEffort, PriorityClass, …
  std::string op;    ///< In, NotIn, Exists, DoesNotExist
  std::vector<std::string> values;

  bool operator==(const QuotaScope&) const = default;
};

struct ResourceQuota {
  ObjectMeta meta;
  std::vector<QuotaScope> scopes;
  ResourceList hard, used;  ///< status

  bool operator==(const ResourceQuota&) const = default;
};

}  // namespace gpusched::objects
