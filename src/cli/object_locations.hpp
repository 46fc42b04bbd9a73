#pragma once

#include "cli/arguments.hpp"
#include "gpusched/report/document.hpp"

namespace gpusched::cli {

/// Where the objects of a command's input files stand, for reports that point at them. The files are read once more,
/// so it is asked for such reports only; standard input, files above 64 MiB and what cannot be read are left out. ""
/// stands for what is not found: the first file that may be meant.
[[nodiscard]] report::Locations object_locations(const Arguments& arguments);

}  // namespace gpusched::cli
