#include "dra/cel_device.hpp"

#include <forward_list>
#include <type_traits>
#include <variant>
#include <vector>

#include "dra/observation.hpp"

namespace gpusched::dra {

namespace {

using Views = std::forward_list<std::vector<std::string_view>>;

/// Attribute values point into the device; lists of texts need a list of views, which `views` keeps alive.
cel::AttributeInput attribute_input(const objects::AttributeValue& value, Views& views) {
  return std::visit(
      [&]<class T>(const T& content) -> cel::AttributeInput {
        if constexpr (std::is_same_v<T, std::string>) {
          return std::string_view(content);
        } else if constexpr (std::is_same_v<T, objects::Version>) {
          return cel::VersionText{content.text};
        } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
          return std::span<const std::int64_t>(content);
        } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
          return std::span<const std::string_view>(views.emplace_front(content.begin(), content.end()));
        } else if constexpr (std::is_same_v<T, std::vector<objects::Version>>) {
          std::vector<std::string_view>& texts = views.emplace_front();
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
  cel::Observed everything;
  everything.all_attributes = everything.all_capacities = true;
  return cel_device(everything, driver, device);
}

cel::Device cel_device(const cel::Observed& look, std::string_view driver, const objects::Device& device) {
  Views views;
  std::vector<cel::NamedAttribute> attributes;
  std::vector<cel::NamedCapacity> capacities;
  for (const auto& [name, value] : device.attributes) {
    if (observes_attribute(look, driver, name, value)) attributes.push_back({name, attribute_input(value, views)});
  }
  for (const auto& [name, capacity] : device.capacity) {
    if (observes_capacity(look, driver, name)) capacities.push_back({name, capacity.value});
  }
  return {driver, device.allow_multiple_allocations.value_or(false), attributes, capacities};
}

}  // namespace gpusched::dra
