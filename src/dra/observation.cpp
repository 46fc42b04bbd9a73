#include "dra/observation.hpp"

#include <algorithm>
#include <variant>

#include "dra/content_hash.hpp"

namespace gpusched::dra {

namespace {

constexpr std::uint64_t kSeed = 4, kNextName = 5;

/// Equal amounts may be written, and so printed, in different ways, which an expression can see.
void add_amount(ContentHash& hash, const Quantity& quantity) {
  hash.add(quantity.as_int64() ? 1U : 0U).add(quantity.to_string());
}

/// Whether a published name, whose domain is the driver's when it has none, is this one.
bool is_named(std::string_view published, std::string_view driver, const cel::ObservedName& name) {
  if (!published.ends_with(name.name)) return false;
  const std::size_t slash = published.find('/');
  if (slash == std::string_view::npos) return published.size() == name.name.size() && driver == name.domain;
  return published.substr(0, slash) == name.domain && published.substr(slash + 1) == name.name;
}

/// Every value of the name: of several the last counts.
template <class T, class AddValue>
void add_named(ContentHash& hash, const objects::Named<T>& values, std::string_view driver,
               const cel::ObservedName& name, AddValue&& add) {
  for (const auto& [published, value] : values) {
    if (is_named(published, driver, name)) add(value);
  }
  hash.add(kNextName);
}

bool can_be_bad(const objects::AttributeValue& value) {
  return std::holds_alternative<std::monostate>(value) || std::holds_alternative<objects::Version>(value) ||
         std::holds_alternative<std::vector<objects::Version>>(value);
}

bool is_any_of(std::string_view published, std::string_view driver, const std::vector<cel::ObservedName>& names) {
  return std::ranges::any_of(names, [&](const cel::ObservedName& name) { return is_named(published, driver, name); });
}

}  // namespace

bool observes_attribute(const cel::Observed& look, std::string_view driver, std::string_view name,
                        const objects::AttributeValue& value) {
  return look.all_attributes || can_be_bad(value) || is_any_of(name, driver, look.attributes);
}

bool observes_capacity(const cel::Observed& look, std::string_view driver, std::string_view name) {
  return look.all_capacities || is_any_of(name, driver, look.capacities);
}

Hash128 observation(const cel::Observed& look, std::string_view driver, const objects::Device& device) {
  ContentHash hash(kSeed);
  if (look.driver || look.all_attributes || look.all_capacities) hash.add(driver);
  if (look.allow_multiple_allocations) hash.add(device.allow_multiple_allocations.value_or(false) ? 1U : 0U);
  for (const auto& [name, value] : device.attributes) {
    if (look.all_attributes || can_be_bad(value)) hash.add(name).add(hash_of(value));
  }
  hash.add(kNextName);
  for (const cel::ObservedName& name : look.attributes) {
    add_named(hash, device.attributes, driver, name,
              [&](const objects::AttributeValue& value) { hash.add(hash_of(value)); });
  }
  if (look.all_capacities) {
    for (const auto& [name, capacity] : device.capacity) {
      hash.add(name);
      add_amount(hash, capacity.value);
    }
  }
  for (const cel::ObservedName& name : look.capacities) {
    add_named(hash, device.capacity, driver, name,
              [&](const objects::DeviceCapacity& capacity) { add_amount(hash, capacity.value); });
  }
  return hash.value();
}

}  // namespace gpusched::dra
