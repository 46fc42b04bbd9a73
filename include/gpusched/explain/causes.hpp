#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpusched/explain/explain.hpp"

/// Many pods at once: what keeps them, and how much they ask for.
namespace gpusched::explain {

struct Explained {
  const objects::Pod* pod = nullptr;
  const Explanation* explanation = nullptr;
};

/// Pods with the same dominant verdict.
struct Cause {
  std::string verdict, by;  ///< of the first finding; "fits" for a pod without one
  std::vector<const objects::Pod*> pods;
  objects::Named<std::int64_t> requests;  ///< extended resources in total, by name
  std::size_t claims = 0;                 ///< entries of spec.resourceClaims in total
};

/// The largest groups first, then by name.
[[nodiscard]] std::vector<Cause> group_by_cause(std::span<const Explained> pods);

}  // namespace gpusched::explain
