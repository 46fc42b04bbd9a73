#include <algorithm>
#include <map>

#include "kubescheduler/plugins.hpp"
#include "kubescheduler/pod_terms.hpp"

namespace gpusched::kubescheduler {

namespace {

using Domain = std::pair<std::string_view, std::string_view>;  // topology key and value
using Counts = std::map<Domain, std::int64_t>;

void count(Counts& counts, const objects::Node& node, const std::string& key, std::int64_t change) {
  if (const std::string* const value = objects::find(node.meta.labels, key)) {
    const auto entry = counts.try_emplace({key, *value}, 0).first;
    entry->second += change;
    if (entry->second == 0) {
      counts.erase(entry);
    }
  }
}

/// Matching pods per topology domain, over the whole cluster.
struct AffinityCounts {
  Counts affinity;       ///< pods that all terms of the pod's affinity select
  Counts anti_affinity;  ///< pods that a term of its anti-affinity selects, per term
  Counts existing;       ///< required anti-affinity terms of other pods that select the pod
};

class InterPodAffinity final : public FilterPlugin {
 public:
  explicit InterPodAffinity(Cycle& cycle)
      : cycle_(cycle),
        affinity_(required_terms(cycle.pod, cycle.pod.spec->affinity.pod)),
        anti_affinity_(required_terms(cycle.pod, cycle.pod.spec->affinity.pod_anti)),
        namespace_labels_(cycle.snapshot.namespace_labels(cycle.pod.meta.namespace_name)),
        no_affinity_(cycle.reasons.unresolvable("node(s) didn't match pod affinity rules")),
        anti_affinity_hit_(cycle.reasons.unschedulable("node(s) didn't match pod anti-affinity rules")),
        existing_hit_(cycle.reasons.unschedulable("node(s) didn't satisfy existing pods anti-affinity rules")) {
    count_existing_pods();
  }

  [[nodiscard]] bool skips() const { return affinity_.empty() && anti_affinity_.empty() && counts_.existing.empty(); }

  Status filter(const NodeView& view) override {
    if (view.changes.empty()) {
      return filter(view, counts_);
    }
    AffinityCounts changed = counts_;
    for (const PodChange& change : view.changes) {
      count_existing_terms(changed, *change.pod->object, view.object(), change.count);
      count_matches(changed, *change.pod->object, view.object(), change.count);
    }
    return filter(view, changed);
  }

 private:
  void count_existing_pods() {
    for (const PodIndex index : cycle_.snapshot.pods_with_anti_affinity()) {
      const PodState& pod = cycle_.snapshot.pod(index);
      count_existing_terms(counts_, *pod.object, *cycle_.snapshot.node(pod.node).object, 1);
    }
    if (affinity_.empty() && anti_affinity_.empty()) {
      return;
    }
    for (const PodState& pod : cycle_.snapshot.pods()) {
      if (pod.node.valid()) {
        count_matches(counts_, *pod.object, *cycle_.snapshot.node(pod.node).object, 1);
      }
    }
  }

  void count_existing_terms(AffinityCounts& counts, const objects::Pod& pod, const objects::Node& node,
                            std::int64_t change) const {
    for (const PodTerm& term : required_terms(pod, pod.spec->affinity.pod_anti)) {
      if (selects(term, cycle_.pod, namespace_labels_)) {
        count(counts.existing, node, term.topology_key(), change);
      }
    }
  }

  void count_matches(AffinityCounts& counts, const objects::Pod& pod, const objects::Node& node,
                     std::int64_t change) const {
    if (all_select(affinity_, cycle_.snapshot, pod)) {
      for (const PodTerm& term : affinity_) {
        count(counts.affinity, node, term.topology_key(), change);
      }
    }
    for (const PodTerm& term : anti_affinity_) {
      if (selects(term, pod, cycle_.snapshot.namespace_labels(pod.meta.namespace_name))) {
        count(counts.anti_affinity, node, term.topology_key(), change);
      }
    }
  }

  Status filter(const NodeView& view, const AffinityCounts& counts) const {
    const objects::Node& node = view.object();
    if (!affinity_satisfied(node, counts)) {
      return no_affinity_;
    }
    for (const PodTerm& term : anti_affinity_) {
      if (in_counted_domain(counts.anti_affinity, node, term.topology_key())) {
        return anti_affinity_hit_;
      }
    }
    for (const auto& [domain, matching] : counts.existing) {
      const std::string* const value = objects::find(node.meta.labels, domain.first);
      if (matching > 0 && value != nullptr && *value == domain.second) {
        return existing_hit_;
      }
    }
    return {};
  }

  static bool in_counted_domain(const Counts& counts, const objects::Node& node, const std::string& key) {
    const std::string* const value = objects::find(node.meta.labels, key);
    const auto found = value == nullptr ? counts.end() : counts.find({key, *value});
    return found != counts.end() && found->second > 0;
  }

  /// The first pod of a group may come when nothing matches anywhere and it matches its own terms.
  [[nodiscard]] bool affinity_satisfied(const objects::Node& node, const AffinityCounts& counts) const {
    bool pods_exist = true;
    for (const PodTerm& term : affinity_) {
      if (objects::find(node.meta.labels, term.topology_key()) == nullptr) {
        return false;
      }
      pods_exist = pods_exist && in_counted_domain(counts.affinity, node, term.topology_key());
    }
    return pods_exist || (counts.affinity.empty() && all_select(affinity_, cycle_.snapshot, cycle_.pod));
  }

  Cycle& cycle_;
  std::vector<PodTerm> affinity_, anti_affinity_;
  const objects::Labels& namespace_labels_;
  AffinityCounts counts_;
  Status no_affinity_, anti_affinity_hit_, existing_hit_;
};

}  // namespace

PreFiltered pre_filter_inter_pod_affinity(Cycle& cycle) {
  for (const auto* const affinity : {&cycle.pod.spec->affinity.pod, &cycle.pod.spec->affinity.pod_anti}) {
    for (const PodTerm& term : required_terms(cycle.pod, *affinity)) {
      const std::string error = term.term->label_selector ? selector_error(*term.term->label_selector) : "";
      if (!error.empty()) {
        return {cycle.reasons.unresolvable("parsing pod: " + error), nullptr, false, {}};
      }
    }
  }
  auto filter = std::make_unique<InterPodAffinity>(cycle);
  if (filter->skips()) {
    return {};
  }
  return {{}, std::move(filter), false, {}};
}

}  // namespace gpusched::kubescheduler
