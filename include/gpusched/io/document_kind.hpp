#pragma once

#include <string>
#include <string_view>

#include "gpusched/io/document.hpp"

namespace gpusched::io {

/// What a document is, in the words of a message about a wrong file: "a Kubernetes List", "a pod list", "a suite",
/// "an answer of gpusched (GangReport)", "an object with \"actions\"".
[[nodiscard]] std::string describe_document(const Value& root);

/// Which command reads such a document; "" when none is known for it.
[[nodiscard]] std::string_view reader_of(const Value& root);

}  // namespace gpusched::io
