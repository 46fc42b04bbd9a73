#pragma once

#include <string_view>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/objects/label_selector.hpp"

namespace gpusched::objects {

/// A selector as kubectl -l takes it: "app=x,tier!=db,env in (a, b),zone notin (c),gpu,!spot".
/// Error "label-selector": which part is none of these.
[[nodiscard]] Result<LabelSelector> parse_label_selector(std::string_view text);

}  // namespace gpusched::objects
