#include "whatif/move_search.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

namespace gpusched::whatif {

using placement::NodeFilter;
using placement::ReasonKind;
using placement::Verdict;

namespace {

/// SplitMix64's finalizer: spreads the bits of a number.
constexpr std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// A number for a pod in its place; their sum stands for the state of all moved pods.
std::uint64_t place_hash(const ClusterUsage& usage, PodId pod) {
  std::uint64_t hash = mixed(std::uint64_t{usage.node_of(pod).value} << 32 | pod.value);
  for (const GpuShare& share : usage.shares(pod)) {
    hash = mixed(hash + (std::uint64_t{share.gpu} << 16 | share.instance) + 1);
  }
  return hash;
}

/// What decides what else fits on a node, beside its labels.
std::vector<std::int64_t> node_state(const ClusterUsage& usage, NodeId node) {
  std::vector<std::int64_t> state{usage.node_class_id(node).value};
  for (std::size_t r = 0; r < usage.shape().resources.size(); ++r) {
    state.push_back(usage.used(node, ResourceId{r}));
  }
  state.insert(state.end(), usage.free_milli(node).begin(), usage.free_milli(node).end());
  state.insert(state.end(), usage.free_memory_mib(node).begin(), usage.free_memory_mib(node).end());
  for (const PodId holder : usage.instance_holders(node)) {
    state.push_back(holder.valid() ? 1 : 0);
  }
  return state;
}

}  // namespace

MoveSearch::MoveSearch(ClusterUsage& usage, const Disruption& disruption, std::span<const PodId> wanted,
                       const placement::Options& options, const DefragLimits& limits)
    : usage_(usage),
      disruption_(disruption),
      options_(options),
      limits_(limits),
      wanted_(wanted.begin(), wanted.end()) {
  sort_for_placing(usage_, wanted_);
  std::map<PodClassId, std::vector<PodId>> classes;
  for (const PodId pod : wanted_) {
    classes[usage_.pod_class_id(pod)].push_back(pod);
  }
  for (auto& [id, pods] : classes) {
    needs_.emplace_back(usage_, disruption_, options_, std::move(pods), limits_.moves);
  }
}

DefragAnswer MoveSearch::run() {
  const ClusterUsage::Mark start = usage_.mark();
  DefragAnswer answer;
  answer.at_least = least_moves();
  bool decided = true;
  // A plan with as few moves as the bound is mostly there and soon found; the cascade then bounds the rest.
  for (limit_ = static_cast<int>(answer.at_least); limit_ <= limits_.moves && !best_; ++limit_) {
    if (limit_ == answer.at_least + 1 && cascade()) {
      break;
    }
    extend();
    seen_.clear();
    decided = !out_of_steps_;
    if (!best_ && !decided) {
      static_cast<void>(cascade());
      break;
    }
  }
  if (best_ && !out_of_steps_ && std::ssize(best_->moves) > answer.at_least) {
    // The cascade's plan: look for one with fewer moves, and for one with as many that moves fewer GPUs.
    const int found = static_cast<int>(best_->moves.size());
    for (limit_ = static_cast<int>(answer.at_least) + 1; limit_ <= found && !out_of_steps_; ++limit_) {
      if (limit_ < found) {
        std::optional<Plan> kept = std::exchange(best_, std::nullopt);
        extend();
        if (best_) {
          break;
        }
        best_ = std::move(kept);
      } else {
        extend();
      }
      seen_.clear();
    }
    decided = !out_of_steps_;
  }
  usage_.revert(start);
  answer.steps = steps_;
  answer.outcome = best_ ? DefragOutcome::kPlan : decided ? DefragOutcome::kNoPlan : DefragOutcome::kUndecided;
  answer.optimal = best_ && decided;
  if (best_) {
    answer.moves = best_->moves;
    answer.devices = best_->devices;
  }
  return answer;
}

int MoveSearch::least_moves() const {
  int least = 0;
  for (const BlockNeeds& needs : needs_) {
    least = std::max(least, needs.least_moves());
  }
  return least;
}

std::int64_t MoveSearch::least_devices() const {
  std::int64_t least = 0;
  for (const BlockNeeds& needs : needs_) {
    least = std::max(least, needs.least_devices(left()));
  }
  return least;
}

/// One state of the search: every pod is where current_ put it.
void MoveSearch::extend() {
  if (out_of_steps_ || least_moves() > left()) {
    return;
  }
  // The first plan is mostly the best one, and then nothing of what is left here needs a look.
  const std::int64_t least = current_.devices + least_devices();
  const auto hopeless = [&] { return best_ && least >= best_->devices; };
  if (hopeless()) {
    return;
  }
  if (least_moves() == 0) {
    const ClusterUsage::Mark mark = usage_.mark();
    const bool all = place_wanted();
    usage_.revert(mark);
    if (all) {
      best_ = current_;
      return;
    }
  }
  if (left() == 0 || seen_before()) {
    return;
  }
  Targets targets;
  for (const NodeId node : nodes_to_try()) {
    if (out_of_steps_ || hopeless()) {
      return;
    }
    try_node(node, targets);
  }
}

/// Those where the fewest GPUs have to go first, so that the first plan is mostly the best one; then by name.
std::vector<NodeId> MoveSearch::nodes_to_try() const {
  const bool tight = left() <= least_moves();
  std::vector<NodeId> nodes;
  std::ranges::copy_if(usage_.shape().nodes_by_name, std::back_inserter(nodes),
                       [&](NodeId node) { return !tight || could_help(node); });
  std::ranges::stable_sort(
      nodes, {}, [&](NodeId node) { return std::pair(could_help(node) ? 0 : 1, needs_.front().deficit(node)); });
  return nodes;
}

/// Whether the state was reached before with no more moves and no more GPUs moved.
bool MoveSearch::seen_before() {
  std::vector<std::pair<int, std::int64_t>>& visits = seen_[state_];
  const std::pair now(static_cast<int>(current_.moves.size()), current_.devices);
  if (std::ranges::any_of(visits, [&](const auto& v) { return v.first <= now.first && v.second <= now.second; })) {
    return true;
  }
  visits.push_back(now);
  return false;
}

/// Whether pods leaving the node can bring a block nearer within the moves that are left.
bool MoveSearch::could_help(NodeId node) const {
  return std::ranges::any_of(needs_, [&](const BlockNeeds& needs) {
    return std::ranges::any_of(needs.row(node), [&](std::uint8_t moves) { return moves > 0 && moves <= left(); });
  });
}

std::vector<PodId> MoveSearch::movable_pods(NodeId node) const {
  std::vector<PodId> pods;
  for (PodId pod = usage_.first_pod(node); pod.valid(); pod = usage_.next_pod(pod)) {
    if (immovable(usage_, disruption_, pod) == Immovable::kNot) {
      pods.push_back(pod);
    }
  }
  std::ranges::sort(pods, {}, [&](PodId pod) { return std::pair(usage_.shape().text(usage_.pod_name(pod)), pod); });
  return pods;
}

void MoveSearch::try_node(NodeId node, Targets& targets) {
  for (const PodId pod : movable_pods(node)) {
    if (out_of_steps_) {
      return;
    }
    try_pod(pod, node, targets);
  }
}

void MoveSearch::try_pod(PodId pod, NodeId node, Targets& targets) {
  const std::int64_t devices = devices_held(usage_, pod);
  if (best_ && current_.devices + devices >= best_->devices && devices > 0) {
    return;
  }
  steps_ += std::ssize(wanted_) * std::ssize(usage_.shape().nodes) / 16;  // what the bounds take
  const PodClassId id = usage_.pod_class_id(pod);
  const auto known = targets.find(id);
  // Before the pod leaves: its own node is looked at apart.
  const std::vector<Target>& others = known != targets.end() ? known->second : targets[id] = targets_of(id);
  const ClusterUsage::Mark mark = usage_.mark();
  std::vector<BlockNeeds::NodeNeeds> before;
  const std::uint64_t state = state_;
  state_ -= place_hash(usage_, pod);
  usage_.unbind(pod);
  for (BlockNeeds& needs : needs_) {
    before.push_back(needs.update(node));
  }
  const bool worth_it = least_moves() <= left() - 1;
  if (worth_it) {
    for (const Target& target : others) {
      if (target.node != node && !out_of_steps_) {
        try_target(pod, node, target.node);
      }
    }
    if (!out_of_steps_) {
      try_target(pod, node, node);
    }
  }
  usage_.revert(mark);
  state_ = state;
  for (std::size_t i = 0; i < needs_.size(); ++i) {
    needs_[i].restore(node, std::move(before[i]));
  }
}

/// The pod is off its node `from` already.
void MoveSearch::try_target(PodId pod, NodeId from, NodeId to) {
  if (++steps_ > limits_.steps) {
    out_of_steps_ = true;
    return;
  }
  const NodeFilter& pod_filter = filter(usage_.pod_class_id(pod));
  if (pod_filter.evaluate(usage_, to).reason.kind != ReasonKind::kFits) {
    return;
  }
  const ClusterUsage::Mark mark = usage_.mark();
  const std::uint64_t state = state_;
  usage_.bind(pod, to, pod_filter.choose(usage_, to));
  state_ += place_hash(usage_, pod);
  std::vector<BlockNeeds::NodeNeeds> before;
  for (BlockNeeds& needs : needs_) {
    before.push_back(needs.update(to));
  }
  note_move(pod, from, to);
  extend();
  current_.devices -= devices_held(usage_, pod);
  current_.moves.pop_back();
  usage_.revert(mark);
  state_ = state;
  for (std::size_t i = 0; i < needs_.size(); ++i) {
    needs_[i].restore(to, std::move(before[i]));
  }
}

void MoveSearch::note_move(PodId pod, NodeId from, NodeId to) {
  const auto shares = usage_.shares(pod);
  current_.moves.push_back({pod, from, to, {shares.begin(), shares.end()}});
  current_.devices += devices_held(usage_, pod);
}

/// The nodes that take pods of the class now, the policy's choice first. Of empty nodes that are equal one stands for
/// all; so it does for nodes on which nothing differs when no move but those from a block are left.
std::vector<MoveSearch::Target> MoveSearch::targets_of(PodClassId pod_class) {
  std::vector<Target> targets;
  steps_ += std::ssize(usage_.shape().nodes);
  const NodeFilter& pod_filter = filter(pod_class);
  for (std::uint32_t rank = 0; rank < usage_.shape().nodes_by_name.size(); ++rank) {
    const NodeId node = usage_.shape().nodes_by_name[rank];
    const Verdict verdict = pod_filter.evaluate(usage_, node);
    if (verdict.reason.kind == ReasonKind::kFits) {
      targets.push_back({verdict.key, rank, node});
    }
  }
  std::ranges::sort(targets);
  const bool tight = left() <= least_moves();
  std::set<std::vector<std::int64_t>> known;
  std::erase_if(targets, [&](const Target& target) {
    const bool empty = !usage_.first_pod(target.node).valid();
    return (empty || (tight && !could_help(target.node))) && !known.insert(node_state(usage_, target.node)).second;
  });
  return targets;
}

const NodeFilter& MoveSearch::filter(PodClassId pod_class) {
  const auto found = filters_.find(pod_class);
  return found != filters_.end() ? found->second
                                 : filters_.try_emplace(pod_class, usage_.shape(), pod_class, options_).first->second;
}

NodeId MoveSearch::best_node(PodClassId pod_class, std::span<const NodeId> reserved) {
  NodeId best;
  std::uint64_t best_key = 0;
  const NodeFilter& pod_filter = filter(pod_class);
  for (const NodeId node : usage_.shape().nodes_by_name) {
    const Verdict verdict = pod_filter.evaluate(usage_, node);
    if (verdict.reason.kind == ReasonKind::kFits && (!best.valid() || verdict.key < best_key) &&
        std::ranges::find(reserved, node) == reserved.end()) {
      best = node;
      best_key = verdict.key;
    }
  }
  return best;
}

bool MoveSearch::place_wanted() {
  return std::ranges::all_of(wanted_, [&](PodId pod) {
    const PodClassId id = usage_.pod_class_id(pod);
    const NodeId node = best_node(id);
    if (node.valid()) {
      usage_.bind(pod, node, filter(id).choose(usage_, node));
    }
    return node.valid();
  });
}

}  // namespace gpusched::whatif
