#include "io/fixture_amounts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string>

#include "gpusched/base/quantity.hpp"
#include "gpusched/base/text.hpp"

namespace gpusched::io {

namespace {

struct Unit {
  std::string_view suffix;  // turns the number into a quantity in the small unit
  std::string_view name;
  std::int64_t max;  // in the large unit; far above any hardware, far below overflow
};

constexpr std::array<Unit, 4> kUnits = {
    {{"Gi", "GiB", 1'000'000}, {"k", "GB/s", 1'000'000}, {"G", "GB", 1'000'000'000}, {"k", "a ratio", 1'000'000}}};

/// A JSON number without its exponent: "8e1" is "80", "2.5e-1" is "0.25"; none when that would take many zeros.
std::optional<std::string> without_exponent(std::string_view number) {
  constexpr std::int64_t kMaxShift = 40;
  const std::size_t e = number.find_first_of("eE");
  if (e == std::string_view::npos) {
    return std::string(number);
  }
  const std::size_t first = e + (number.substr(e + 1).starts_with('+') ? 2 : 1);
  std::int64_t exponent = 0;
  const auto [end, error] = std::from_chars(number.data() + first, number.data() + number.size(), exponent);
  if (error != std::errc() || std::abs(exponent) > kMaxShift) {
    return std::nullopt;
  }
  const std::size_t sign = number.starts_with('-') ? 1 : 0;
  const std::size_t point = std::min(number.find('.'), e);
  std::string digits(number.substr(sign, point - sign));
  std::int64_t whole = std::ssize(digits) + exponent;  // digits in front of the point
  digits += number.substr(std::min(point + 1, e), e - std::min(point + 1, e));
  if (whole < 1) {
    digits.insert(0, static_cast<std::size_t>(1 - whole), '0');
    whole = 1;
  }
  digits.resize(std::max(digits.size(), static_cast<std::size_t>(whole)), '0');
  digits.insert(static_cast<std::size_t>(whole), ".");
  return std::string(number.substr(0, sign)) + digits;
}

std::optional<std::int64_t> amount(std::string_view text, const Unit& unit) {
  const std::optional<std::string> plain = without_exponent(text);
  if (!plain) {
    return std::nullopt;
  }
  const Result<Quantity> quantity = parse_quantity(*plain + std::string(unit.suffix));
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
    object.error(key, "out-of-range",
                 fmt::format("expected {} from 0 to {}, found {}", facts.name, facts.max, shorten(*text)));
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

std::optional<std::string_view> optional_gpu_resource(ObjectReader& object) {
  const std::optional<std::string_view> resource = object.optional_string("resource");
  if (!resource) {
    return std::nullopt;
  }
  const std::size_t slash = resource->find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == resource->size()) {
    object.error("resource", "value-not-allowed",
                 fmt::format("{} is not the name of a GPU resource: expected one with a domain", quote(*resource)),
                 "for example nvidia.com/gpu");
    return std::nullopt;
  }
  if (resource->starts_with(kMigResourcePrefix)) {
    object.error("resource", "value-not-allowed", fmt::format("{} counts MIG instances", quote(*resource)),
                 "ask for them with \"mig\"");
    return std::nullopt;
  }
  return resource;
}

std::vector<std::pair<ResourceId, std::int64_t>> resource_amounts(Decoder& decoder, ObjectReader& object,
                                                                  std::string_view key, ShapeBuilder& builder) {
  std::vector<std::pair<ResourceId, std::int64_t>> amounts;
  object.object(key, [&](const Value& map) {
    for (const Member& member : map.members()) {
      const Value& value = member.value;
      if (member.key().empty()) {
        decoder.error_at(member.key(), member.key_offset, "out-of-range", "a resource's name must not be empty");
        continue;
      }
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
      const std::int64_t max = cpu ? kMaxAmount / 1000 : kMaxAmount;
      if (quantity->sign() < 0 || *quantity > Quantity::from_int64(max)) {
        decoder.error_at(member.key(), value.offset(), "out-of-range",
                         fmt::format("expected an amount from 0 to {}, found {}", max, shorten(value.text())));
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
