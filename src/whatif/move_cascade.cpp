#include <algorithm>
#include <tuple>
#include <utility>

#include "whatif/move_search.hpp"

// A plan found greedily: open a block for one pod after another, and where a pod that has to leave finds no place, open
// a block for it first.
namespace gpusched::whatif {

namespace {

constexpr int kMaxDepth = 2;           // blocks opened for pods that make room for pods that make room
constexpr std::size_t kMaxNodes = 32;  // that are tried for a block

}  // namespace

/// Makes a plan best_ when it has few enough moves.
bool MoveSearch::cascade() {
  const ClusterUsage::Mark start = usage_.mark();
  Plan kept = std::exchange(current_, {});
  std::vector<NodeId> reserved;
  const bool found = std::ranges::all_of(wanted_, [&](PodId pod) { return open_block(pod, kMaxDepth, reserved); });
  usage_.revert(start);
  Plan plan = std::exchange(current_, std::move(kept));
  if (!found || std::ssize(plan.moves) > limits_.moves) {
    return false;
  }
  // The wanted pods were bound on the way and kept others off; by the plan they come last.
  for (const Move& move : plan.moves) {
    usage_.unbind(move.pod);
    usage_.bind(move.pod, move.to, move.shares);
  }
  const bool works = place_wanted();
  usage_.revert(start);
  if (works) {
    best_ = std::move(plan);
  }
  return works;
}

/// Binds the pod, after moves that make room for it. Nothing has changed when it returns false.
bool MoveSearch::open_block(PodId wanted, int depth, std::vector<NodeId>& reserved) {
  const PodClassId id = usage_.pod_class_id(wanted);
  if (const NodeId node = best_node(id, reserved); node.valid()) {
    usage_.bind(wanted, node, filter(id).choose(usage_, node));
    return true;
  }
  const int room = limits_.moves - static_cast<int>(current_.moves.size());
  if (depth == 0 || room <= 0) {
    return false;
  }
  BlockNeeds needs(usage_, disruption_, options_, {wanted}, room);
  struct Block {
    std::uint8_t moves;
    std::uint32_t rank;
    NodeId node;
    auto operator<=>(const Block&) const = default;
  };
  std::vector<Block> blocks;
  for (const NodeId node : usage_.shape().nodes_by_name) {
    const std::uint8_t moves = needs.row(node).front();
    if (moves != BlockNeeds::kNever && std::ranges::find(reserved, node) == reserved.end()) {
      blocks.push_back({moves, usage_.shape().name_rank[node.index()], node});
    }
  }
  std::ranges::sort(blocks);
  for (std::size_t i = 0; i < std::min(blocks.size(), kMaxNodes); ++i) {
    const ClusterUsage::Mark mark = usage_.mark();
    const Plan before = current_;
    const NodeId node = blocks[i].node;
    std::vector<PodId> leaving = needs.smallest_set(node);
    sort_for_placing(usage_, leaving);
    reserved.push_back(node);
    const bool emptied = std::ranges::all_of(leaving, [&](PodId pod) { return move_away(pod, depth - 1, reserved); }) &&
                         filter(id).evaluate(usage_, node).reason.kind == placement::ReasonKind::kFits;
    reserved.pop_back();
    if (emptied) {
      usage_.bind(wanted, node, filter(id).choose(usage_, node));
      return true;
    }
    usage_.revert(mark);
    current_ = before;
  }
  return false;
}

/// Moves a pod to a node that is not reserved, after moves that make room for it there.
bool MoveSearch::move_away(PodId pod, int depth, std::vector<NodeId>& reserved) {
  const PodClassId id = usage_.pod_class_id(pod);
  // A stand-in takes the place while the pod is still where it is.
  const PodId stand_in = usage_.add_pod(id, usage_.pod_name(pod));
  if (!open_block(stand_in, depth, reserved)) {
    return false;
  }
  const NodeId from = usage_.node_of(pod);
  const NodeId to = usage_.node_of(stand_in);
  const std::vector<GpuShare> shares(usage_.shares(stand_in).begin(), usage_.shares(stand_in).end());
  usage_.unbind(stand_in);
  usage_.unbind(pod);
  usage_.bind(pod, to, shares);
  note_move(pod, from, to);
  return true;
}

}  // namespace gpusched::whatif
