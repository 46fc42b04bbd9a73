#include "dra/observation.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <variant>

namespace gpusched::dra {

namespace {

void append_number(std::string& key, std::uint64_t number) {
  const auto bytes = std::bit_cast<std::array<char, sizeof(number)>>(number);
  key.append(bytes.data(), bytes.size());
}

void append_text(std::string& key, std::string_view text) {
  append_number(key, text.size());
  key += text;
}

template <class T>
void append_element(std::string& key, const T& element) {
  if constexpr (std::is_same_v<T, std::string>) {
    append_text(key, element);
  } else if constexpr (std::is_same_v<T, objects::Version>) {
    append_text(key, element.text);
  } else {
    append_number(key, static_cast<std::uint64_t>(element));
  }
}

template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<std::vector<T>> : std::true_type {};

void append_value(std::string& key, const objects::AttributeValue& value) {
  key += static_cast<char>('a' + value.index());
  std::visit(
      [&]<class T>(const T& content) {
        if constexpr (IsList<T>::value) {
          append_number(key, content.size());
          for (const auto& element : content) append_element<typename T::value_type>(key, element);
        } else if constexpr (!std::is_same_v<T, std::monostate>) {
          append_element(key, content);
        }
      },
      value);
}

/// Equal amounts may be written, and so printed, in different ways, which an expression can see.
void append_amount(std::string& key, const Quantity& quantity) {
  key += quantity.as_int64() ? 'i' : 'd';
  append_text(key, quantity.to_string());
}

/// Whether a published name, whose domain is the driver's when it has none, is this one.
bool is_named(std::string_view published, std::string_view driver, const cel::ObservedName& name) {
  if (!published.ends_with(name.name)) return false;
  const std::size_t slash = published.find('/');
  if (slash == std::string_view::npos) return published.size() == name.name.size() && driver == name.domain;
  return published.substr(0, slash) == name.domain && published.substr(slash + 1) == name.name;
}

/// Every value of the name: of several the last counts.
template <class T, class AppendValue>
void append_named(std::string& key, const objects::Named<T>& values, std::string_view driver,
                  const cel::ObservedName& name, AppendValue&& add) {
  for (const auto& [published, value] : values) {
    if (is_named(published, driver, name)) add(value);
  }
  key += ';';
}

bool can_be_bad(const objects::AttributeValue& value) {
  return std::holds_alternative<std::monostate>(value) || std::holds_alternative<objects::Version>(value) ||
         std::holds_alternative<std::vector<objects::Version>>(value);
}

}  // namespace

void append_observation(const cel::Observed& look, std::string_view driver, const objects::Device& device,
                        std::string& key) {
  if (look.driver || look.all_attributes || look.all_capacities) append_text(key, driver);
  if (look.allow_multiple_allocations) key += device.allow_multiple_allocations.value_or(false) ? 'y' : 'n';
  for (const auto& [name, value] : device.attributes) {
    if (!look.all_attributes && !can_be_bad(value)) continue;
    append_text(key, name);
    append_value(key, value);
  }
  key += ';';
  for (const cel::ObservedName& name : look.attributes) {
    append_named(key, device.attributes, driver, name,
                 [&](const objects::AttributeValue& value) { append_value(key, value); });
  }
  if (look.all_capacities) {
    for (const auto& [name, capacity] : device.capacity) {
      append_text(key, name);
      append_amount(key, capacity.value);
    }
  }
  for (const cel::ObservedName& name : look.capacities) {
    append_named(key, device.capacity, driver, name,
                 [&](const objects::DeviceCapacity& capacity) { append_amount(key, capacity.value); });
  }
}

}  // namespace gpusched::dra
