#pragma once

#include <string_view>

#include "cli/inputs.hpp"
#include "gpusched/whatif/node_shapes.hpp"

namespace gpusched::cli {

/// The node that copies of are to be added: a shape of the catalogue ("aws/p5.48xlarge"), or the one node in a file, be
/// it of a fixture or a Kubernetes Node. A word that is a path, ends like a file or exists is a file. Errors: those of
/// reading, "unknown-shape", "not-one-node".
[[nodiscard]] Result<whatif::NodeTemplate> read_node_template(std::string_view text, Inputs& inputs);

}  // namespace gpusched::cli
