#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpusched/frag/changes.hpp"
#include "gpusched/frag/fragmentation.hpp"
#include "gpusched/frag/holders.hpp"
#include "gpusched/frag/thresholds.hpp"
#include "gpusched/report/document.hpp"
#include "gpusched/whatif/repartition.hpp"

namespace gpusched::report {

/// What `frag` was asked beside the sizes.
struct FragmentationParts {
  std::vector<frag::Group> groups;                ///< of --by
  std::string group_by;                           ///< the value of --by; "" without it
  std::vector<frag::Holder> holders;              ///< of --by namespace and owner, in place of groups
  std::optional<frag::Changes> changes;           ///< of --baseline
  std::vector<frag::ThresholdAnswer> thresholds;  ///< of --max-stranded and --min-fit
  std::vector<frag::Range> domain_gangs;          ///< by gang, inside one NVLink domain; empty when no node has one
  std::optional<whatif::RepartitionAnswer> repartition;  ///< of --repartition-for
  whatif::Disruption disruption;                         ///< of the cluster, for the names of budgets
  Cluster cluster = Cluster::kLeftOut;
};

/// The whole FragmentationReport.
[[nodiscard]] Document fragmentation_report(const ClusterUsage& usage, const frag::Fragmentation& fragmentation,
                                            const FragmentationParts& parts);

}  // namespace gpusched::report
