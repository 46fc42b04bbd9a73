#include "dra/cel_device.hpp"

#include <deque>
#include <type_traits>
#include <variant>
#include <vector>

namespace gpusched::dra {

namespace {

/// Attribute values point into the device; lists of texts need a list of views, which `views` keeps alive.
cel::AttributeInput attribute_input(const objects::AttributeValue& value,
                                    std::deque<std::vector<std::string_view>>& views) {
  return std::visit(
      [&]<class T>(const T& content) -> cel::AttributeInput {
        if constexpr (std::is_same_v<T, std::string>) {
          return std::string_view(content);
        } else if constexpr (std::is_same_v<T, objects::Version>) {
          return cel::VersionText{content.text};
        } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
          return std::span<const std::int64_t>(content);
        } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
          return std::span<const std::string_view>(views.emplace_back(content.begin(), content.end()));
        } else if constexpr (std::is_same_v<T, std::vector<objects::Version>>) {
          std::vector<std::string_view>& texts = views.emplace_back();
          for (const objects::Version& version : content) texts.push_back(version.text);
          return cel::VersionTexts{texts};
        } else {
          return content;
        }
      },
      value);
}

}  // namespace

cel::Device cel_device(std::string_view driver, const objects::Device& device) {
  std::deque<std::vector<std::string_view>> views;
  std::vector<cel::NamedAttribute> attributes;
  std::vector<cel::NamedCapacity> capacities;
  for (const auto& [name, value] : device.attributes) attributes.push_back({name, attribute_input(value, views)});
  for (const auto& [name, capacity] : device.capacity) capacities.push_back({name, capacity.value});
  return {driver, device.allow_multiple_allocations.value_or(false), attributes, capacities};
}

}  // namespace gpusched::dra
