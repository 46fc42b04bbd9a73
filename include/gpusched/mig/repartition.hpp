#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/mig/layout.hpp"

namespace gpusched::mig {

/// An instance that a GPU has now, and whether somebody uses it.
struct HeldInstance {
  Instance instance;
  bool busy = false;
};

/// How to get from the instances of one GPU to others.
struct RepartitionPlan {
  std::vector<Instance> layout;      ///< the wanted instances in their order; the kept ones are among them
  std::vector<Instance> created;     ///< those that are not there yet
  std::vector<std::size_t> kept;     ///< indices of existing instances that stay as they are
  std::vector<std::size_t> removed;  ///< of unused ones that have to go
  std::vector<std::size_t> drained;  ///< of used ones that have to go: their pods first
};

/// The wanted layout in which the fewest used instances have to go, then the fewest unused ones; of equal ones the one
/// with the lexicographically first starts. This is what can be done by hand (`nvidia-smi mig -dgi`, `-cgi` with a
/// start) or by a driver with dynamic MIG. NVIDIA's MIG manager instead removes every instance of a GPU whose list of
/// profiles differs from the wanted one, and fails while one of them is in use (mig-parted v0.15, pkg/mig/config,
/// ClearMigConfig). Errors: those of place_layout.
[[nodiscard]] Result<RepartitionPlan> plan_repartition(const Board& board, std::span<const HeldInstance> existing,
                                                       std::span<const LayoutEntry> wanted);

/// Whether the MIG manager leaves the GPU alone: it has the wanted profiles already, wherever they start.
[[nodiscard]] bool same_profiles(std::span<const HeldInstance> existing, std::span<const Instance> layout);

}  // namespace gpusched::mig
