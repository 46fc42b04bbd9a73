#include "whatif/mix_moves.hpp"

#include <algorithm>
#include <utility>

#include "gpusched/model/gpu_content.hpp"

namespace gpusched::whatif {

namespace {

// The search ends after so many states of the cluster, or so many table entries of their plans: some two seconds.
constexpr std::int64_t kMaxStates = 4'000;
constexpr std::int64_t kMaxWork = 150'000'000;
constexpr std::int64_t kWorkOfNode = 8;  // to look at a node is as much as some table entries
constexpr int kGreedyRounds = 16;

}  // namespace

MixMoves::MixMoves(ClusterUsage& usage, MixGpus& gpus, const Disruption& disruption, const placement::Options& options)
    : usage_(usage), gpus_(gpus), disruption_(disruption), options_(options), movable_(usage.pod_count(), false) {
  for (std::size_t i = 0; i < movable_.size(); ++i) {
    const PodId pod{i};
    const NodeId node = usage_.node_of(pod);
    movable_[i] = node.valid() && !usage_.cordoned(node) && devices_held(usage_, pod) > 0 &&
                  immovable(usage_, disruption_, pod) == Immovable::kNot;
  }
}

RepartitionAnswer MixMoves::run() {
  MixPlan now = gpus_.best(usage_);
  const std::vector<MixRow> rows = now.answer.rows;
  best_ = std::move(now.answer);
  best_cost_ = now.cost;
  exhausted_ = !best_.optimal;
  const std::vector<bool> movable = movable_;
  const ClusterUsage::Mark start = usage_.mark();
  greedy();
  usage_.revert(start);
  movable_ = movable;
  moves_.clear();
  search();
  best_.optimal = !exhausted_;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    best_.rows[i].free_now = rows[i].free_now;
  }
  std::vector<PodId> moved;
  for (const Move& move : best_moves_) {
    moved.push_back(move.pod);
  }
  best_.moves = RepartitionMoves{std::move(best_moves_), eviction_remarks(disruption_, std::move(moved))};
  return std::move(best_);
}

/// Moves what the plan wants away, all at once. A pod that finds no place stays, and there is a new plan.
void MixMoves::greedy() {
  for (int round = 0; round < kGreedyRounds && !too_long(); ++round) {
    const MixPlan plan = gpus_.best(usage_, movable_);
    if (plan.leaving.empty() || with_moves(plan.cost) >= best_cost_) {
      return;
    }
    const ClusterUsage::Mark mark = usage_.mark();
    const std::vector<Move> before = moves_;
    if (move_all(plan)) {
      note_plan();
    } else {
      for (std::size_t i = before.size(); i < moves_.size(); ++i) {
        movable_[moves_[i].pod.index()] = true;
      }
      usage_.revert(mark);
      moves_ = before;
    }
  }
}

/// False, and half done, when a pod finds no place: that one is not movable afterwards.
bool MixMoves::move_all(const MixPlan& plan) {
  std::vector<PodId> pods = plan.leaving;
  sort_for_placing(usage_, pods);
  for (const PodId pod : pods) {
    const NodeId from = usage_.node_of(pod);
    usage_.unbind(pod);
    const std::vector<Target> targets = targets_of(pod, from, plan);
    movable_[pod.index()] = false;
    if (targets.empty()) {
      return false;
    }
    bind(pod, from, targets.front().node);
  }
  return true;
}

/// Everything that more moves lead to from here.
void MixMoves::search() {
  if (too_long()) {
    exhausted_ = true;
    return;
  }
  ++states_;
  const MixPlan bound = gpus_.best(usage_, movable_);
  exhausted_ |= !bound.answer.optimal;
  if (with_moves(bound.cost) >= best_cost_) {
    return;
  }
  note_plan();
  if (bound.leaving.empty()) {
    return;
  }
  for (const PodId pod : pods_to_try(bound)) {
    try_pod(pod, bound);
    if (too_long()) {
      exhausted_ = true;
      return;
    }
  }
}

void MixMoves::try_pod(PodId pod, const MixPlan& plan) {
  const ClusterUsage::Mark mark = usage_.mark();
  const NodeId from = usage_.node_of(pod);
  usage_.unbind(pod);
  movable_[pod.index()] = false;
  for (const Target& target : targets_of(pod, from, plan)) {
    if (with_moves(plan.cost) >= best_cost_) {
      break;  // a better plan was found meanwhile
    }
    const ClusterUsage::Mark unbound = usage_.mark();
    bind(pod, from, target.node);
    if (!seen_before()) {
      search();
    }
    moves_.pop_back();
    usage_.revert(unbound);
  }
  movable_[pod.index()] = true;
  usage_.revert(mark);
}

/// What can be had after the moves so far, if it is the best.
void MixMoves::note_plan() {
  MixPlan plan = gpus_.best(usage_);
  exhausted_ |= !plan.answer.optimal;
  const MixCost cost = with_moves(plan.cost);
  if (cost < best_cost_) {
    best_cost_ = cost;
    best_ = std::move(plan.answer);
    best_moves_ = moves_;
  }
}

/// Those that the plan wants away first; the others may have to make room for them.
std::vector<PodId> MixMoves::pods_to_try(const MixPlan& plan) const {
  std::vector<PodId> pods = plan.leaving;
  sort_for_placing(usage_, pods);
  for (std::size_t i = 0; i < movable_.size(); ++i) {
    if (movable_[i] && !std::ranges::binary_search(plan.leaving, PodId{i})) {
      pods.emplace_back(i);
    }
  }
  return pods;
}

/// The other nodes that take the pod, which is bound nowhere: the ones where it takes nothing that the plan counts on
/// first, then by policy.
std::vector<MixMoves::Target> MixMoves::targets_of(PodId pod, NodeId from, const MixPlan& plan) {
  std::vector<Target> targets;
  steps_ += kWorkOfNode * std::ssize(usage_.shape().nodes);
  const placement::NodeFilter& pod_filter = filter(usage_.pod_class_id(pod));
  for (std::uint32_t rank = 0; rank < usage_.shape().nodes_by_name.size(); ++rank) {
    const NodeId node = usage_.shape().nodes_by_name[rank];
    if (node == from) {
      continue;
    }
    const placement::Verdict verdict = pod_filter.evaluate(usage_, node);
    if (verdict.reason.kind == placement::ReasonKind::kFits) {
      targets.push_back({takes_supply(node, pod_filter.choose(usage_, node), plan), verdict.key, rank, node});
    }
  }
  std::ranges::sort(targets);
  return targets;
}

/// Whether shares are on a GPU whose layout the plan changes, or are an instance of a wanted profile.
bool MixMoves::takes_supply(NodeId node, std::span<const GpuShare> shares, const MixPlan& plan) const {
  const NodeClass& node_class = usage_.node_class(node);
  return std::ranges::any_of(shares, [&](const GpuShare& share) {
    const std::uint16_t board = usage_.shape().board(node_class.gpus[share.gpu]).mig_board;
    if (share.instance != GpuShare::kNoInstance && board != kNoMigBoard &&
        gpus_.wants(board, node_class.instances[share.instance].mig_profile)) {
      return true;
    }
    return std::ranges::any_of(plan.answer.gpus,
                               [&](const RepartitionedGpu& gpu) { return gpu.node == node && gpu.gpu == share.gpu; });
  });
}

void MixMoves::bind(PodId pod, NodeId from, NodeId to) {
  const std::vector<GpuShare> shares = filter(usage_.pod_class_id(pod)).choose(usage_, to);
  usage_.bind(pod, to, shares);
  moves_.push_back({pod, from, to, shares});
}

MixCost MixMoves::with_moves(MixCost cost) const {
  cost.price.moves += std::int64_t{kMoveCost} * std::ssize(moves_);
  return cost;
}

/// The same moves in another order leave the same behind.
bool MixMoves::seen_before() {
  std::vector<std::vector<std::uint32_t>> places;
  for (const Move& move : moves_) {
    std::vector<std::uint32_t>& place = places.emplace_back();
    place = {move.pod.value, move.to.value};
    for (const GpuShare& share : move.shares) {
      place.push_back(std::uint32_t{share.gpu} << 16 | share.instance);
    }
  }
  std::ranges::sort(places);
  std::vector<std::uint32_t> key;
  for (const std::vector<std::uint32_t>& place : places) {
    key.insert(key.end(), place.begin(), place.end());
  }
  return !seen_.insert(std::move(key)).second;
}

bool MixMoves::too_long() const {
  return states_ >= kMaxStates || gpus_.work() + steps_ >= kMaxWork;
}

const placement::NodeFilter& MixMoves::filter(PodClassId pod_class) {
  const auto found = filters_.find(pod_class);
  return found != filters_.end() ? found->second
                                 : filters_.try_emplace(pod_class, usage_.shape(), pod_class, options_).first->second;
}

}  // namespace gpusched::whatif
