#pragma once

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/terminal.hpp"

namespace gpusched::cli {

inline constexpr OptionSpec kMigLayoutOption{
    .name = "mig-layout",
    .value = "TARGET=LAYOUT",
    .help = "instead: can a board, or a GPU of a node, be cut like that, in which order, and who has to go",
    .repeatable = true};

/// Answers --mig-layout: of a board by its name, without a cluster, or of a node or node/index of CLUSTER. 0: every
/// layout is legal, 1: one is not.
[[nodiscard]] int answer_mig_layouts(const Arguments& arguments, Inputs& inputs, Terminal& terminal);

}  // namespace gpusched::cli
