#pragma once

#include <string_view>

#include "gpusched/cel/device.hpp"
#include "gpusched/cel/program.hpp"
#include "gpusched/objects/resource_slice.hpp"

namespace gpusched::dra {

/// What selectors see of a device.
[[nodiscard]] cel::Device cel_device(std::string_view driver, const objects::Device& device);
/// The same of what one of them can observe.
[[nodiscard]] cel::Device cel_device(const cel::Observed& look, std::string_view driver, const objects::Device& device);

}  // namespace gpusched::dra
