#pragma once

#include <string>
#include <vector>

#include "kubescheduler/filters.hpp"

namespace gpusched::kubescheduler {

/// Fills in what PostFilter (claims, then preemption) does after no node was feasible, and returns its text.
/// `statuses` are those of the nodes that were looked at, kSuccess for others; empty when PreFilter refused the pod.
/// With several possible texts all are returned.
[[nodiscard]] std::vector<std::string> run_post_filter(Cycle& cycle, Filters& filters, std::span<const Status> statuses,
                                                       Prediction& prediction);

}  // namespace gpusched::kubescheduler
