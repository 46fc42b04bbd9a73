#pragma once

#include <optional>
#include <span>
#include <string>
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
  std::vector<chain::BrokenLink> links;
  const chain::AdmissionResult* admission = nullptr;  ///< of the workloads, when there are any
  std::string explain;                                ///< only this workload, with every gate; "": all
};

/// The whole ChainReport.
[[nodiscard]] Document chain_report(const chain::Chain& chain, const chain::Settings& settings,
                                    const ChainParts& parts);

/// A v1 List of the objects that the operator keeps, without their status, for `kubectl diff -f -`.
[[nodiscard]] Document chain_objects(const chain::Chain& chain, const chain::Settings& settings, ChainStage stage);

}  // namespace gpusched::report
