#pragma once

#include <string>
#include <string_view>

#include "gpusched/cel/program.hpp"
#include "gpusched/objects/resource_slice.hpp"

namespace gpusched::dra {

/// Appends all of a device that an expression can observe, so that equal texts mean equal outcomes. Versions are always
/// part of it, because one that cannot be read makes every expression fail.
void append_observation(const cel::Observed& look, std::string_view driver, const objects::Device& device,
                        std::string& key);

}  // namespace gpusched::dra
