#include "gpusched/chain/views.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gpusched/chain/manufacturer.hpp"
#include "gpusched/chain/units.hpp"

namespace gpusched::chain {

namespace {

constexpr std::int64_t kPercentPerCard = 100;

bool is_in(const Card& card, Mode mode) {
  return card.ledger != nullptr && (card.ledger->mode == static_cast<std::int64_t>(Mode::kNone) ||
                                    card.ledger->mode == static_cast<std::int64_t>(mode));
}

void add_partitioned(const Card& card, std::string_view manufacturer, FourViews& views) {
  std::int64_t most = card.spec->profiles.empty() && !partitions_known(card) ? card.spec->physical_count : 0;
  for (const objects::PartitionProfile& profile : card.spec->profiles) {
    const std::int64_t remaining = remaining_of(card, profile);
    most = std::max(most, remaining);
    views.remaining_profiles[published_profile(manufacturer, profile.name)] += remaining;
  }
  views.partitioned.capacity += card.spec->physical_count;
  views.partitioned.remaining += most;
  views.partitioned.once_max_request = views.partitioned.remaining > 0 ? 1 : 0;
  if (card.ledger == nullptr) return;
  for (const objects::ProfileCount& live : card.ledger->allocated_profiles) {
    views.allocated_profiles[published_profile(manufacturer, live.name)] += live.count;
  }
}

void add_whole(const Card& card, FourViews& views, std::int64_t& free, std::int64_t& sharing) {
  views.exclusive.capacity += 1;
  views.shared.capacity += kSharesPerCard;
  free += is_free(card) ? 1 : 0;
  sharing += can_share(card) ? 1 : 0;
  if (is_in(card, Mode::kShared)) views.shared.remaining += card.ledger->remaining / kUnitsPerShare;
  if (!is_sliceable(card)) return;
  views.sliced.capacity += kPercentPerCard;
  if (!is_in(card, Mode::kSliced)) return;
  const std::int64_t percent = card.ledger->remaining / kUnitsPerPercent;
  views.sliced.remaining += percent;
  views.sliced.once_max_request = std::max(views.sliced.once_max_request, percent);
}

}  // namespace

FourViews four_views(std::span<const NodeCards> nodes, std::string_view manufacturer) {
  FourViews views;
  for (const NodeCards& cards : nodes) {
    std::int64_t free = 0;
    std::int64_t sharing = 0;
    for (const Card& card : cards) {
      if (is_partitioned(card)) {
        add_partitioned(card, manufacturer, views);
      } else {
        add_whole(card, views, free, sharing);
      }
    }
    views.exclusive.remaining += free;
    views.exclusive.once_max_request = std::max(views.exclusive.once_max_request, free);
    views.shared.once_max_request = std::max(views.shared.once_max_request, sharing);
  }
  return views;
}

std::string column(const FourViews& views) {
  const auto text = [](const View& view) { return fmt::format("{}/{}", view.once_max_request, view.remaining); };
  return fmt::format("{} {} {} {}", text(views.exclusive), text(views.shared), text(views.sliced),
                     text(views.partitioned));
}

View cpu_view(std::int64_t nominal, std::int64_t largest, std::int64_t reserved_milli, bool overcommit) {
  constexpr std::int64_t kMilli = 1000;
  constexpr std::int64_t kOvercommitMilli = 800;  // of CPU that a core of an Instance requests
  const std::int64_t reserved = std::max<std::int64_t>(reserved_milli, 0) / (overcommit ? kOvercommitMilli : kMilli);
  View view;
  view.capacity = nominal;
  view.remaining = std::max<std::int64_t>(nominal - reserved, 0);
  view.once_max_request = std::min(largest, view.remaining);
  return view;
}

}  // namespace gpusched::chain
