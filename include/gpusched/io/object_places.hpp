#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpusched/io/document.hpp"

namespace gpusched::io {

/// An object with a name, and where it stands.
struct NamedPlace {
  std::string kind;        ///< "pod", "node", "deployment": in lower case, "claim" for a ResourceClaim
  std::string name_space;  ///< "" when it has none
  std::string name;
  std::uint32_t line = 0;  ///< 1-based
  std::string pointer;     ///< into its document
};

/// The named objects of a document, in its order: entries of a fixture's lists, Kubernetes objects, also in Lists. For
/// reports that point into files; nothing else is checked.
[[nodiscard]] std::vector<NamedPlace> named_places(const Document& document);

}  // namespace gpusched::io
