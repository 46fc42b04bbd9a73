#include "kubescheduler/scores.hpp"

#include "kubescheduler/profile.hpp"

namespace gpusched::kubescheduler {

std::vector<NodeScore> score_nodes(Cycle& cycle, std::span<const NodeIndex> feasible) {
  std::vector<NodeScore> result;
  result.reserve(feasible.size());
  for (const NodeIndex node : feasible) {
    result.push_back({node, {}, 0});
  }
  std::vector<std::int64_t> raw(feasible.size());
  for (const ActiveScore& active : active_scores(profile_of(cycle))) {
    const std::unique_ptr<ScorePlugin> plugin = active.entry->pre_score(cycle, feasible);
    if (plugin == nullptr) {
      continue;
    }
    for (std::size_t i = 0; i < feasible.size(); ++i) {
      raw[i] = plugin->score(feasible[i]);
    }
    plugin->normalize(feasible, raw);
    for (std::size_t i = 0; i < feasible.size(); ++i) {
      const std::int64_t weighted = raw[i] * active.weight;
      result[i].scores.push_back({active.entry->name, weighted});
      result[i].total += weighted;
    }
  }
  return result;
}

}  // namespace gpusched::kubescheduler
