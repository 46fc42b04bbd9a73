#include "gpusched/mig/repartition.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

namespace gpusched::mig {
namespace {

/// Depth-first search over the starts of the wanted instances for the cheapest layout. At most kMaxInstancesPerGpu of
/// them with a few starts each: some thousand steps at worst.
class CheapestLayout {
 public:
  CheapestLayout(const Board& board, std::span<const HeldInstance> existing, std::span<const LayoutEntry> wanted)
      : board_(board), existing_(existing), wanted_(wanted) {}

  std::vector<Instance> run() {
    extend(Occupancy(board_));
    return std::move(best_);
  }

 private:
  struct Cost {
    std::size_t busy = 0;
    std::size_t all = 0;

    auto operator<=>(const Cost&) const = default;
  };

  Cost cost() const {
    Cost cost;
    for (const HeldInstance& held : existing_) {
      const bool stays = std::ranges::find(current_, held.instance) != current_.end();
      cost.busy += !stays && held.busy ? 1 : 0;
      cost.all += !stays ? 1 : 0;
    }
    return cost;
  }

  void extend(const Occupancy& occupancy) {
    if (current_.size() == wanted_.size()) {
      if (const Cost own = cost(); !least_ || own < *least_) {
        least_ = own;
        best_ = current_;
      }
      return;
    }
    const LayoutEntry& entry = wanted_[current_.size()];
    std::uint32_t starts = board_.profiles[entry.profile].starts;
    if (entry.start) starts &= 1U << *entry.start;
    for (; starts != 0; starts &= starts - 1) {
      const Instance instance{entry.profile, static_cast<std::uint8_t>(std::countr_zero(starts))};
      if (!occupancy.fits(instance)) continue;
      Occupancy next = occupancy;
      next.add(instance);
      current_.push_back(instance);
      extend(next);
      current_.pop_back();
    }
  }

  const Board& board_;
  std::span<const HeldInstance> existing_;
  std::span<const LayoutEntry> wanted_;
  std::vector<Instance> current_, best_;
  std::optional<Cost> least_;
};

}  // namespace

Result<RepartitionPlan> plan_repartition(const Board& board, std::span<const HeldInstance> existing,
                                         std::span<const LayoutEntry> wanted) {
  if (const auto possible = place_layout(board, wanted); !possible) return std::unexpected(possible.error());
  RepartitionPlan plan;
  plan.layout = CheapestLayout(board, existing, wanted).run();
  plan.created = plan.layout;
  for (std::size_t i = 0; i < existing.size(); ++i) {
    const auto same = std::ranges::find(plan.created, existing[i].instance);
    if (same != plan.created.end()) {
      plan.created.erase(same);
      plan.kept.push_back(i);
    } else {
      (existing[i].busy ? plan.drained : plan.removed).push_back(i);
    }
  }
  return plan;
}

bool same_profiles(std::span<const HeldInstance> existing, std::span<const Instance> layout) {
  std::vector<ProfileIndex> now;
  std::vector<ProfileIndex> wanted;
  for (const HeldInstance& held : existing) now.push_back(held.instance.profile);
  for (const Instance& instance : layout) wanted.push_back(instance.profile);
  std::ranges::sort(now);
  std::ranges::sort(wanted);
  return now == wanted;
}

}  // namespace gpusched::mig
