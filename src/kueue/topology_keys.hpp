#pragma once

#include <string>

#include "gpusched/kueue/topology.hpp"
#include "kueue/topology_filter.hpp"

namespace gpusched::kueue {

/// Texts that are equal exactly when the values are, for hash tables.
[[nodiscard]] std::string needs_key(const PodSetNeeds& needs);
[[nodiscard]] std::string filter_key(const NodeFilter& filter);

}  // namespace gpusched::kueue
