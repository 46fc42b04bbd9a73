#include "dra/content_hash.hpp"

#include <type_traits>
#include <variant>

namespace gpusched::dra {

namespace {

template <class T>
void add_element(ContentHash& hash, const T& element) {
  if constexpr (std::is_same_v<T, std::string>) {
    hash.add(element);
  } else if constexpr (std::is_same_v<T, objects::Version>) {
    hash.add(element.text);
  } else {
    hash.add(static_cast<std::uint64_t>(element));
  }
}

template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<std::vector<T>> : std::true_type {};

void add_optional(ContentHash& hash, const std::optional<Quantity>& quantity) {
  hash.add(quantity.has_value() ? 1U : 0U);
  if (quantity) hash.add(*quantity);
}

void add_capacity(ContentHash& hash, const objects::DeviceCapacity& capacity) {
  hash.add(capacity.value).add(static_cast<std::uint64_t>(capacity.value.format()));
  hash.add(capacity.request_policy.has_value() ? 1U : 0U);
  if (!capacity.request_policy) return;
  const objects::CapacityRequestPolicy& policy = *capacity.request_policy;
  add_optional(hash, policy.default_value);
  hash.add(policy.valid_values.size());
  for (const Quantity& value : policy.valid_values) hash.add(value);
  hash.add(policy.valid_range.has_value() ? 1U : 0U);
  if (!policy.valid_range) return;
  add_optional(hash, policy.valid_range->min);
  add_optional(hash, policy.valid_range->max);
  add_optional(hash, policy.valid_range->step);
}

}  // namespace

Hash128 hash_of(const objects::AttributeValue& value) {
  ContentHash hash(value.index());
  std::visit(
      [&]<class T>(const T& content) {
        if constexpr (IsList<T>::value) {
          hash.add(content.size());
          for (const auto& element : content) add_element<typename T::value_type>(hash, element);
        } else if constexpr (!std::is_same_v<T, std::monostate>) {
          add_element(hash, content);
        }
      },
      value);
  return hash.value();
}

Hash128 hash_of(const objects::Device& device, bool with_capacity) {
  const std::uint64_t flags =
      (device.binding_conditions.empty() ? 0U : 1U) + (device.allow_multiple_allocations.value_or(false) ? 2U : 0U);
  // Most devices have nothing but flags: one word for all that is not there.
  ContentHash hash((with_capacity ? device.capacity.size() + 1 : 0) << 32U);
  hash.add((device.consumes_counters.size() << 32U) + (device.taints.size() << 2U) + flags);
  for (const auto& [name, capacity] : device.capacity) {
    if (!with_capacity) break;
    hash.add(name);
    add_capacity(hash, capacity);
  }
  for (const objects::CounterConsumption& consumption : device.consumes_counters) {
    hash.add(consumption.counter_set).add(consumption.counters.size());
    for (const auto& [name, amount] : consumption.counters) hash.add(name).add(amount);
    hash.add(consumption.compatibility_groups.size());
    for (const std::string& group : consumption.compatibility_groups) hash.add(group);
  }
  for (const objects::DeviceTaint& taint : device.taints) hash.add(taint.key).add(taint.value).add(taint.effect);
  return hash.value();
}

Hash128 hash_of(const objects::CounterSet& counters) {
  ContentHash hash(counters.counters.size());
  hash.add(counters.name);
  for (const auto& [name, amount] : counters.counters) hash.add(name).add(amount);
  return hash.value();
}

}  // namespace gpusched::dra
