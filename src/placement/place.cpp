#include "gpusched/placement/place.hpp"

#include <algorithm>
#include <functional>
#include <range/v3/algorithm/stable_sort.hpp>
#include <unordered_map>

#include "gpusched/placement/preemption.hpp"

namespace gpusched::placement {

namespace {

class Run {
 public:
  Run(ClusterUsage& usage, const Options& options) : usage_(usage), placer_(usage, options) {
    for (std::size_t i = 0; i < usage.pod_count(); ++i) {
      if (const PodId pod{i}; usage.node_of(pod).valid() && !usage.pod_class(pod).fixed) {
        note_bound(pod);
      }
    }
  }

  void place(PodId pod, bool requeued) {
    PodOutcome outcome;
    outcome.pod = pod;
    outcome.requeued = requeued;
    outcome.node = placer_.place(pod);
    if (!outcome.node.valid() && may_preempt(pod)) {
      preempt(outcome);
    }
    if (outcome.node.valid()) {
      describe(outcome);
    } else {
      outcome.reasons = placer_.reasons(usage_.pod_class_id(pod));
    }
    note_bound(pod);
    last_outcome_[pod.value] = result_.pods.size();
    result_.pods.push_back(std::move(outcome));
  }

  /// Places the evicted pods again, those that are evicted on the way included. Ends because a pod is only evicted by
  /// one of a higher priority.
  void requeue() {
    for (std::size_t i = 0; i < evicted_.size(); ++i) {
      place(evicted_[i], true);
    }
  }

  PlacementResult take() { return std::move(result_); }

 private:
  // Searching victims looks at every node, so it is worth knowing that nobody has a lower priority.
  bool may_preempt(PodId pod) const {
    const PodClass& pod_class = usage_.pod_class(pod);
    return pod_class.preempts && lowest_priority_ && *lowest_priority_ < pod_class.priority;
  }

  void note_bound(PodId pod) {
    const std::int32_t priority = usage_.pod_class(pod).priority;
    lowest_priority_ = std::min(lowest_priority_.value_or(priority), priority);
  }

  void preempt(PodOutcome& outcome) {
    const std::optional<Preemption> found = find_preemption(usage_, placer_.filter(usage_.pod_class_id(outcome.pod)));
    if (!found) {
      return;
    }
    for (const PodId victim : found->victims) {
      usage_.unbind(victim);
      evicted_.push_back(victim);
      if (const auto last = last_outcome_.find(victim.value); last != last_outcome_.end()) {
        result_.pods[last->second].evicted_by = outcome.pod;
      }
    }
    placer_.place_on(outcome.pod, found->node);
    outcome.node = found->node;
    outcome.victims = found->victims;
  }

  void describe(PodOutcome& outcome) const {
    const std::span<const GpuShare> shares = usage_.shares(outcome.pod);
    outcome.shares.assign(shares.begin(), shares.end());
    outcome.consequences = consequences(usage_, outcome.pod, placer_.options());
    outcome.all_reduce = topology::all_reduce_bound(usage_.shape(), usage_.node_class(outcome.node), shares,
                                                    usage_.pod_class(outcome.pod).gradient_bytes);
  }

  ClusterUsage& usage_;
  Placer placer_;
  PlacementResult result_;
  std::vector<PodId> evicted_;
  std::unordered_map<std::uint32_t, std::size_t> last_outcome_;  // pod to its newest entry
  std::optional<std::int32_t> lowest_priority_;                  // of the pods that can be victims
};

/// Whether every node that could ever take the class runs out of something that it uses.
bool bounded(const ClusterShape& shape, const PodClass& pod) {
  return std::ranges::all_of(shape.node_classes, [&](const NodeClass& node_class) {
    return node_class.allocatable[kPods.index()] != kNotModelled ||
           std::ranges::any_of(pod.requests, [&](const auto& request) {
             return node_class.allocatable[request.first.index()] != kNotModelled;
           });
  });
}

/// Tried pods that have a node at the end, or have none. A pod that was evicted and placed again has two entries.
std::size_t count_tried(std::span<const PodOutcome> outcomes, bool with_node) {
  std::unordered_map<std::uint32_t, bool> placed;
  for (const PodOutcome& outcome : outcomes) {
    placed[outcome.pod.value] = outcome.node.valid() && !outcome.evicted_by.valid();
  }
  return static_cast<std::size_t>(
      std::ranges::count_if(placed, [&](const auto& pod) { return pod.second == with_node; }));
}

}  // namespace

std::size_t PlacementResult::unplaced() const {
  return count_tried(pods, false);
}

std::size_t PlacementResult::placed() const {
  return count_tried(pods, true);
}

std::vector<PodId> placement_order(const ClusterUsage& usage, std::span<const PodId> pods, Order order) {
  std::vector<PodId> ordered(pods.begin(), pods.end());
  if (order == Order::kPriority) {
    ranges::stable_sort(ordered, std::greater{}, [&](PodId pod) { return usage.pod_class(pod).priority; });
  } else if (order == Order::kLargestFirst) {
    ranges::stable_sort(ordered, std::greater{}, [&](PodId pod) {
      const PodClass& pod_class = usage.pod_class(pod);
      return std::pair(pod_class.gpus, pod_class.mig.empty() ? 0 : pod_class.mig.front().count);
    });
  }
  return ordered;
}

PlacementResult place_pods(ClusterUsage& usage, std::span<const PodId> pods, const Options& options) {
  Run run(usage, options);
  for (const PodId pod : placement_order(usage, pods, options.order)) {
    run.place(pod, false);
  }
  if (options.requeue_evicted) {
    run.requeue();
  }
  return run.take();
}

Result<FillResult> fill(ClusterUsage& usage, PodClassId pod_class, const Options& options, std::size_t limit) {
  const PodClass& pod = usage.shape().pod_classes[pod_class.index()];
  if (!bounded(usage.shape(), pod)) {
    return fail("fill-unbounded", "any number of these pods fits: they ask for nothing that the nodes run out of",
                "give the pod GPUs, or give it requests and the nodes allocatable");
  }
  const ClusterUsage::Mark mark = usage.mark();
  FillResult result;
  std::vector<std::size_t> counts(usage.shape().nodes.size());
  {
    Placer placer(usage, options);
    while (result.count < limit) {
      const NodeId node = placer.place(usage.add_pod(pod_class));
      if (!node.valid()) {
        break;
      }
      ++counts[node.index()];
      ++result.count;
    }
    result.at_least = result.count == limit;
    result.reasons = placer.reasons(pod_class);
  }
  usage.revert(mark);
  for (const NodeId node : usage.shape().nodes_by_name) {
    if (counts[node.index()] > 0) {
      result.per_node.emplace_back(node, counts[node.index()]);
    }
  }
  return result;
}

}  // namespace gpusched::placement
