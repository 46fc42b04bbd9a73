#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "gpusched/placement/placer.hpp"
#include "gpusched/report/placement.hpp"

/// Parts of a PlacementReport; docs/formats/placement-report.md describes them.
namespace gpusched::report {

/// `nodes` of a Pending pod: [{reason, count, examples[]}].
[[nodiscard]] nlohmann::ordered_json reason_list(const ClusterShape& shape, const PodClass& pod,
                                                 std::span<const placement::ReasonGroup> groups);

/// `drainable`: the answer of --drainable.
[[nodiscard]] nlohmann::ordered_json drainable_object(const ClusterUsage& usage, const whatif::Disruption& disruption,
                                                      const whatif::DrainAnswer& answer);
/// `defrag`: the answer of --defrag.
[[nodiscard]] nlohmann::ordered_json defrag_object(const ClusterUsage& usage, const whatif::Disruption& disruption,
                                                   const DefragPart& part);
/// `minNodes`: the answer of --min-nodes.
[[nodiscard]] nlohmann::ordered_json min_nodes_object(const ClusterUsage& usage, const MinNodesPart& part);
/// `compare`: a row for each alternative.
[[nodiscard]] nlohmann::ordered_json compare_object(std::span<const whatif::ComparisonRow> rows);

}  // namespace gpusched::report
