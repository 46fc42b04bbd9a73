#pragma once

#include <optional>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/io/cluster_dump.hpp"

namespace gpusched::io {

/// A warning when all pods that an API server printed are of one namespace: the sign of a partial dump that also small
/// clusters and recorded examples do not bear.
[[nodiscard]] std::optional<Diagnostic> pods_of_one_namespace(const ClusterDump& dump);

/// What a dump lacks, first of all whether it is partial (warnings), and how many objects of which kinds are left alone
/// (a note).
[[nodiscard]] Diagnostics dump_remarks(const ClusterDump& dump);

}  // namespace gpusched::io
