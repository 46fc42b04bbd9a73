#pragma once

#include <string>

#include "render/html.hpp"

namespace gpusched::render::html {

/// Jobs on GPUs over time, a row for each GPU, by node: the members `stays` and `cluster` of a GangReport. A sentence
/// instead where there are too many GPUs or stays to look at.
[[nodiscard]] std::string gpu_timeline(const Json& report);

/// How many GPUs run and are held, and how many jobs wait, over time.
[[nodiscard]] std::string usage_chart(const Json& report);

}  // namespace gpusched::render::html
