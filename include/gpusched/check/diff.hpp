#pragma once

#include <string>
#include <string_view>

namespace gpusched::check {

/// What differs between two texts, as `diff -u` shows it: three lines around each change. At most 200 lines, then how
/// many are left out. Empty for equal texts. Texts that have next to nothing in common are shown as one change.
[[nodiscard]] std::string unified_diff(std::string_view expected, std::string_view found,
                                       std::string_view expected_name, std::string_view found_name);

}  // namespace gpusched::check
