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

inline constexpr OptionSpec kMigPartedOption{
    .name = "mig-parted-config",
    .value = "FILE",
    .help = "with --mig-layout: configurations of the MIG manager, plain or in their ConfigMap; LAYOUT may name one",
    .needs = "mig-layout"};

/// Answers --mig-layout: of a board by its name, without a cluster, or of a node or node/index of CLUSTER. 0: every
/// layout is legal, 1: one is not.
[[nodiscard]] int answer_mig_layouts(const Arguments& arguments, Inputs& inputs, Terminal& terminal);

}  // namespace gpusched::cli
