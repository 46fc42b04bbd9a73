#include "gpusched/whatif/drain.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "gpusched/model/node_rules.hpp"

namespace gpusched::whatif {

namespace {

constexpr std::string_view kControlPlaneTaint = "node-role.kubernetes.io/control-plane";

class DrainSearch {
 public:
  DrainSearch(ClusterUsage& usage, const Disruption& disruption, const placement::Options& options)
      : usage_(usage),
        disruption_(disruption),
        placer_(usage, options),
        control_plane_(usage.shape().strings.find(kControlPlaneTaint)),
        gone_(usage.shape().nodes.size(), false) {}

  DrainAnswer run() {
    DrainAnswer answer;
    for (const NodeId node : usage_.shape().nodes_by_name) {
      answer.nodes.push_back(inspect(node));
    }
    std::ranges::stable_sort(answer.nodes, {}, [](const NodeDrain& drain) {
      return std::pair(drain.devices, drain.moves.size());  // `moves` holds a place for every pod until it is tried
    });
    for (NodeDrain& drain : answer.nodes) {
      const ClusterUsage::Mark mark = usage_.mark();
      static_cast<void>(empty(drain));
      usage_.revert(mark);
      gone_[drain.node.index()] = false;
    }
    choose_together(answer);
    return answer;
  }

 private:
  /// What can be said before anything is moved; `moves` lists the pods that have to leave.
  NodeDrain inspect(NodeId node) const {
    NodeDrain drain;
    drain.node = node;
    std::vector<PodId> leaving;
    for (PodId pod = usage_.first_pod(node); pod.valid(); pod = usage_.next_pod(pod)) {
      const Immovable kind = immovable(usage_, disruption_, pod);
      if (kind == Immovable::kNode) {
        ++drain.staying;
        continue;
      }
      drain.devices += devices_held(usage_, pod);
      leaving.push_back(pod);
      const Hindrance hindrance = kind == Immovable::kUnnamed ? Hindrance::kUnnamed
                                  : kind == Immovable::kClaim ? Hindrance::kClaim
                                                              : Hindrance::kNone;
      if (hindrance != Hindrance::kNone && (drain.hindrance == Hindrance::kNone || pod < drain.pod)) {
        drain.hindrance = hindrance;
        drain.pod = pod;
      }
    }
    const auto& taints = usage_.shape().taint_sets[usage_.node_class(node).taints.index()];
    if (control_plane_.valid() && std::ranges::find(taints, control_plane_, &Taint::key) != taints.end()) {
      drain.hindrance = Hindrance::kControlPlane;
      drain.pod = {};
    }
    drain.remarks = eviction_remarks(disruption_, leaving);
    sort_for_placing(usage_, leaving);
    for (const PodId pod : leaving) {
      drain.moves.push_back({pod, node, {}, {}});
    }
    return drain;
  }

  /// Takes the node away and places its pods on the others. False, and half done, when one finds no place.
  bool empty(NodeDrain& drain) {
    std::vector<Move> moves = std::exchange(drain.moves, {});
    if (drain.hindrance != Hindrance::kNone) {
      return false;
    }
    usage_.set_cordoned(drain.node, true);
    gone_[drain.node.index()] = true;
    for (const Move& move : moves) {
      usage_.unbind(move.pod);
    }
    for (Move& move : moves) {
      move.to = place(move.pod);
      if (!move.to.valid()) {
        drain.hindrance = Hindrance::kNoPlace;
        drain.pod = move.pod;
        drain.reasons = reasons(usage_.pod_class_id(move.pod));
        return false;
      }
      const auto shares = usage_.shares(move.pod);
      move.shares.assign(shares.begin(), shares.end());
      drain.moves.push_back(std::move(move));
    }
    return true;
  }

  /// A pod that tolerates cordons must not go back to a node that is gone, so its node is looked for apart.
  NodeId place(PodId pod) {
    const PodClassId id = usage_.pod_class_id(pod);
    if (!tolerates_cordon(usage_.shape(), usage_.pod_class(pod))) {
      return placer_.place(pod);
    }
    const placement::NodeFilter& filter = placer_.filter(id);
    NodeId best;
    std::uint64_t best_key = 0;
    for (const NodeId node : usage_.shape().nodes_by_name) {
      const placement::Verdict verdict = filter.evaluate(usage_, node);
      if (verdict.reason.kind == placement::ReasonKind::kFits && !gone_[node.index()] &&
          (!best.valid() || verdict.key < best_key)) {
        best = node;
        best_key = verdict.key;
      }
    }
    if (best.valid()) {
      placer_.place_on(pod, best);
    }
    return best;
  }

  placement::ReasonGroups reasons(PodClassId id) {
    const placement::ReasonGroups known = placer_.reasons(id);
    placement::ReasonGroup gone{{placement::ReasonKind::kUnschedulable, {}}, 0, {}};
    for (const NodeId node : usage_.shape().nodes_by_name) {
      if (gone_[node.index()] &&
          placer_.filter(id).evaluate(usage_, node).reason.kind == placement::ReasonKind::kFits) {
        ++gone.count;
        gone.examples.push_back(node);
      }
    }
    if (gone.count == 0) {
      return known;
    }
    std::vector<placement::ReasonGroup> groups(*known);
    gone.examples.resize(std::min<std::size_t>(gone.examples.size(), 3));
    groups.insert(groups.begin(), std::move(gone));
    return std::make_shared<const std::vector<placement::ReasonGroup>>(std::move(groups));
  }

  /// Pods that came from a node which left before are on the node now, so the pods are asked for anew.
  void choose_together(DrainAnswer& answer) {
    struct Journey {
      NodeId from;
      std::size_t last_move = 0;
    };
    const ClusterUsage::Mark start = usage_.mark();
    std::map<PodId, Journey> journeys;
    std::size_t moves = 0;
    for (const NodeDrain& alone : answer.nodes) {
      if (alone.hindrance != Hindrance::kNone) {
        continue;
      }
      const ClusterUsage::Mark mark = usage_.mark();
      NodeDrain drain = inspect(alone.node);
      if (!empty(drain)) {
        usage_.revert(mark);
        gone_[drain.node.index()] = false;
        continue;
      }
      answer.together.push_back(alone.node);
      for (const Move& move : drain.moves) {
        journeys.try_emplace(move.pod, move.from, 0).first->second.last_move = ++moves;
      }
    }
    std::vector<PodId> moved;
    for (const auto& [pod, journey] : journeys) {
      const auto shares = usage_.shares(pod);
      moved.push_back(pod);
      answer.moves.push_back({pod, journey.from, usage_.node_of(pod), {shares.begin(), shares.end()}});
    }
    std::ranges::sort(answer.moves, {}, [&](const Move& move) { return journeys.at(move.pod).last_move; });
    answer.remarks = eviction_remarks(disruption_, std::move(moved));
    usage_.revert(start);
    gone_.assign(gone_.size(), false);
  }

  ClusterUsage& usage_;
  const Disruption& disruption_;
  placement::Placer placer_;
  StringId control_plane_;
  std::vector<bool> gone_;  ///< by node
};

}  // namespace

std::size_t DrainAnswer::drainable() const {
  return static_cast<std::size_t>(
      std::ranges::count(nodes, Hindrance::kNone, [](const NodeDrain& drain) { return drain.hindrance; }));
}

DrainAnswer find_drainable(ClusterUsage& usage, const Disruption& disruption, const placement::Options& options) {
  return DrainSearch(usage, disruption, options).run();
}

}  // namespace gpusched::whatif
