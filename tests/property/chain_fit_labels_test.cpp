// For one Pod that asks for one accelerator, a fit label admits a node exactly when Gate 3 would.

#include <catch2/catch.hpp>
#include <string>

#include "gpusched/chain/gate3.hpp"
#include "gpusched/chain/node_labels.hpp"
#include "support/chain_builders.hpp"

namespace gpusched::chain {
namespace {

std::int64_t label_of(const CardGroup& group, std::string_view prefix) {
  for (const auto& [key, value] : fit_labels(group)) {
    if (key.starts_with(prefix)) return std::stoll(value);
  }
  return -1;
}

bool ready(const CardGroup& group, const CardDemand& demand) {
  std::vector<BudgetCard> cards;
  for (const Card& card : group.cards) cards.push_back({card, {}});
  return judge({demand}, cards).empty();
}

}  // namespace

TEST_CASE("fit-labels-agree-with-gate-3") {
  std::uint64_t state = 7;
  const auto random = [&](std::uint64_t below) {  // xorshift: the same cases everywhere
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    return static_cast<std::int64_t>(state % below);
  };
  for (int round = 0; round < 2000; ++round) {
    objects::Devices devices = t4_devices("n", static_cast<int>(random(5)) + 1);
    for (std::size_t i = 0; i < devices.groups.front().accelerators.size(); ++i) {
      objects::Accelerator& card = devices.groups.front().accelerators[i];
      objects::LedgerRow& row = devices.ledger.front().rows[i];
      card.logical_count = random(4);
      card.physical_count = random(5) == 0 ? 7 : 0;
      row.mode = random(5);
      row.remaining = random(11) * kUnitsPerShare;
      row.allocated_slices = random(4);
    }
    const std::vector<CardGroup> groups = card_groups(devices);
    const std::int64_t units = label_of(groups.front(), kSlicedFitPrefix);
    const std::int64_t sharing = label_of(groups.front(), kSharedFitPrefix);
    for (const std::int64_t u : {1, 160'000, 320'000, 640'000, 800'000, 960'000, 1'600'000}) {
      CHECK((units > u - 1) == ready(groups.front(), {Family::kSliced, 1, u, 1, ""}));
    }
    for (std::int64_t n = 1; n <= 4; ++n) {
      CHECK((sharing > n - 1) == ready(groups.front(), {Family::kShared, n, kUnitsPerShare, n, ""}));
    }
  }
}

}  // namespace gpusched::chain
