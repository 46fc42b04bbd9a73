#pragma once

#include <map>
#include <string>

#include "gpusched/io/decode.hpp"

namespace gpusched::io {

/// Where each object of an input was read: its source by "Kind namespace/name".
using SeenObjects = std::map<std::string, std::string>;

/// What every reader of whole objects does behind one: an object whose name was there before is an error
/// ("duplicate-object"), and what the decoder found is appended to `found`, with the object's name. An empty name is no
/// name.
void finish_object(Decoder& decoder, const Document& document, const std::string& name, SeenObjects& seen,
                   Diagnostics& found);

/// Two dumps of one cluster in a folder repeat every object: the first few duplicates stay, one error stands for the
/// rest and says what to do.
[[nodiscard]] Diagnostics fold_duplicates(Diagnostics errors);

}  // namespace gpusched::io
