#pragma once

#include <cstddef>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/io/document.hpp"

namespace gpusched::io {

/// parse_documents of every source, `jobs` sources at a time; documents and errors come in the order of the sources,
/// whatever `jobs` is.
[[nodiscard]] Result<std::vector<Document>> parse_sources(std::vector<Source> sources, std::size_t jobs,
                                                          const Limits& limits = {});

}  // namespace gpusched::io
