#pragma once

#include <vector>

#include "cli/inputs.hpp"
#include "gpusched/whatif/min_nodes.hpp"

namespace gpusched::cli {

/// The kinds of nodes that --min-nodes names, with the prices of --prices. A word is a shape of the catalogue, a file
/// with one node, or "like:NODE" for copies of a node of the cluster.
[[nodiscard]] Result<std::vector<whatif::ShapeOffer>> shape_offers(const Arguments& arguments, Inputs& inputs,
                                                                   const ClusterShape& shape);

}  // namespace gpusched::cli
