#include <algorithm>
#include <map>

#include "kubescheduler/plugins.hpp"
#include "kubescheduler/pod_terms.hpp"
#include "kubescheduler/profile.hpp"

namespace gpusched::kubescheduler {

namespace {

class InterPodAffinityScore final : public ScorePlugin {
 public:
  explicit InterPodAffinityScore(Cycle& cycle)
      : cycle_(cycle),
        args_(profile_of(cycle).inter_pod_affinity),
        namespace_labels_(cycle.snapshot.namespace_labels(cycle.pod.meta.namespace_name)) {
    preferred_ = preferred_terms(cycle.pod, cycle.pod.spec->affinity.pod, 1);
    std::ranges::copy(preferred_terms(cycle.pod, cycle.pod.spec->affinity.pod_anti, -1),
                      std::back_inserter(preferred_));
    const auto process_pod = [&](const PodState& pod) {
      if (pod.node.valid()) {
        process(*pod.object, *cycle.snapshot.node(pod.node).object);
      }
    };
    if (preferred_.empty() && args_.ignore_preferred_terms_of_existing_pods) {
      return;  // the real plugin passes over required terms, too
    }
    if (preferred_.empty()) {
      for (const PodIndex index : cycle.snapshot.pods_with_affinity()) {
        process_pod(cycle.snapshot.pod(index));
      }
    } else {
      std::ranges::for_each(cycle.snapshot.pods(), process_pod);
    }
  }

  [[nodiscard]] bool empty() const { return by_key_.empty(); }

  std::int64_t score(NodeIndex index) override {
    const objects::Labels& labels = cycle_.snapshot.node(index).object->meta.labels;
    std::int64_t sum = 0;
    for (const auto& [key, values] : by_key_) {
      const std::string* const value = objects::find(labels, key);
      const auto found = value == nullptr ? values.end() : values.find(*value);
      sum += found == values.end() ? 0 : found->second;
    }
    return sum;
  }

  void normalize(std::span<const NodeIndex>, std::span<std::int64_t> scores) override {
    constexpr double kMaximum = 100;
    const auto [lowest, highest] = std::ranges::minmax(scores);
    for (std::int64_t& score : scores) {
      score = lowest == highest ? 0
                                : static_cast<std::int64_t>(kMaximum * (static_cast<double>(score - lowest) /
                                                                        static_cast<double>(highest - lowest)));
    }
  }

 private:
  void add(const PodTerm& term, std::int64_t weight, const objects::Node& node) {
    if (const std::string* const value = objects::find(node.meta.labels, term.topology_key())) {
      by_key_[term.topology_key()][*value] += weight;
    }
  }

  /// The pod's preferences about the existing pod, then the existing pod's about the pod.
  void process(const objects::Pod& existing, const objects::Node& node) {
    const objects::Labels& labels = cycle_.snapshot.namespace_labels(existing.meta.namespace_name);
    for (const PodTerm& term : preferred_) {
      if (selects(term, existing, labels)) {
        add(term, term.weight, node);
      }
    }
    const auto add_selecting = [&](const std::vector<PodTerm>& terms, std::optional<std::int64_t> weight) {
      for (const PodTerm& term : terms) {
        if (selects(term, cycle_.pod, namespace_labels_)) {
          add(term, weight.value_or(term.weight), node);
        }
      }
    };
    const objects::Affinity& affinity = existing.spec->affinity;
    if (args_.hard_pod_affinity_weight > 0) {
      add_selecting(required_terms(existing, affinity.pod), args_.hard_pod_affinity_weight);
    }
    add_selecting(preferred_terms(existing, affinity.pod, 1), std::nullopt);
    add_selecting(preferred_terms(existing, affinity.pod_anti, -1), std::nullopt);
  }

  Cycle& cycle_;
  const objects::InterPodAffinityArgs& args_;
  const objects::Labels& namespace_labels_;
  std::vector<PodTerm> preferred_;
  std::map<std::string_view, std::map<std::string_view, std::int64_t>> by_key_;
};

}  // namespace

std::unique_ptr<ScorePlugin> pre_score_inter_pod_affinity(Cycle& cycle, FeasibleNodes) {
  auto score = std::make_unique<InterPodAffinityScore>(cycle);
  if (score->empty()) {
    return nullptr;
  }
  return score;
}

}  // namespace gpusched::kubescheduler
