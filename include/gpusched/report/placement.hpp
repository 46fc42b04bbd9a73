#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpusched/frag/fragmentation.hpp"
#include "gpusched/placement/place.hpp"
#include "gpusched/report/document.hpp"
#include "gpusched/whatif/compare.hpp"
#include "gpusched/whatif/defrag.hpp"
#include "gpusched/whatif/drain.hpp"
#include "gpusched/whatif/min_nodes.hpp"

namespace gpusched::report {

/// The answer to `--fill POD`.
struct FillAnswer {
  std::string pod;
  PodClassId pod_class;
  placement::FillResult result;
};

/// The answer to `--defrag NAME`.
struct DefragPart {
  std::string wanted;             ///< as it was asked
  std::vector<std::string> pods;  ///< whose names that means
  int max_moves = 0;
  whatif::DefragAnswer answer;
};

/// The answer to `--min-nodes`.
struct MinNodesPart {
  std::vector<std::string> names;                   ///< of the offers
  std::vector<std::optional<std::int64_t>> prices;  ///< of the offers, in millionths
  std::int64_t pending = 0;                         ///< pods without a place on the present nodes
  whatif::MinNodesAnswer answer;
};

/// What `place` was asked beside placing.
struct PlacementParts {
  std::optional<FillAnswer> fill;
  whatif::Disruption disruption;  ///< of the cluster, for the names of budgets
  std::optional<whatif::DrainAnswer> drainable;
  std::optional<DefragPart> defrag;
  std::vector<whatif::ComparisonRow> compare;
  std::optional<MinNodesPart> min_nodes;
  Cluster cluster = Cluster::kLeftOut;
};

/// The whole PlacementReport; `usage` is the cluster after the run, which stands in it when it is to be shown.
/// `fail_on`: what else makes the answer a no.
[[nodiscard]] Document placement_report(const ClusterUsage& usage, const placement::Options& options,
                                        const placement::PlacementResult& result,
                                        const frag::Fragmentation& fragmentation, const PlacementParts& parts,
                                        std::span<const std::string> fail_on = {});

}  // namespace gpusched::report
