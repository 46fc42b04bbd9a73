#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubescheduler/cycle.hpp"

/// Terms of pod affinity and anti-affinity. Source: kube-scheduler 1.37, framework/types.go and interpodaffinity.
namespace gpusched::kubescheduler {

/// A term of a pod, with its namespaces worked out as far as they depend on that pod alone.
struct PodTerm {
  const objects::PodAffinityTerm* term = nullptr;
  std::string_view own_namespace;  ///< of the pod that has the term
  std::int64_t weight = 0;

  [[nodiscard]] const std::string& topology_key() const { return term->topology_key; }
};

/// Whether the term selects the pod; `namespace_labels` are those of the pod's namespace.
[[nodiscard]] bool selects(const PodTerm& term, const objects::Pod& pod, const objects::Labels& namespace_labels);
/// The same for all terms; false when there are none.
[[nodiscard]] bool all_select(const std::vector<PodTerm>& terms, const Snapshot& snapshot, const objects::Pod& pod);

using OptionalAffinity = std::optional<objects::PodAffinity>;
[[nodiscard]] std::vector<PodTerm> required_terms(const objects::Pod& pod, const OptionalAffinity& affinity);
/// With `sign` times their weights.
[[nodiscard]] std::vector<PodTerm> preferred_terms(const objects::Pod& pod, const OptionalAffinity& affinity,
                                                   std::int64_t sign);

}  // namespace gpusched::kubescheduler
