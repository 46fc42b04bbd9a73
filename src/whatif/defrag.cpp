#include "gpusched/whatif/defrag.hpp"

#include "whatif/move_search.hpp"

namespace gpusched::whatif {

DefragAnswer find_moves(ClusterUsage& usage, const Disruption& disruption, std::span<const PodId> wanted,
                        const placement::Options& options, const DefragLimits& limits, std::span<const int> sizes) {
  MoveSearch search(usage, disruption, wanted, options, limits);
  DefragAnswer answer = search.run();
  const ClusterUsage::Mark start = usage.mark();
  answer.before = frag::fragmentation(usage, sizes).exclusive;
  std::vector<PodId> moved;
  for (const Move& move : answer.moves) {
    usage.unbind(move.pod);
    usage.bind(move.pod, move.to, move.shares);
    moved.push_back(move.pod);
  }
  answer.after = frag::fragmentation(usage, sizes).exclusive;
  if (answer.outcome == DefragOutcome::kPlan) {
    placement::Placer placer(usage, options);
    std::vector<PodId> pods(wanted.begin(), wanted.end());
    sort_for_placing(usage, pods);
    for (const PodId pod : pods) {
      const NodeId node = placer.place(pod);
      const auto shares = usage.shares(pod);
      answer.places.push_back({pod, node, {shares.begin(), shares.end()}});
    }
  }
  answer.remarks = eviction_remarks(disruption, std::move(moved));
  usage.revert(start);
  return answer;
}

}  // namespace gpusched::whatif
