#pragma once

#include <cstddef>
#include <limits>
#include <span>

#include "gpusched/dra/allocator.hpp"
#include "gpusched/dra/claim_series.hpp"
#include "gpusched/dra/device_answers.hpp"
#include "gpusched/dra/why_not.hpp"
#include "gpusched/report/document.hpp"

namespace gpusched::report {

/// How much is told about claims that got nothing.
struct WhyNotShown {
  bool nodes = true;                                               ///< every kind of node
  std::size_t refusals = std::numeric_limits<std::size_t>::max();  ///< the first explanations; equal claims share one
};

/// The AllocationReport of claims that were allocated one after another.
[[nodiscard]] Document claim_series_report(const dra::ClaimSeries& series,
                                           std::span<const objects::ResourceClaim> claims,
                                           std::span<const dra::NodeFacts> nodes, WhyNotShown shown = {});

/// The AllocationReport of claims that were one pod's, on one node. Steps beyond 64 bits are a lower bound, with all
/// digits in stepsDecimal. `why_not` may be nullptr.
[[nodiscard]] Document allocation_report(const dra::AllocationAnswer& answer, dra::Implementation implementation,
                                         std::span<const objects::ResourceClaim* const> claims,
                                         const dra::NodeFacts& node, const dra::WhyNot* why_not = nullptr,
                                         WhyNotShown shown = {});

/// The SelectorReport: what one CEL expression says to every device.
[[nodiscard]] Document selector_report(const dra::DeviceAnswers& answers);

}  // namespace gpusched::report
