#pragma once

#include <cstdint>
#include <vector>

#include "gpusched/model/ids.hpp"

namespace gpusched {

/// Who starts a pod again when it is gone.
enum class PodRunner : std::uint8_t {
  kUnknown,     ///< the input does not tell: a fixture
  kController,  ///< a ReplicaSet, a Job …
  kNobody,      ///< no controller: an eviction is the end of it
  kNode,        ///< a DaemonSet or the kubelet: it belongs to its node and stays on a drain
};

/// A PodDisruptionBudget. Source: policy/v1, and the eviction subresource of Kubernetes 1.37
/// (pkg/registry/core/pod/storage/eviction.go).
struct DisruptionBudget {
  StringId name;                         ///< "namespace/name"
  std::int32_t disruptions_allowed = 0;  ///< status.disruptionsAllowed
  std::vector<PodId> pods;               ///< bound pods that it covers, ascending
};

/// What is known of the consequences of evicting pods.
struct Disruption {
  std::vector<PodRunner> runners;         ///< by PodId; may be shorter: unknown
  std::vector<DisruptionBudget> budgets;  ///< by name

  [[nodiscard]] PodRunner runner(PodId pod) const {
    return pod.index() < runners.size() ? runners[pod.index()] : PodRunner::kUnknown;
  }
};

}  // namespace gpusched
