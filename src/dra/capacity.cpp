#include "dra/capacity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <expected>
#include <limits>

namespace gpusched::dra {

namespace {

using objects::CapacityRange;
using objects::CapacityRequestPolicy;

constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();

struct Consumption {
  Quantity amount;
  bool computed = false;  // rounded up by arithmetic, not one of the quantities as they are written
};
using ConsumptionOrError = std::expected<Consumption, std::string>;

std::unexpected<std::string> not_representable(std::string_view why) {
  return std::unexpected(
      fmt::format("capacity request cannot be represented in the device's range arithmetic: {}", why));
}

std::optional<std::int64_t> exact_milli(const Quantity& quantity) {
  const std::int64_t milli = quantity.milli_value();
  if (quantity != Quantity::from_milli(milli, quantity.format())) return std::nullopt;
  return milli;
}

bool counts_in_milli(const CapacityRange& range, bool fractional_range) {
  if (!fractional_range) return false;
  for (const auto* part : {&range.min, &range.max, &range.step}) {
    if (*part && !exact_milli(**part)) return false;
  }
  return !range.step || *exact_milli(*range.step) >= 1;
}

std::int64_t steps_up(std::int64_t from, std::int64_t to, std::int64_t step) {
  // Both may be anything; Go's wrap-around is kept.
  const auto distance = static_cast<std::int64_t>(static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from));
  return distance / step + (distance % step != 0 ? 1 : 0);
}

std::int64_t wrapping_step(std::int64_t from, std::int64_t step, std::int64_t count) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(from) +
                                   static_cast<std::uint64_t>(step) * static_cast<std::uint64_t>(count));
}

ConsumptionOrError round_up_milli(const Quantity& requested, const CapacityRange& range) {
  const std::optional<std::int64_t> milli = exact_milli(requested);
  if (!milli) {
    return not_representable(fmt::format("request {} is not a representable milli value", requested.to_string()));
  }
  const std::int64_t step = range.step->milli_value();
  const std::int64_t min = range.min->milli_value();
  const std::int64_t count = steps_up(min, *milli, step);
  const auto room =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(kMaxInt64) - static_cast<std::uint64_t>(min)) / step;
  if (count > room) {
    return not_representable(
        fmt::format("rounding request {} up to the next step passes the milli-value range", requested.to_string()));
  }
  const std::int64_t value = wrapping_step(min, step, count);
  const QuantityFormat format = range.step->format();
  return Consumption{
      value % 1000 == 0 ? Quantity::from_int64(value / 1000, format) : Quantity::from_milli(value, format), true};
}

ConsumptionOrError round_up_range(const Quantity& requested, const CapacityRange& range, bool fractional_range) {
  if (requested < *range.min) return Consumption{*range.min};
  if (!range.step) return Consumption{requested};
  if (counts_in_milli(range, fractional_range)) return round_up_milli(requested, range);
  if (requested > Quantity::from_int64(kMaxInt64)) {
    return not_representable(fmt::format("request {} exceeds MaxInt64", requested.to_string()));
  }
  const std::int64_t step = range.step->value();
  const std::int64_t min = range.min->value();
  if (step == 0) return Consumption{requested};  // the real one divides by zero
  const std::int64_t count = steps_up(min, requested.value(), step);
  if (min >= 0 && count > (kMaxInt64 - min) / step) {
    return not_representable(
        fmt::format("rounding request {} up to the next step passes MaxInt64", requested.to_string()));
  }
  return Consumption{Quantity::from_int64(wrapping_step(min, step, count), range.step->format()), true};
}

ConsumptionOrError consumption_of(const Quantity* requested, const objects::DeviceCapacity& capacity,
                                  bool fractional_range) {
  if (!capacity.request_policy) return Consumption{requested != nullptr ? *requested : capacity.value};
  const CapacityRequestPolicy& policy = *capacity.request_policy;
  if (requested == nullptr) return Consumption{policy.default_value ? *policy.default_value : capacity.value};
  if (policy.valid_range && policy.valid_range->min) {
    return round_up_range(*requested, *policy.valid_range, fractional_range);
  }
  for (const Quantity& value : policy.valid_values) {
    if (*requested <= value) return Consumption{value};
  }
  return Consumption{*requested};
}

// The real one compares the structs: the same amount written otherwise is not the default.
bool is_default(const Consumption& consumed, const CapacityRequestPolicy& policy) {
  return policy.default_value && !consumed.computed && consumed.amount == *policy.default_value &&
         consumed.amount.format() == policy.default_value->format() &&
         consumed.amount.to_string() == policy.default_value->to_string();
}

bool violates_range(const Quantity& amount, const CapacityRange& range, bool fractional_range) {
  if (range.max && amount > *range.max) return true;
  if (!range.step || !range.min) return false;
  std::int64_t value = 0, step = 0, min = 0;
  if (counts_in_milli(range, fractional_range)) {
    const std::optional<std::int64_t> milli = exact_milli(amount);
    if (!milli) return true;
    value = *milli;
    step = range.step->milli_value();
    min = range.min->milli_value();
  } else {
    value = amount.value();
    step = range.step->value();
    min = range.min->value();
  }
  if (step == 0 || step == -1) return false;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(min)) % step != 0;
}

bool violates(const Consumption& consumed, const CapacityRequestPolicy& policy, bool fractional_range) {
  if (is_default(consumed, policy)) return false;
  if (policy.valid_range) return violates_range(consumed.amount, *policy.valid_range, fractional_range);
  return !policy.valid_values.empty() &&
         std::ranges::find(policy.valid_values, consumed.amount) == policy.valid_values.end();
}

}  // namespace

CapacityNeed capacity_need(const std::optional<objects::CapacityRequirements>& requested,
                           const objects::Named<objects::DeviceCapacity>& capacities, bool fractional_range) {
  CapacityNeed need;
  if (requested) {
    for (const auto& [name, amount] : requested->requests) {
      if (objects::find(capacities, name) == nullptr) return need;
    }
  }
  need.possible = true;
  for (const auto& [name, capacity] : capacities) {
    ConsumptionOrError consumed =
        consumption_of(requested ? objects::find(requested->requests, name) : nullptr, capacity, fractional_range);
    if (consumed && consumed->amount.sign() < 0) consumed = std::unexpected("capacity value is negative");
    if (!consumed) {
      need.error = fmt::format("capacity \"{}\": {}", name, consumed.error());
      return need;
    }
    if (capacity.request_policy && violates(*consumed, *capacity.request_policy, fractional_range)) {
      need.possible = false;
    }
    need.amounts.push_back(std::move(consumed->amount));
  }
  return need;
}

}  // namespace gpusched::dra
