#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/chain/manufacturer.hpp"
#include "gpusched/chain/pools.hpp"
#include "gpusched/objects/pod.hpp"

/// Gate 1: the worker's Pod webhook. It looks at the shape of a request and folds it into credits.
/// Source: GPUStack operator v0.9.0-rc2, "Admission".
namespace gpusched::chain {

/// What the webhook knows of the accelerators behind a queue.
struct PoolOffer {
  std::int64_t vram_mib = 0;  ///< of one accelerator; 0: unknown, so nothing is folded by it
  std::span<const OfferedProfile> profiles;
  bool sliceable = true;
};

/// What one container asks of accelerators.
struct ContainerDemand {
  const Manufacturer* manufacturer = nullptr;
  Family family = Family::kExclusive;
  std::int64_t cards = 0;  ///< the card key's amount: accelerators, shares on different ones, slices, instances
  std::int64_t units = 0;  ///< credits of one of them
  std::string profile;     ///< published name
  bool init = false;

  bool operator==(const ContainerDemand&) const = default;
};

/// Why the webhook refuses a Pod.
struct Refusal {
  int rule = 0;  ///< 1 to 7 of the request rules; 0: the fold itself
  std::string message;
  std::string hint;
};

/// A Pod that passed: its demands, and the resources as the webhook leaves them (the derived `.units` overwrite what
/// the client wrote), summed over the containers.
struct FoldedPod {
  std::vector<ContainerDemand> demands;
  std::map<std::string, std::int64_t, std::less<>> resources;  ///< accelerator keys only
};

/// The seven rules in their order. They hold only for Pods with a queue name.
[[nodiscard]] std::expected<FoldedPod, Refusal> fold_pod(const objects::PodSpec& pod, const PoolOffer& offer);

/// Credits of a slice of so many per cent, of so many MiB (rounded down), of a partition of so many MiB.
[[nodiscard]] std::int64_t units_of_percent(std::int64_t percent);
[[nodiscard]] std::int64_t units_of_memory(std::int64_t mib, std::int64_t vram_mib);

/// Kueue's resource transformations as the operator configures them: the accelerator keys of a Pod as
/// credits.gpustack.ai/<manufacturer>.
[[nodiscard]] std::map<std::string, std::int64_t, std::less<>> credits_of(
    const std::map<std::string, std::int64_t, std::less<>>& resources);

/// The largest number of different accelerators that one container shares; 0 without shares.
[[nodiscard]] std::int64_t widest_share(std::span<const ContainerDemand> demands);

/// The requirement that the Pod webhook adds for a container that shares several accelerators:
/// "acceleratable.feature.gpustack.ai/<group>.count" Gt N-1. None for N below 2.
[[nodiscard]] std::optional<objects::NodeSelectorRequirement> pod_affinity_pin(std::span<const ContainerDemand> demands,
                                                                               std::string_view group);

/// The requirements that the Workload webhook adds to a PodSet: Gt U-1 on the sliced label for slices, Gt N-1 on the
/// shared label for N >= 2 shares. They stay on the Workload and never reach the Pod.
[[nodiscard]] std::vector<objects::NodeSelectorRequirement> workload_affinity_pins(
    std::span<const ContainerDemand> demands, std::string_view group);

/// Adds requirements to every term of a required node affinity, a new term when there is no affinity. A list without
/// terms and terms without expressions stay as they are; what is there already is not added twice.
void add_pins(std::optional<objects::NodeSelector>& required, std::span<const objects::NodeSelectorRequirement> pins);

}  // namespace gpusched::chain
