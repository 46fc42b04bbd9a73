#pragma once

#include <string_view>

#include "cli/completion.hpp"

namespace gpusched::cli {

/// Whether a word that may be a file or a name is a file: "-", a word that ends in .json, .yaml or .yml, or a file that
/// is there. A folder is none, for `ml/train` may be one beside the pod of that name.
[[nodiscard]] bool names_file(std::string_view word);

/// The nodes, pods and namespaces that files name, each once and sorted. A completion must come at once and never fail:
/// files above 64 MB in sum, standard input and whatever cannot be read name nothing.
[[nodiscard]] InputNames read_input_names(std::span<const std::string> files);

}  // namespace gpusched::cli
