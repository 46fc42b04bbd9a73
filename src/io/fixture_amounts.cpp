#include "io/fixture_amounts.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

#include "gpusched/base/quantity.hpp"

namespace gpusched::io {

namespace {

struct Unit {
  std::string_view suffix;  // turns the number into a quantity in the small unit
  std::string_view name;
  std::int64_t max;  // in the large unit; far above any hardware, far below overflow
};

constexpr std::array<Unit, 3> kUnits = {
    {{"Gi", "GiB", 1'000'000}, {"k", "GB/s", 1'000'000}, {"G", "GB", 1'000'000'000}}};

std::optional<std::int64_t> amount(std::string_view text, const Unit& unit) {
  const Result<Quantity> quantity = parse_quantity(std::string(text) + std::string(unit.suffix));
  const Result<Quantity> limit = parse_quantity(fmt::format("{}{}", unit.max, unit.suffix));
  if (!quantity || quantity->sign() < 0 || *quantity > *limit) {
    return std::nullopt;
  }
  return quantity->value();
}

}  // namespace

std::optional<std::int64_t> optional_amount(ObjectReader& object, std::string_view key, DecimalUnit unit) {
  const std::optional<std::string_view> text = object.optional_decimal(key);
  if (!text) {
    return std::nullopt;
  }
  const Unit& facts = kUnits[static_cast<std::size_t>(unit)];
  const std::optional<std::int64_t> value = amount(*text, facts);
  if (!value) {
    object.error(
        key, "out-of-range",
        fmt::format("expected {} from 0 to {} as a plain decimal number, found {}", facts.name, facts.max, *text));
  }
  return value;
}

std::int64_t required_memory(ObjectReader& object) {
  if (object.require("memory_gib") == nullptr) {
    return 0;
  }
  const std::int64_t bytes = optional_amount(object, "memory_gib", DecimalUnit::kGib).value_or(-1);
  if (bytes == 0) {
    object.error("memory_gib", "out-of-range", "a GPU's memory must be above 0 GiB");
  }
  return bytes;
}

std::vector<std::pair<ResourceId, std::int64_t>> resource_amounts(Decoder& decoder, ObjectReader& object,
                                                                  std::string_view key, ShapeBuilder& builder) {
  std::vector<std::pair<ResourceId, std::int64_t>> amounts;
  object.object(key, [&](const Value& map) {
    for (const Member& member : map.members()) {
      const Value& value = member.value;
      if (!value.is_string() && !value.is_number()) {
        decoder.error_at(member.key(), value.offset(), "wrong-type",
                         fmt::format("expected a quantity such as 8, \"500m\" or \"80Gi\", found {}", describe(value)));
        continue;
      }
      const Result<Quantity> quantity = parse_quantity(value.text());
      if (!quantity) {
        decoder.error_at(member.key(), value.offset(), "quantity-syntax", quantity.error().front().message,
                         quantity.error().front().hint);
        continue;
      }
      const bool cpu = member.key() == "cpu";
      if (quantity->sign() < 0 || *quantity > Quantity::from_int64(cpu ? kMaxInt64 / 1000 : kMaxInt64)) {
        decoder.error_at(
            member.key(), value.offset(), "out-of-range",
            fmt::format("expected an amount from 0 to {}, found {}", cpu ? kMaxInt64 / 1000 : kMaxInt64, value.text()));
        continue;
      }
      amounts.emplace_back(builder.resource(member.key()), cpu ? quantity->milli_value() : quantity->value());
    }
  });
  return amounts;
}

void set_non_zero_requests(PodClass& pod) {
  // For containers without requests, used in scores only (kube-scheduler, pkg/scheduler/util).
  pod.non_zero_cpu = 100;
  pod.non_zero_memory = 200LL * 1024 * 1024;
  for (const auto& [resource, amount] : pod.requests) {
    if (resource == kCpu) {
      pod.non_zero_cpu = amount;
    } else if (resource == kMemory) {
      pod.non_zero_memory = amount;
    }
  }
}

LabelSet label_set(ObjectReader& object, std::string_view key, ShapeBuilder& builder) {
  LabelSet labels;
  for (const auto& [name, value] : object.string_map(key)) {
    labels.emplace_back(builder.text(name), builder.text(value));
  }
  return labels;
}

}  // namespace gpusched::io
