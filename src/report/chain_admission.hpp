#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "gpusched/chain/admission.hpp"

namespace gpusched::report {

/// Adds `gates` and `admission` to a ChainReport; `explain` names the only workload that is wanted, "" all.
void put_admission(nlohmann::ordered_json& report, const chain::Chain& chain, const chain::AdmissionResult& result,
                   std::string_view explain);

}  // namespace gpusched::report
