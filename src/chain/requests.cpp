#include "gpusched/chain/requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "gpusched/base/text.hpp"
#include "gpusched/chain/units.hpp"

namespace gpusched::chain {

namespace {

constexpr std::int64_t kMaxPercent = 100;
constexpr std::int64_t kMaxCards = 1'000'000;

using Outcome = std::optional<Refusal>;

Refusal refuse(int rule, std::string message, std::string hint = {}) {
  return {rule, std::move(message), std::move(hint)};
}

/// One container's accelerator keys; requests win over limits.
struct Claims {
  const objects::Container* container = nullptr;
  bool init = false;
  std::vector<std::pair<std::string, Quantity>> amounts;

  [[nodiscard]] const Quantity* find(const std::string& key) const { return objects::find(amounts, key); }
};

Claims claims_of(const objects::Container& container, bool init) {
  Claims claims{&container, init, {}};
  for (const objects::ResourceList* const list : {&container.resources.requests, &container.resources.limits}) {
    for (const auto& [key, amount] : *list) {
      if (classify(key) && claims.find(key) == nullptr) claims.amounts.emplace_back(key, amount);
    }
  }
  std::erase_if(claims.amounts,
                [](const auto& entry) { return entry.second.is_zero() && classify(entry.first)->part.empty(); });
  return claims;
}

bool is_exactly(const Quantity& amount, std::int64_t value) {
  return amount == Quantity::from_int64(value);
}

class PodFolder {
 public:
  PodFolder(const objects::PodSpec& pod, const PoolOffer& offer) : offer_(offer) {
    for (const objects::Container& container : pod.init_containers) {
      Claims claims = claims_of(container, true);
      if (container.is_sidecar()) {
        sidecar_ = sidecar_ || !claims.amounts.empty();
        if (!claims.amounts.empty()) sidecar_name_ = container.name;
      } else if (!claims.amounts.empty()) {
        claims_.push_back(std::move(claims));
      }
    }
    for (const objects::Container& container : pod.containers) {
      Claims claims = claims_of(container, false);
      if (!claims.amounts.empty()) claims_.push_back(std::move(claims));
    }
  }

  std::expected<FoldedPod, Refusal> fold() {
    if (sidecar_) {
      return std::unexpected(
          refuse(7, fmt::format("container {} restarts with the pod and asks for an accelerator", quote(sidecar_name_)),
                 "ask for it in an ordinary container"));
    }
    if (Outcome refusal = check_group()) return std::unexpected(*std::move(refusal));
    for (const Claims& claims : claims_) {
      if (Outcome refusal = fold_container(claims)) return std::unexpected(*std::move(refusal));
    }
    if (Outcome refusal = check_pod()) return std::unexpected(*std::move(refusal));
    return std::move(folded_);
  }

 private:
  [[nodiscard]] Outcome check_group() const;
  [[nodiscard]] Outcome check_pod() const;
  Outcome fold_container(const Claims& claims);
  Outcome fold_whole(const Claims& claims, ContainerDemand& demand);
  Outcome fold_slice(const Claims& claims, ContainerDemand& demand);
  Outcome fold_partition(const Claims& claims, ContainerDemand& demand);
  Outcome memory_units(const Quantity& mib, ContainerDemand& demand) const;
  void add(const std::string& key, std::int64_t amount) { folded_.resources[key] += amount; }

  const PoolOffer& offer_;
  std::vector<Claims> claims_;
  bool sidecar_ = false;
  std::string sidecar_name_;
  FoldedPod folded_;
};

/// Rule 1: one family and one manufacturer a Pod, in one group of containers.
Outcome PodFolder::check_group() const {
  const AcceleratorResource* first = nullptr;
  std::optional<AcceleratorResource> kept;
  std::string_view kept_key;
  for (const Claims& claims : claims_) {
    if (claims.init != claims_.front().init) {
      return refuse(1, "init containers and ordinary ones both ask for accelerators", "claim them in one group only");
    }
    for (const auto& [key, amount] : claims.amounts) {
      const std::optional<AcceleratorResource> resource = classify(key);
      if (first == nullptr) {
        kept = resource;
        kept_key = key;
        first = &*kept;
      } else if (resource->family != first->family || resource->manufacturer != first->manufacturer) {
        return refuse(1, fmt::format("{} and {} are two families; a Pod asks for one", kept_key, key));
      }
    }
  }
  return std::nullopt;
}

Outcome PodFolder::fold_container(const Claims& claims) {
  const AcceleratorResource resource = *classify(claims.amounts.front().first);
  ContainerDemand demand;
  demand.manufacturer = resource.manufacturer;
  demand.family = resource.family;
  demand.init = claims.init;
  Outcome refusal;
  switch (resource.family) {
    case Family::kExclusive:
    case Family::kShared:
      refusal = fold_whole(claims, demand);
      break;
    case Family::kSliced:
      refusal = fold_slice(claims, demand);
      break;
    case Family::kPartitioned:
      refusal = fold_partition(claims, demand);
      break;
  }
  if (!refusal) folded_.demands.push_back(std::move(demand));
  return refusal;
}

Outcome PodFolder::fold_whole(const Claims& claims, ContainerDemand& demand) {
  const auto& [key, amount] = claims.amounts.front();
  if (!amount.is_integer() || amount.sign() < 0 || amount > Quantity::from_int64(kMaxCards)) {
    return refuse(1, fmt::format("{}: {} is no number of accelerators", key, amount.to_string()));
  }
  demand.cards = amount.value();
  demand.units = demand.family == Family::kExclusive ? kUnitsPerCard : kUnitsPerShare;
  add(key, demand.cards);
  return std::nullopt;
}

Outcome PodFolder::memory_units(const Quantity& mib, ContainerDemand& demand) const {
  if (offer_.vram_mib <= 0) {
    return refuse(0, "the memory of the pool's accelerators is not known yet", "try again when the type is ready");
  }
  if (mib > Quantity::from_int64(offer_.vram_mib)) {
    return refuse(2,
                  fmt::format("{} MiB are more than one accelerator has ({} MiB)", mib.to_string(), offer_.vram_mib));
  }
  demand.units = units_of_memory(mib.value(), offer_.vram_mib);
  if (demand.units > 0) return std::nullopt;
  return refuse(2, fmt::format("{} MiB are less than one credit", mib.to_string()));
}

/// Rule 2: one slice, with exactly one memory budget.
Outcome PodFolder::fold_slice(const Claims& claims, ContainerDemand& demand) {
  const std::string base = std::string(demand.manufacturer->resource) + ".sliced";
  const Quantity* const card = claims.find(base);
  if (card == nullptr || !is_exactly(*card, 1)) {
    return refuse(2, fmt::format("{} must be 1, is {}", base, card == nullptr ? "missing" : card->to_string()));
  }
  const auto in_percent = [](const Quantity& amount) {
    return amount.is_integer() && amount.sign() > 0 && amount <= Quantity::from_int64(kMaxPercent);
  };
  const Quantity* const cores = claims.find(base + ".cores-percentage");
  if (cores != nullptr && !in_percent(*cores)) {
    return refuse(2, fmt::format("{}.cores-percentage must be 1 to 100, is {}", base, cores->to_string()));
  }
  const Quantity* const percent = claims.find(base + ".memory-percentage");
  const Quantity* const mib = claims.find(base + ".memory-mib");
  if ((percent == nullptr) == (mib == nullptr)) {
    return refuse(2, fmt::format("exactly one of {}.memory-percentage and {}.memory-mib is needed", base, base));
  }
  if (!offer_.sliceable) return refuse(2, "the pool's accelerators take no slices");
  if (percent != nullptr) {
    if (!in_percent(*percent)) {
      return refuse(2, fmt::format("{}.memory-percentage must be 1 to 100, is {}", base, percent->to_string()));
    }
    demand.units = units_of_percent(percent->value());
    add(base + ".memory-percentage", percent->value());
  } else {
    if (!mib->is_integer() || mib->sign() <= 0) {
      return refuse(2, fmt::format("{}.memory-mib must be at least 1, is {}", base, mib->to_string()));
    }
    if (Outcome refusal = memory_units(*mib, demand)) return refusal;
    add(base + ".memory-mib", mib->value());
  }
  demand.cards = 1;
  add(base, 1);
  add(base + ".cores-percentage", cores == nullptr ? kMaxPercent : cores->value());
  add(base + ".units", demand.units);
  return std::nullopt;
}

/// Rules 3 to 5: one instance of one named profile.
Outcome PodFolder::fold_partition(const Claims& claims, ContainerDemand& demand) {
  const std::string base = std::string(demand.manufacturer->resource) + ".partitioned";
  const Quantity* const card = claims.find(base);
  if (card == nullptr || !is_exactly(*card, 1)) {
    return refuse(3, fmt::format("{} must be 1, is {}", base, card == nullptr ? "missing" : card->to_string()));
  }
  std::string profile_resource;
  for (const auto& [key, amount] : claims.amounts) {
    const AcceleratorResource resource = *classify(key);
    if (!resource.profile) continue;
    if (!profile_resource.empty()) {
      return refuse(4, fmt::format("{} and {}: a container asks for one profile", profile_resource, key));
    }
    if (!is_exactly(amount, 1)) return refuse(5, fmt::format("{} must be 1, is {}", key, amount.to_string()));
    profile_resource = key;
    demand.profile = resource.part;
  }
  if (profile_resource.empty()) return refuse(3, fmt::format("{} names no profile", base));
  const auto offered = std::ranges::find(offer_.profiles, demand.profile, &OfferedProfile::name);
  if (offered == offer_.profiles.end()) {
    std::vector<std::string_view> names;
    for (const OfferedProfile& profile : offer_.profiles) names.push_back(profile.name);
    return refuse(0, fmt::format("the pool does not offer the profile {}", quote(demand.profile)),
                  names.empty() ? "it offers none" : fmt::format("it offers {}", join(names, ", ")));
  }
  if (offer_.vram_mib <= 0) {
    return refuse(0, "the memory of the pool's accelerators is not known yet", "try again when the type is ready");
  }
  demand.units = units_of_memory(std::min(offered->memory_mib, offer_.vram_mib), offer_.vram_mib);
  demand.cards = 1;
  add(base, 1);
  add(profile_resource, 1);
  add(base + ".units", demand.units);
  return std::nullopt;
}

/// Rules 4 and 6 over all containers.
Outcome PodFolder::check_pod() const {
  const ContainerDemand* slicing = nullptr;
  for (const ContainerDemand& demand : folded_.demands) {
    if (demand.family != Family::kSliced && demand.family != Family::kPartitioned) continue;
    if (slicing == nullptr) {
      slicing = &demand;
      continue;
    }
    if (slicing->profile != demand.profile) {
      return refuse(4, fmt::format("{} and {}: a Pod asks for one profile", slicing->profile, demand.profile));
    }
    return refuse(6, "two containers ask for a part of an accelerator; one may");
  }
  return std::nullopt;
}

}  // namespace

std::int64_t units_of_percent(std::int64_t percent) {
  return percent * kUnitsPerPercent;
}

std::int64_t units_of_memory(std::int64_t mib, std::int64_t vram_mib) {
  __extension__ typedef __int128 int128;
  if (mib <= 0 || vram_mib <= 0) return 0;
  return static_cast<std::int64_t>(static_cast<int128>(std::min(mib, vram_mib)) * kUnitsPerCard / vram_mib);
}

std::expected<FoldedPod, Refusal> fold_pod(const objects::PodSpec& pod, const PoolOffer& offer) {
  return PodFolder(pod, offer).fold();
}

std::map<std::string, std::int64_t, std::less<>> credits_of(
    const std::map<std::string, std::int64_t, std::less<>>& resources) {
  std::map<std::string, std::int64_t, std::less<>> credits;
  for (const auto& [key, amount] : resources) {
    const std::optional<AcceleratorResource> resource = classify(key);
    if (!resource) continue;
    std::int64_t factor = 0;
    if (resource->family == Family::kExclusive) factor = kUnitsPerCard;
    if (resource->family == Family::kShared) factor = kUnitsPerShare;
    if (!resource->part.empty()) factor = resource->part == "units" && !resource->profile ? 1 : 0;
    if (factor != 0) credits[std::string(kCreditsPrefix).append(resource->manufacturer->name)] += amount * factor;
  }
  return credits;
}

std::int64_t widest_share(std::span<const ContainerDemand> demands) {
  std::int64_t widest = 0;
  for (const ContainerDemand& demand : demands) {
    if (demand.family == Family::kShared) widest = std::max(widest, demand.cards);
  }
  return widest;
}

std::optional<objects::NodeSelectorRequirement> pod_affinity_pin(std::span<const ContainerDemand> demands,
                                                                 std::string_view group) {
  const std::int64_t widest = widest_share(demands);
  if (widest < 2) return std::nullopt;
  return objects::NodeSelectorRequirement{
      std::string(kAcceleratorPrefix).append(group).append(".count"), "Gt", {std::to_string(widest - 1)}};
}

std::vector<objects::NodeSelectorRequirement> workload_affinity_pins(std::span<const ContainerDemand> demands,
                                                                     std::string_view group) {
  std::vector<objects::NodeSelectorRequirement> pins;
  std::int64_t units = 0;
  for (const ContainerDemand& demand : demands) {
    if (demand.family == Family::kSliced) units = std::max(units, demand.units);
  }
  if (units > 0) {
    pins.push_back({std::string(kSlicedFitPrefix).append(group), "Gt", {std::to_string(units - 1)}});
  }
  if (const std::int64_t widest = widest_share(demands); widest >= 2) {
    pins.push_back({std::string(kSharedFitPrefix).append(group), "Gt", {std::to_string(widest - 1)}});
  }
  return pins;
}

void add_pins(std::optional<objects::NodeSelector>& required, std::span<const objects::NodeSelectorRequirement> pins) {
  if (pins.empty()) return;
  if (!required) {
    required.emplace();
    required->terms.emplace_back();
    required->terms.front().match_expressions.assign(pins.begin(), pins.end());
    return;
  }
  for (objects::NodeSelectorTerm& term : required->terms) {
    if (term.match_expressions.empty() && term.match_fields.empty()) continue;
    for (const objects::NodeSelectorRequirement& pin : pins) {
      if (std::ranges::find(term.match_expressions, pin) == term.match_expressions.end()) {
        term.match_expressions.push_back(pin);
      }
    }
  }
}

}  // namespace gpusched::chain
