#include "gpusched/chain/gate3.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "gpusched/chain/units.hpp"

namespace gpusched::chain {

namespace {

bool in_mode(const BudgetCard& budget, Mode mode) {
  return budget.card.ledger != nullptr && (budget.card.ledger->mode == static_cast<std::int64_t>(Mode::kNone) ||
                                           budget.card.ledger->mode == static_cast<std::int64_t>(mode));
}

std::int64_t left(const BudgetCard& budget) {
  return budget.card.ledger == nullptr ? 0 : budget.card.ledger->remaining - budget.use.units;
}

bool fits_whole(const BudgetCard& budget) {
  return is_free(budget.card) && budget.use.units == 0 && budget.use.slices == 0 && budget.use.profiles.empty();
}

std::int64_t shares_left(const BudgetCard& budget) {
  const bool open =
      !is_partitioned(budget.card) && in_mode(budget, Mode::kShared) && !budget.use.exclusive && !budget.use.sliced;
  return open ? std::max<std::int64_t>(left(budget), 0) / kUnitsPerShare : 0;
}

bool fits_slice(const BudgetCard& budget, std::int64_t units) {
  return is_sliceable(budget.card) && in_mode(budget, Mode::kSliced) && !budget.use.exclusive && !budget.use.shared &&
         left(budget) >= units &&
         budget.card.ledger->allocated_slices + budget.use.slices < budget.card.spec->logical_count;
}

std::int64_t instances_left(const BudgetCard& budget, const std::string& profile) {
  if (!is_partitioned(budget.card) || !in_mode(budget, Mode::kPartitioned)) return 0;
  return count_of(budget.card.ledger->remaining_profiles, profile) - count_of(budget.use.profiles, profile);
}

std::int64_t take_whole(const CardDemand& demand, std::span<BudgetCard> cards) {
  std::int64_t found = 0;
  for (BudgetCard& budget : cards) {
    if (found == demand.cards) break;
    if (!fits_whole(budget)) continue;
    budget.use.exclusive = true;
    budget.use.units = kUnitsPerCard;
    ++found;
  }
  return found;
}

/// `cards / distinct` containers, each on that many different accelerators: those with the most shares left first,
/// which serves as many containers as can be served.
std::int64_t take_shares(const CardDemand& demand, std::span<BudgetCard> cards) {
  std::vector<BudgetCard*> open;
  for (BudgetCard& budget : cards) {
    if (shares_left(budget) > 0) open.push_back(&budget);
  }
  const std::int64_t distinct = std::max<std::int64_t>(demand.distinct, 1);
  std::int64_t found = 0;
  while (found < demand.cards) {
    const std::int64_t wanted = std::min(distinct, demand.cards - found);
    std::erase_if(open, [](const BudgetCard* budget) { return shares_left(*budget) <= 0; });
    if (static_cast<std::int64_t>(open.size()) < wanted) break;
    std::ranges::stable_sort(open, std::greater(), [](const BudgetCard* budget) { return shares_left(*budget); });
    for (std::int64_t i = 0; i < wanted; ++i) {
      CardUse& use = open[static_cast<std::size_t>(i)]->use;
      use.shared = true;
      use.units += kUnitsPerShare;
    }
    found += wanted;
  }
  return found;
}

std::int64_t take_slices(const CardDemand& demand, std::span<BudgetCard> cards) {
  std::int64_t found = 0;
  for (; found < demand.cards; ++found) {
    BudgetCard* fullest = nullptr;
    for (BudgetCard& budget : cards) {
      if (fits_slice(budget, demand.units) && (fullest == nullptr || left(budget) < left(*fullest))) fullest = &budget;
    }
    if (fullest == nullptr) break;
    fullest->use.sliced = true;
    fullest->use.units += demand.units;
    ++fullest->use.slices;
  }
  return found;
}

std::int64_t take_instances(const CardDemand& demand, std::span<BudgetCard> cards) {
  std::int64_t found = 0;
  for (BudgetCard& budget : cards) {
    const std::int64_t taken =
        std::min(demand.cards - found, std::max<std::int64_t>(instances_left(budget, demand.profile), 0));
    if (taken <= 0) continue;
    const auto row = std::ranges::find(budget.use.profiles, demand.profile, &objects::ProfileCount::name);
    if (row == budget.use.profiles.end()) {
      budget.use.profiles.push_back({demand.profile, taken});
    } else {
      row->count += taken;
    }
    found += taken;
  }
  return found;
}

std::int64_t take(const CardDemand& demand, std::span<BudgetCard> cards) {
  switch (demand.family) {
    case Family::kExclusive:
      return take_whole(demand, cards);
    case Family::kShared:
      return take_shares(demand, cards);
    case Family::kSliced:
      return take_slices(demand, cards);
    case Family::kPartitioned:
      break;
  }
  return take_instances(demand, cards);
}

std::string reason_of(const CardDemand& demand, std::int64_t found, std::span<const BudgetCard> cards) {
  const auto count = [&](auto&& is) { return std::ranges::count_if(cards, is); };
  const auto unknown = count([](const BudgetCard& b) { return b.card.ledger == nullptr; });
  std::string tail = unknown == 0 ? "" : fmt::format("; of {} nothing is known yet", unknown);
  if (demand.family == Family::kPartitioned) {
    const auto partitioned = count([](const BudgetCard& b) { return is_partitioned(b.card); });
    if (partitioned == 0) return fmt::format("none of {} accelerators is in a partitioning mode", cards.size());
    const auto known = count([](const BudgetCard& b) { return is_partitioned(b.card) && partitions_known(b.card); });
    if (known == 0) return fmt::format("the ledger of {} partitioned accelerators is not ready", partitioned);
    return fmt::format("{} of {} instances of {} have a free placement on {} partitioned accelerators", found,
                       demand.cards, demand.profile, partitioned);
  }
  if (demand.family == Family::kExclusive) {
    return fmt::format("{} of {} accelerators are entirely free, {} needed{}",
                       count([](const BudgetCard& b) { return is_free(b.card); }), cards.size(), demand.cards, tail);
  }
  if (demand.family == Family::kShared) {
    const std::string apart = demand.distinct > 1 ? fmt::format(" on {} different accelerators", demand.distinct) : "";
    return fmt::format("{} of {} shares{} fit on {} accelerators{}", found, demand.cards, apart, cards.size(), tail);
  }
  std::int64_t best = 0;
  std::int64_t full = 0;
  for (const BudgetCard& budget : cards) {
    best = std::max(best, free_slice_units(budget.card));
    full += budget.card.ledger != nullptr && is_sliceable(budget.card) &&
                    budget.card.ledger->allocated_slices >= budget.card.spec->logical_count
                ? 1
                : 0;
  }
  if (full != 0) tail += fmt::format("; {} host their full number of slices", full);
  return fmt::format("{} of {} slices of {} units fit on {} accelerators; the freest has {} units{}", found,
                     demand.cards, demand.units, cards.size(), best, tail);
}

}  // namespace

std::vector<CardDemand> card_demands(std::span<const ContainerDemand> containers, std::int64_t pods) {
  std::vector<CardDemand> demands;
  for (const ContainerDemand& container : containers) {
    if (container.cards == 0) continue;
    const std::string profile = vendor_profile(container.manufacturer->name, container.profile);
    if (demands.empty()) {
      demands.push_back({container.family, 0, 0, 1, profile});
    }
    CardDemand& demand = demands.front();
    demand.cards += container.cards * pods;
    demand.units = std::max(demand.units, container.units);
    if (container.family == Family::kShared) demand.distinct = std::max(demand.distinct, container.cards);
    demand.profile = std::min(demand.profile, profile);
  }
  return demands;
}

std::vector<Held> judge(std::vector<CardDemand> demands, std::span<BudgetCard> cards) {
  std::ranges::stable_sort(demands, {}, [](const CardDemand& demand) {
    return std::tuple(demand.family != Family::kPartitioned, -demand.units, demand.family);
  });
  std::vector<CardUse> before;
  before.reserve(cards.size());
  for (const BudgetCard& budget : cards) before.push_back(budget.use);
  std::vector<Held> held;
  for (const CardDemand& demand : demands) {
    const std::int64_t found = take(demand, cards);
    if (found < demand.cards) held.push_back({demand, found, reason_of(demand, found, cards)});
  }
  if (!held.empty()) {
    for (std::size_t i = 0; i < cards.size(); ++i) cards[i].use = std::move(before[i]);
  }
  return held;
}

}  // namespace gpusched::chain
