#include "kubescheduler/pod_terms.hpp"

#include <algorithm>

namespace gpusched::kubescheduler {

namespace {

bool in_namespaces(const PodTerm& term, const objects::Pod& pod, const objects::Labels& namespace_labels) {
  const objects::PodAffinityTerm& t = *term.term;
  if (t.namespaces.empty() && !t.namespace_selector) {
    return pod.meta.namespace_name == term.own_namespace;
  }
  return std::ranges::find(t.namespaces, pod.meta.namespace_name) != t.namespaces.end() ||
         (t.namespace_selector && matches(*t.namespace_selector, namespace_labels));
}

}  // namespace

bool selects(const PodTerm& term, const objects::Pod& pod, const objects::Labels& namespace_labels) {
  return term.term->label_selector && in_namespaces(term, pod, namespace_labels) &&
         matches(*term.term->label_selector, pod.meta.labels);
}

bool all_select(const std::vector<PodTerm>& terms, const Snapshot& snapshot, const objects::Pod& pod) {
  return !terms.empty() && std::ranges::all_of(terms, [&](const PodTerm& term) {
    return selects(term, pod, snapshot.namespace_labels(pod.meta.namespace_name));
  });
}

std::vector<PodTerm> required_terms(const objects::Pod& pod, const OptionalAffinity& affinity) {
  std::vector<PodTerm> terms;
  if (affinity) {
    for (const objects::PodAffinityTerm& term : affinity->required) {
      terms.push_back({&term, pod.meta.namespace_name, 0});
    }
  }
  return terms;
}

std::vector<PodTerm> preferred_terms(const objects::Pod& pod, const OptionalAffinity& affinity, std::int64_t sign) {
  std::vector<PodTerm> terms;
  if (affinity) {
    for (const objects::WeightedPodAffinityTerm& weighted : affinity->preferred) {
      terms.push_back({&weighted.term, pod.meta.namespace_name, sign * weighted.weight});
    }
  }
  return terms;
}

}  // namespace gpusched::kubescheduler
