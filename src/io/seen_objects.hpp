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

/// Takes line and column off what a decoder found in an object of ClusterDump::others, unless its text is the whole
/// source: they count from the start of the object. Objects of YAML keep the whole.
void forget_reduced_place(Diagnostic& diagnostic, const Document& document);

/// Two dumps of one cluster in a folder repeat every object: the first few duplicates stay, one error stands for the
/// rest and says what to do.
[[nodiscard]] Diagnostics fold_duplicates(Diagnostics errors);

}  // namespace gpusched::io
