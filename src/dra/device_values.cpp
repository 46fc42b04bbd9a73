#include "dra/device_values.hpp"

#include <fmt/format.h>

#include <type_traits>
#include <variant>

#include "gpusched/base/text.hpp"

namespace gpusched::dra {

namespace {

template <class T>
std::string element_text(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, std::string>) {
    return quote(value, 80);
  } else if constexpr (std::is_same_v<T, objects::Version>) {
    return shorten(value.text, 80);
  } else {
    return fmt::format("{}", value);
  }
}

template <class T>
const T* find_named(const objects::Named<T>& values, std::string_view driver, std::string_view name) {
  if (const T* const value = objects::find(values, name)) return value;
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos || name.substr(0, slash) != driver) return nullptr;
  return objects::find(values, name.substr(slash + 1));
}

}  // namespace

std::string text_of(const objects::AttributeValue& value) {
  return std::visit(
      []<class T>(const T& content) -> std::string {
        if constexpr (std::is_same_v<T, std::monostate>) {
          return "of an unknown type";
        } else if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, bool> ||
                             std::is_same_v<T, std::string> || std::is_same_v<T, objects::Version>) {
          return element_text(content);
        } else {
          std::string text;
          for (const auto& element : content) {
            text += (text.empty() ? "" : ", ") + element_text<typename T::value_type>(element);
          }
          return "[" + text + "]";
        }
      },
      value);
}

std::string full_name(std::string_view driver, std::string_view name) {
  return name.find('/') == std::string_view::npos ? fmt::format("{}/{}", driver, name) : std::string(name);
}

const objects::AttributeValue* attribute_of(const objects::Device& device, std::string_view driver,
                                            std::string_view name) {
  return find_named(device.attributes, driver, name);
}

const objects::DeviceCapacity* capacity_of(const objects::Device& device, std::string_view driver,
                                           std::string_view name) {
  return find_named(device.capacity, driver, name);
}

}  // namespace gpusched::dra
