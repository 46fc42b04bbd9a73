#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gpusched/objects/meta.hpp"

namespace gpusched::objects {

/// Sets a label, or takes it away; a new one comes last.
void set_label(Labels& labels, std::string_view key, const std::optional<std::string>& value);

}  // namespace gpusched::objects
