#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpusched/io/document.hpp"

namespace gpusched::check {

/// A value of a document, and what shall stand in its place, as JSON.
struct ValueEdit {
  io::Value place;
  std::string json;
};

/// A document after edits, and of each edit whether it could be made.
struct EditedDocument {
  io::Document document;
  std::vector<bool> made;
};

/// A suite in which some values are others; all else, comments included, stays byte for byte. `document` is its text's
/// only one. Scalars, lists and objects in brackets and block texts ("|") can be replaced; an edit that cannot be made
/// in place, or that wants something else than an earlier one of the same value, is left out. The result is read again
/// and is the same document but for these values.
[[nodiscard]] EditedDocument replace_values(const io::Document& document, std::span<const ValueEdit> edits);

}  // namespace gpusched::check
