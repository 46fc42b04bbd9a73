#pragma once

#include "cli/arguments.hpp"
#include "cli/inputs.hpp"
#include "cli/terminal.hpp"

namespace gpusched::cli {

/// `k8s --message`: what a scheduler's message means without a cluster. The exit code is that of a Pending pod.
int answer_message(const Arguments& arguments, Inputs& inputs, Terminal& terminal);

}  // namespace gpusched::cli
