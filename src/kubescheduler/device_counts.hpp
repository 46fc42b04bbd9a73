#pragma once

#include <cstdint>
#include <string_view>

#include "gpusched/objects/node.hpp"
#include "kubescheduler/cycle.hpp"

namespace gpusched::kubescheduler {

/// Devices of a node that the class behind an extended resource selects.
struct DeviceCounts {
  std::int64_t total = 0, allocated = 0;
};

/// {0, 0} when no class serves the resource or a selector fails. Every slice counts, whatever its pool's generation.
/// Source: kube-scheduler 1.37, noderesources/resource_allocation.go.
[[nodiscard]] DeviceCounts count_devices(const Cycle& cycle, const objects::Node& node, std::string_view resource);

}  // namespace gpusched::kubescheduler
