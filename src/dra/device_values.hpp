#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "gpusched/objects/resource_slice.hpp"

namespace gpusched::dra {

/// A value as a message shows it: texts in quotes, lists in brackets.
[[nodiscard]] std::string text_of(const objects::AttributeValue& value);

/// "domain/name"; a name without a domain belongs to the driver's.
[[nodiscard]] std::string full_name(std::string_view driver, std::string_view name);

/// The attribute by its full name, or by its bare name when the domain is the driver's; nullptr without one.
/// Rule: the allocator's lookup for constraints.
[[nodiscard]] const objects::AttributeValue* attribute_of(const objects::Device& device, std::string_view driver,
                                                          std::string_view name);
[[nodiscard]] const objects::DeviceCapacity* capacity_of(const objects::Device& device, std::string_view driver,
                                                         std::string_view name);

}  // namespace gpusched::dra
