#pragma once

#include <string_view>

#include "gpusched/cel/device.hpp"
#include "gpusched/objects/resource_slice.hpp"

namespace gpusched::dra {

/// The device as CEL sees it. It points to the device and its driver's name.
[[nodiscard]] cel::Device cel_device(std::string_view driver, const objects::Device& device);

/// Its parts, for a device that is made ready again and again.
void add_attribute(const cel::QualifiedName& name, std::string_view published, const objects::AttributeValue& value,
                   cel::Device& asked);
void add_attributes(const objects::Device& device, cel::Device& asked);
void add_capacities(const objects::Device& device, cel::Device& asked);

}  // namespace gpusched::dra
