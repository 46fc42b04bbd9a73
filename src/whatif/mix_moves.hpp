#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "gpusched/placement/filter.hpp"
#include "whatif/mix_gpus.hpp"

namespace gpusched::whatif {

/// The search behind repartition_with_moves: depth first over moves, cut where even the layouts that pods could leave
/// behind without taking room elsewhere (MixGpus::best) are no better than the best plan; before that the greedy way,
/// to have a plan where the search would take too long.
class MixMoves {
 public:
  MixMoves(ClusterUsage& usage, MixGpus& gpus, const Disruption& disruption, const placement::Options& options);

  [[nodiscard]] RepartitionAnswer run();

 private:
  struct Target {
    bool takes_supply = false;  ///< what the plan counts on
    std::uint64_t key = 0;
    std::uint32_t rank = 0;
    NodeId node;
    auto operator<=>(const Target&) const = default;
  };

  void greedy();
  [[nodiscard]] bool move_all(const MixPlan& plan);
  void search();
  void try_pod(PodId pod, const MixPlan& plan);
  void note_plan();
  [[nodiscard]] std::vector<PodId> pods_to_try(const MixPlan& plan) const;
  [[nodiscard]] std::vector<Target> targets_of(PodId pod, NodeId from, const MixPlan& plan);
  [[nodiscard]] bool takes_supply(NodeId node, std::span<const GpuShare> shares, const MixPlan& plan) const;
  void bind(PodId pod, NodeId from, NodeId to);
  [[nodiscard]] MixCost with_moves(MixCost cost) const;
  [[nodiscard]] bool seen_before();
  [[nodiscard]] bool too_long() const;
  [[nodiscard]] const placement::NodeFilter& filter(PodClassId pod_class);

  ClusterUsage& usage_;
  MixGpus& gpus_;
  const Disruption& disruption_;
  placement::Options options_;
  std::map<PodClassId, placement::NodeFilter> filters_;
  std::vector<bool> movable_;  ///< by PodId: pods that have not moved yet
  std::vector<Move> moves_;    ///< made so far
  std::set<std::vector<std::uint32_t>> seen_;
  RepartitionAnswer best_;
  std::vector<Move> best_moves_;
  MixCost best_cost_;
  std::int64_t states_ = 0, steps_ = 0;
  bool exhausted_ = false;  ///< a limit was reached, or a plan on the way was not exact
};

}  // namespace gpusched::whatif
