#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "gpusched/whatif/cluster_edit.hpp"

namespace gpusched::cli {

class Inputs;

/// The what-if flags, the same on every command that has them.
extern const std::span<const OptionSpec> kEditOptions;

/// Whether the command line changes the cluster.
[[nodiscard]] bool has_edits(const Arguments& arguments);

/// The edits in the order of the command line; reads the node files of --add. Errors: "bad-usage" with the form of the
/// flag, those of reading, "unknown-shape".
[[nodiscard]] Result<std::vector<whatif::ClusterEdit>> read_edits(const Arguments& arguments, Inputs& inputs);

/// Errors of applying edits, with the flag in the place of the edit's words: "--drain gpu-c".
[[nodiscard]] Diagnostics naming_flags(Diagnostics errors, std::span<const whatif::ClusterEdit> edits,
                                       const Arguments& arguments);

/// The keys of node labels that edits look at or change.
[[nodiscard]] std::vector<std::string> edited_labels(const Arguments& arguments);

}  // namespace gpusched::cli
