#include "gpusched/placement/preemption.hpp"

#include <algorithm>
#include <compare>
#include <limits>
#include <span>

namespace gpusched::placement {

namespace {

// Sets of victims tried on one node before the search keeps the best one found; real nodes hold few GPU pods, and the
// bound on GPUs cuts almost everything else.
constexpr int kMaxTries = 20'000;

struct Cost {
  std::int32_t priority = std::numeric_limits<std::int32_t>::max();
  int gpus = std::numeric_limits<int>::max();
  std::size_t victims = std::numeric_limits<std::size_t>::max();

  auto operator<=>(const Cost&) const = default;
};

class NodeSearch {
 public:
  NodeSearch(ClusterUsage& usage, const NodeFilter& filter, NodeId node)
      : usage_(usage), filter_(filter), node_(node) {}

  /// The cheapest set of victims that is cheaper than `bound`; empty when there is none.
  std::vector<PodId> run(Cost& bound) {
    collect();
    const std::optional<std::int32_t> level = lowest_level();
    if (!level || *level > bound.priority) {
      return {};
    }
    std::erase_if(candidates_, [&](const Candidate& candidate) { return candidate.priority > *level; });
    best_ = bound;
    level_ = *level;
    extend(0, 0);
    if (best_set_.empty()) {
      return {};
    }
    bound = best_;
    return best_set_;
  }

 private:
  struct Candidate {
    PodId pod;
    std::int32_t priority = 0;
    int gpus = 0;
  };

  bool fits() const { return filter_.evaluate(usage_, node_).reason.kind == ReasonKind::kFits; }

  void collect() {
    const std::int32_t priority = filter_.pod_class().priority;
    for (PodId pod = usage_.first_pod(node_); pod.valid(); pod = usage_.next_pod(pod)) {
      const PodClass& pod_class = usage_.pod_class(pod);
      if (!pod_class.fixed && pod_class.priority < priority) {
        candidates_.push_back({pod, pod_class.priority, static_cast<int>(usage_.shares(pod).size())});
      }
    }
    std::ranges::sort(candidates_, {}, &Candidate::pod);
  }

  /// The lowest priority such that the node fits once everything up to it is gone. More room never hurts, so the
  /// levels can be tried upwards.
  std::optional<std::int32_t> lowest_level() {
    std::vector<Candidate> ascending = candidates_;
    std::ranges::stable_sort(ascending, {}, &Candidate::priority);
    const ClusterUsage::Mark mark = usage_.mark();
    std::optional<std::int32_t> level;
    for (std::size_t i = 0; i < ascending.size() && !level; ++i) {
      usage_.unbind(ascending[i].pod);
      const bool whole_level = i + 1 == ascending.size() || ascending[i + 1].priority != ascending[i].priority;
      if (whole_level && fits()) {
        level = ascending[i].priority;
      }
    }
    usage_.revert(mark);
    return level;
  }

  // Depth first over the candidates: take the next one or leave it. Taking comes first, so a first answer is found at
  // once and its cost cuts the rest.
  void extend(std::size_t next, int gpus) {
    if (--tries_ < 0 || cost(gpus) >= best_) {
      return;
    }
    if (!chosen_.empty() && fits()) {  // its highest priority is level_: no lower one suffices
      best_ = cost(gpus);
      best_set_ = chosen_;
      return;
    }
    for (std::size_t i = next; i < candidates_.size(); ++i) {
      if (i > next && same(candidates_[i], candidates_[i - 1])) {
        continue;  // an equal pod in the same place was tried already
      }
      const ClusterUsage::Mark mark = usage_.mark();
      usage_.unbind(candidates_[i].pod);
      chosen_.push_back(candidates_[i].pod);
      extend(i + 1, gpus + candidates_[i].gpus);
      chosen_.pop_back();
      usage_.revert(mark);
    }
  }

  bool same(const Candidate& a, const Candidate& b) const {
    return usage_.pod_class_id(a.pod) == usage_.pod_class_id(b.pod) &&
           std::ranges::equal(usage_.shares(a.pod), usage_.shares(b.pod));
  }
  Cost cost(int gpus) const { return {level_, gpus, chosen_.size()}; }

  ClusterUsage& usage_;
  const NodeFilter& filter_;
  NodeId node_;
  std::vector<Candidate> candidates_;
  std::vector<PodId> chosen_, best_set_;
  Cost best_;
  std::int32_t level_ = 0;
  int tries_ = kMaxTries;
};

}  // namespace

std::optional<Preemption> find_preemption(ClusterUsage& usage, const NodeFilter& filter) {
  if (!filter.pod_class().preempts) {
    return std::nullopt;
  }
  std::optional<Preemption> best;
  Cost bound;
  for (const NodeId node : usage.shape().nodes_by_name) {
    if (filter.class_reason(usage.node_class_id(node)).kind != ReasonKind::kFits || !usage.first_pod(node).valid()) {
      continue;
    }
    std::vector<PodId> victims = NodeSearch(usage, filter, node).run(bound);
    if (!victims.empty()) {
      best = Preemption{node, std::move(victims)};
    }
  }
  return best;
}

}  // namespace gpusched::placement
