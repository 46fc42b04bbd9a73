#pragma once

#include "cli/inputs.hpp"

namespace gpusched::cli {

/// The cluster of --gpus: "128" is one pool of GPUs, "16x8" are 16 nodes with 8 GPUs each.
struct EqualNodes {
  bool pool = false;
  std::size_t nodes = 0;  ///< 0: the cluster comes from files
  std::size_t gpus = 0;
};

/// What --gpus says. Error code "bad-usage".
[[nodiscard]] Result<EqualNodes> equal_nodes(const Arguments& arguments);

}  // namespace gpusched::cli
