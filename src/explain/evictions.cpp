#include "explain/evictions.hpp"

#include <algorithm>
#include <tuple>

#include "gpusched/whatif/cluster_edit.hpp"

namespace gpusched::explain {

namespace {

/// Nodes looked at: those that lack least.
constexpr std::size_t kMaxNodes = 32;
constexpr std::size_t kMaxPods = 64;  // of one eviction

/// What the pod lacks on one node.
class Deficit {
 public:
  Deficit(const Question& question, NodeIndex index) {
    const NodeState& node = question.snapshot.node(index);
    for (const Wanted& wanted : question.survey.wanted) {
      if (const std::int64_t missing = wanted.amount - free_of(node, wanted.index); missing > 0) {
        missing_.emplace_back(wanted.index, missing);
      }
    }
    pods_ = std::max<std::int64_t>(static_cast<std::int64_t>(node.usage.pods.size()) + 1 - node.allowed_pods, 0);
  }

  [[nodiscard]] bool met() const {
    return pods_ <= 0 && std::ranges::all_of(missing_, [](const auto& entry) { return entry.second <= 0; });
  }
  /// Thousandths of each shortage that the pod's leaving would meet, added up.
  [[nodiscard]] std::int64_t relief(const kubescheduler::PodState& pod) const {
    std::int64_t sum = pods_ > 0 ? 1000 / pods_ : 0;
    for (const auto& [resource, missing] : missing_) {
      if (missing > 0) {
        const double part =
            static_cast<double>(std::min(amount_of(pod, resource), missing)) / static_cast<double>(missing);
        sum += static_cast<std::int64_t>(part * 1000);
      }
    }
    return sum;
  }
  /// What the pod holds of what is short: of equal helpers the smallest goes.
  [[nodiscard]] std::int64_t held(const kubescheduler::PodState& pod) const {
    return missing_.empty() ? 0 : amount_of(pod, missing_.front().first);
  }
  void change(const kubescheduler::PodState& pod, std::int64_t sign) {
    pods_ -= sign;
    for (auto& [resource, missing] : missing_) {
      missing -= sign * amount_of(pod, resource);
    }
  }

 private:
  std::vector<std::pair<ResourceIndex, std::int64_t>> missing_;
  std::int64_t pods_ = 0;
};

std::vector<PodIndex> movable_pods(const Question& question, NodeIndex node) {
  const std::string own_job = job_of(question.pod);
  std::vector<PodIndex> pods;
  for (const PodIndex index : question.snapshot.node(node).usage.pods) {
    const objects::Pod& pod = *question.snapshot.pod(index).object;
    if (!own_job.empty() && job_of(pod) == own_job) {
      continue;  // the job would gain nothing
    }
    if (!whatif::stays_on_drain(pod) && pod.priority() <= question.pod.priority() &&
        pod.meta.namespace_name != "kube-system") {
      pods.push_back(index);
    }
  }
  return pods;
}

/// Takes the pod that helps most until nothing is missing, then gives back what was not needed. Empty: not enough.
std::vector<PodIndex> make_room(const Question& question, NodeIndex node) {
  Deficit deficit(question, node);
  std::vector<PodIndex> candidates = movable_pods(question, node);
  std::vector<PodIndex> chosen;
  while (!deficit.met() && !candidates.empty() && chosen.size() < kMaxPods) {
    const auto rank = [&](PodIndex index) {
      const kubescheduler::PodState& pod = question.snapshot.pod(index);
      return std::tuple(-deficit.relief(pod), pod.object->priority(), deficit.held(pod), index);
    };
    const auto best = std::ranges::min_element(candidates, {}, rank);
    if (deficit.relief(question.snapshot.pod(*best)) == 0) {
      return {};
    }
    deficit.change(question.snapshot.pod(*best), 1);
    chosen.push_back(*best);
    candidates.erase(best);
  }
  if (!deficit.met()) {
    return {};
  }
  for (std::size_t i = chosen.size(); i-- > 0;) {
    const kubescheduler::PodState& pod = question.snapshot.pod(chosen[i]);
    deficit.change(pod, -1);
    if (deficit.met()) {
      chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      deficit.change(pod, 1);
    }
  }
  return chosen;
}

}  // namespace

std::int64_t amount_of(const kubescheduler::PodState& pod, ResourceIndex resource) {
  const auto found = std::ranges::find(pod.requests, resource, &kubescheduler::ResourceAmount::resource);
  return found == pod.requests.end() ? 0 : found->amount;
}

std::vector<Eviction> smallest_evictions(const Question& question, std::size_t count) {
  const auto& wanted = question.survey.wanted;
  std::vector<std::pair<std::int64_t, NodeIndex>> nodes;  // the freest first
  for (const NodeGroup& group : question.survey.groups) {
    const bool only_pods = std::ranges::all_of(group.obstacles, [](const Obstacle& obstacle) {
      return obstacle.step == Step::kBusy || obstacle.step == Step::kTooManyPods;
    });
    if (!only_pods || group.obstacles.empty()) {
      continue;
    }
    for (const NodeIndex node : group.nodes) {
      nodes.emplace_back(wanted.empty() ? 0 : -free_of(question.snapshot.node(node), wanted.front().index), node);
    }
  }
  const std::size_t looked_at = std::min(nodes.size(), kMaxNodes);
  std::ranges::partial_sort(nodes, nodes.begin() + static_cast<std::ptrdiff_t>(looked_at));
  nodes.resize(looked_at);
  std::vector<Eviction> evictions;
  for (const auto& [free, node] : nodes) {
    if (std::vector<PodIndex> pods = make_room(question, node); !pods.empty()) {
      evictions.push_back({node, std::move(pods)});
    }
  }
  const auto cost = [&](const Eviction& eviction) {
    std::int32_t priority = question.snapshot.pod(eviction.pods.front()).object->priority();
    std::int64_t held = 0;  // of what the pod wants most of
    for (const PodIndex index : eviction.pods) {
      const kubescheduler::PodState& pod = question.snapshot.pod(index);
      priority = std::max(priority, pod.object->priority());
      held += wanted.empty() ? 0 : amount_of(pod, wanted.front().index);
    }
    return std::tuple(eviction.pods.size(), priority, held);
  };
  std::ranges::stable_sort(evictions, {}, cost);
  evictions.resize(std::min(evictions.size(), count));
  return evictions;
}

}  // namespace gpusched::explain
