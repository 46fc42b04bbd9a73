#pragma once

#include "cli/completion.hpp"

namespace gpusched::cli {

/// The nodes, pods and namespaces that files name, each once and sorted. A completion must come at once and never fail:
/// files above 64 MB in sum, standard input and whatever cannot be read name nothing.
[[nodiscard]] InputNames read_input_names(std::span<const std::string> files);

}  // namespace gpusched::cli
