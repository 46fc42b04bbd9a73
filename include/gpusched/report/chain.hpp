#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/chain/admission.hpp"
#include "gpusched/chain/chain.hpp"
#include "gpusched/chain/links.hpp"
#include "gpusched/report/document.hpp"

namespace gpusched::report {

/// Which part of the chain is wanted.
enum class ChainStage : std::uint8_t { kAll, kThree, kFour, kAdmission };

/// What stands in a ChainReport.
struct ChainParts {
  ChainStage stage = ChainStage::kAll;
  bool objects = true;  ///< false leaves out `objects`, which no table shows
  std::vector<chain::BrokenLink> links;
  std::vector<std::string> changes;                   ///< what was asked as a what-if, in words
  const chain::AdmissionResult* admission = nullptr;  ///< of the workloads, when there are any
  std::string explain;                                ///< only this workload, with every gate; "": all
};

/// The whole ChainReport.
[[nodiscard]] Document chain_report(const chain::Chain& chain, const chain::Settings& settings,
                                    const ChainParts& parts);

/// Objects of a cluster to compare with: JSON texts of Kubernetes objects, and its nodes.
struct LiveObjects {
  std::vector<std::string_view> texts;
  std::vector<const objects::Node*> nodes;
};

/// The ChainDiff: what differs between the computed objects and existing ones. `drifted` tells whether anything does.
/// Values that the computed objects do not have are left alone; a missing stopPolicy is None.
[[nodiscard]] Document chain_diff(const chain::Chain& chain, const chain::Settings& settings, const LiveObjects& live,
                                  bool& drifted);

/// A v1 List of the objects that the operator keeps, without their status, for `kubectl diff -f -`.
[[nodiscard]] Document chain_objects(const chain::Chain& chain, const chain::Settings& settings, ChainStage stage);

}  // namespace gpusched::report
