#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/chain/card.hpp"
#include "gpusched/chain/requests.hpp"

/// Gate 3: the AdmissionCheck gpustack-node-devices, which looks at single accelerators.
/// Source: GPUStack operator v0.9.0-rc2, "Admission".
namespace gpusched::chain {

/// What one PodSet asks of the accelerators of its flavor.
struct CardDemand {
  Family family = Family::kExclusive;
  std::int64_t cards = 0;     ///< accelerators, shares, slices or instances of all its Pods
  std::int64_t units = 0;     ///< the largest need of one of them
  std::int64_t distinct = 1;  ///< shares: so many different accelerators at once, for one container
  std::string profile;        ///< the manufacturer's spelling

  bool operator==(const CardDemand&) const = default;
};

/// The demand of `pods` equal Pods; none when they ask for no accelerator. `manufacturer` decides the spelling of the
/// profile.
[[nodiscard]] std::vector<CardDemand> card_demands(std::span<const ContainerDemand> containers, std::int64_t pods);

/// How much of an accelerator other demands have taken already in this judgement.
struct CardUse {
  std::int64_t units = 0;
  std::int64_t slices = 0;
  bool exclusive = false, shared = false, sliced = false;
  std::vector<objects::ProfileCount> profiles;
};

/// An accelerator that demands compete for.
struct BudgetCard {
  Card card;
  CardUse use;
};

/// Why a Workload is held.
struct Held {
  CardDemand demand;
  std::int64_t found = 0;  ///< of demand.cards
  std::string reason;      ///< with numbers, for people
};

/// Charges the demands one after the other to the accelerators, partitions first, then larger units first, then by
/// family. An accelerator is charged for everything that lands on it, so that two roles cannot spend it twice; a slice
/// goes to the fullest accelerator that still fits. Returns what could not be served; the charges stay on `cards` only
/// when everything could.
[[nodiscard]] std::vector<Held> judge(std::vector<CardDemand> demands, std::span<BudgetCard> cards);

}  // namespace gpusched::chain
