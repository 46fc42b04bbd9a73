#pragma once

#include <string_view>

#include "dra/hash128.hpp"
#include "gpusched/cel/program.hpp"
#include "gpusched/objects/resource_slice.hpp"

namespace gpusched::dra {

/// The hash of all of a device that an expression can observe, so that equal hashes mean equal outcomes. Versions are
/// always part of it, because one that cannot be read makes every expression fail.
[[nodiscard]] Hash128 observation(const cel::Observed& look, std::string_view driver, const objects::Device& device);

/// Whether an attribute of this name and value is part of it; and a capacity of this name.
[[nodiscard]] bool observes_attribute(const cel::Observed& look, std::string_view driver, std::string_view name,
                                      const objects::AttributeValue& value);
[[nodiscard]] bool observes_capacity(const cel::Observed& look, std::string_view driver, std::string_view name);

}  // namespace gpusched::dra
