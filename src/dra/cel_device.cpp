#include "dra/cel_device.hpp"

#include <type_traits>
#include <variant>
#include <vector>

namespace gpusched::dra {

void add_attribute(const cel::QualifiedName& name, std::string_view published, const objects::AttributeValue& value,
                   cel::Device& asked) {
  std::visit(
      [&]<class T>(const T& content) {
        const auto add = [&](const cel::AttributeInput& input) { asked.add_attribute(name, input, published); };
        if constexpr (std::is_same_v<T, std::string>) {
          add(std::string_view(content));
        } else if constexpr (std::is_same_v<T, objects::Version>) {
          add(cel::VersionText{content.text});
        } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
          add(std::span<const std::int64_t>(content));
        } else if constexpr (std::is_same_v<T, std::vector<bool>>) {
          add(&content);
        } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
          const std::vector<std::string_view> texts(content.begin(), content.end());
          add(std::span<const std::string_view>(texts));
        } else if constexpr (std::is_same_v<T, std::vector<objects::Version>>) {
          std::vector<std::string_view> texts;
          for (const objects::Version& version : content) texts.push_back(version.text);
          add(cel::VersionTexts{texts});
        } else {
          add(content);
        }
      },
      value);
}

void add_attributes(const objects::Device& device, cel::Device& asked) {
  for (const auto& [name, value] : device.attributes) {
    add_attribute(cel::qualified(name, asked.driver()), name, value, asked);
  }
}

void add_capacities(const objects::Device& device, cel::Device& asked) {
  for (const auto& [name, capacity] : device.capacity) asked.add_capacity(name, capacity.value);
}

cel::Device cel_device(std::string_view driver, const objects::Device& device) {
  cel::Device asked(driver, device.allow_multiple_allocations.value_or(false));
  add_attributes(device, asked);
  add_capacities(device, asked);
  return asked;
}

}  // namespace gpusched::dra
