#include "gpusched/chain/capacity.hpp"

#include <algorithm>
#include <array>

#include "gpusched/chain/units.hpp"

namespace gpusched::chain {

namespace {

constexpr std::array<std::string_view, 4> kSlicedParts = {"units", "cores-percentage", "memory-percentage",
                                                          "memory-mib"};
constexpr std::int64_t kPercent = 100;

std::string key_of(const Manufacturer& manufacturer, std::string_view suffix) {
  return std::string(manufacturer.resource).append(suffix);
}

bool overcommits(const CardGroup& cards) {
  return cards.group->cores_overcommit.value_or(std::ranges::any_of(
      cards.cards, [](const Card& card) { return is_sliceable(card) && card.spec->cores_overcommit; }));
}

void add_sliced(const Manufacturer& manufacturer, const ModelCards& model, Amounts& keys) {
  std::int64_t cards = 0;
  std::int64_t slices = 0;
  for (const Card& card : model.group->cards) {
    if (!is_sliceable(card)) continue;
    ++cards;
    slices += card.spec->logical_count;
  }
  keys[key_of(manufacturer, ".sliced.units")] += cards * kUnitsPerCard;
  keys[key_of(manufacturer, ".sliced.cores-percentage")] += (overcommits(*model.group) ? slices : cards) * kPercent;
  keys[key_of(manufacturer, ".sliced.memory-percentage")] += cards * kPercent;
  keys[key_of(manufacturer, ".sliced.memory-mib")] += cards * model.memory_mib;
}

void add_partitioned(const Manufacturer& manufacturer, const ModelCards& model, Amounts& keys) {
  for (const Card& card : model.group->cards) {
    if (!is_partitioned(card)) continue;
    keys[key_of(manufacturer, ".partitioned.units")] += kUnitsPerCard;
    for (const objects::PartitionProfile& profile : card.spec->profiles) {
      const std::string published = published_profile(manufacturer.name, profile.name);
      if (can_be_offered(manufacturer, published)) {
        keys[profile_key(manufacturer, published)] += capacity_of(card, profile);
      }
    }
  }
}

std::int64_t total(std::span<const objects::ProfileCount> counts) {
  std::int64_t sum = 0;
  for (const objects::ProfileCount& count : counts) sum += count.count;
  return sum;
}

/// Live instances and the largest number of one profile that still fits.
std::int64_t partitions(const Card& card) {
  std::int64_t most = 0;
  for (const objects::PartitionProfile& profile : card.spec->profiles)
    most = std::max(most, remaining_of(card, profile));
  return partitions_known(card) ? total(card.ledger->allocated_profiles) + most : card.spec->physical_count;
}

}  // namespace

Pools pools_of(const objects::ResourceList& capacity, const Manufacturer& manufacturer) {
  const auto positive = [&](std::string_view suffix) {
    const Quantity* const amount = objects::find(capacity, key_of(manufacturer, suffix));
    return amount != nullptr && amount->sign() > 0;
  };
  return {positive(".sliced"), positive(".partitioned")};
}

Amounts counting_keys(const Manufacturer& manufacturer, std::span<const ModelCards> models, const Pools& pools) {
  Amounts keys;
  for (const ModelCards& model : models) {
    if (pools.sliced) add_sliced(manufacturer, model, keys);
    if (pools.partitioned) add_partitioned(manufacturer, model, keys);
  }
  return keys;
}

bool is_counting_key(std::string_view resource) {
  const auto found = classify(resource);
  if (!found || found->part.empty()) return false;
  if (found->family == Family::kSliced) return std::ranges::find(kSlicedParts, found->part) != kSlicedParts.end();
  return found->part == "units" || (found->profile && is_qualified_name(resource));
}

std::map<std::string, std::optional<std::int64_t>, std::less<>> capacity_patch(const objects::ResourceList& capacity,
                                                                               const Amounts& desired) {
  std::map<std::string, std::optional<std::int64_t>, std::less<>> patch;
  for (const auto& [key, amount] : desired) {
    const Quantity* const current = objects::find(capacity, key);
    if (current == nullptr || *current != Quantity::from_int64(amount)) patch[key] = amount;
  }
  for (const auto& [key, amount] : capacity) {
    if (is_counting_key(key) && !desired.contains(key)) patch[key] = std::nullopt;
  }
  return patch;
}

Amounts bare_keys(const Manufacturer& manufacturer, std::span<const ModelCards> models) {
  Amounts keys;
  std::int64_t& whole = keys[std::string(manufacturer.resource)];
  std::int64_t& shares = keys[key_of(manufacturer, ".shared")];
  std::int64_t& slices = keys[key_of(manufacturer, ".sliced")];
  std::int64_t& parts = keys[key_of(manufacturer, ".partitioned")];
  for (const ModelCards& model : models) {
    for (const Card& card : model.group->cards) {
      if (is_partitioned(card)) {
        parts += card.spec->unhealthy ? 0 : partitions(card);
        continue;
      }
      if (card.spec->unhealthy) continue;
      whole += 1;
      shares += kSharesPerCard;
      slices += card.spec->logical_count;
    }
  }
  return keys;
}

}  // namespace gpusched::chain
