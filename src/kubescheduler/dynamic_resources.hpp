#pragma once

#include <set>
#include <string>
#include <vector>

#include "kubescheduler/cycle.hpp"

namespace gpusched::kubescheduler {

/// What plugin DynamicResources knows of the pod's claims during a cycle. It exists once its PreFilter has run.
/// Source: kube-scheduler 1.37, plugins/dynamicresources.
class DynamicResources {
 public:
  struct PostFilter {
    std::vector<std::string> reasons;
    std::vector<std::string> deallocated;     ///< "namespace/name": one of them, at random
    std::vector<std::string> deleted_claims;  ///< a stale claim for extended resources
  };

  virtual ~DynamicResources() = default;
  /// Frees claims that are allocated where the pod cannot run; `statuses` says what each node answered.
  [[nodiscard]] virtual PostFilter post_filter() = 0;
  /// What would be written on a node that passed the filter: claims that are allocated or reserved for the pod now.
  [[nodiscard]] virtual std::vector<ClaimAllocation> allocations(NodeIndex node) = 0;
  /// What the API server says to a reservation for the pod; "" when it takes it. The scheduler does not ask before it
  /// binds the pod.
  [[nodiscard]] virtual std::string binding_error() const = 0;
  /// A search was given up.
  [[nodiscard]] virtual bool undecided() const = 0;
};

/// Why a claim of the pod keeps it out of the queue: the plugin's PreEnqueue. "" when nothing does.
[[nodiscard]] std::string claim_error(const Cycle& cycle);

}  // namespace gpusched::kubescheduler
