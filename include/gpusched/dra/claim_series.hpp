#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/dra/allocator.hpp"
#include "gpusched/dra/why_not.hpp"

namespace gpusched::dra {

/// Claims one after another, each as if a pod of its own used it.
struct ClaimSeriesInput {
  Features features;
  std::span<const objects::ResourceSlice> slices;
  std::span<const objects::DeviceClass> classes;
  std::span<const NodeFacts> nodes;  ///< in the order in which they are tried
  /// Claims that hold an allocation already keep it; the others want one.
  std::span<const objects::ResourceClaim> claims;
  InUse held;  ///< beside what the claims hold
  SelectorEvaluator& selectors;
  /// true: a selector that fails at run time ends the claim, as in kube-scheduler; false: it does not match.
  bool strict = false;
  AllocateOptions search;
  std::size_t explanations = 0;  ///< how many refusals are explained, the first ones
};

/// Nodes on which the real search for a claim would run into its timeout.
struct FilterTimeout {
  std::size_t count = 0;
  std::size_t first = 0;  ///< index of the first one
  Steps steps = 0;        ///< the most, or a lower bound of it

  [[nodiscard]] bool any() const { return count != 0; }
};

/// What became of one claim.
struct ClaimOutcome {
  std::size_t claim = 0;            ///< index into the input
  bool already_allocated = false;   ///< before
  std::optional<std::size_t> node;  ///< where it is allocated now
  std::optional<objects::AllocationResult> allocation;
  bool undecided = false;  ///< a search reached its step budget before some node said yes
  std::string reason;      ///< why it has no allocation: "cannot allocate all claims: ..." or the allocator's error
  FilterTimeout timeout;   ///< of the nodes that were asked
  std::shared_ptr<const WhyNot> why_not;  ///< if asked for; claims that want the same at the same moment share it
};

struct ClaimSeries {
  std::vector<ClaimOutcome> claims;
  Diagnostics warnings;  ///< selectors that failed on devices, once each; searches that would time out
};

/// Each claim, in order, gets its devices on the first node that has them, and keeps them from those that follow. The
/// reason of one that finds none was tried: what it names, taken away, would make the claim fit.
[[nodiscard]] ClaimSeries allocate_in_series(const ClaimSeriesInput& input);

}  // namespace gpusched::dra
