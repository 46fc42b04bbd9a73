#pragma once

#include <nlohmann/json.hpp>

#include "gpusched/whatif/repartition.hpp"

namespace gpusched::report {

/// `repartition` of a FragmentationReport; docs/formats/fragmentation-report.md describes it.
[[nodiscard]] nlohmann::ordered_json repartition_object(const ClusterUsage& usage, const whatif::Disruption& disruption,
                                                        const whatif::RepartitionAnswer& answer);

}  // namespace gpusched::report
