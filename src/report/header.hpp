#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace gpusched::report {

/// The first two members of every document.
[[nodiscard]] inline nlohmann::ordered_json document_header(std::string_view kind) {
  return {{"apiVersion", "gpusched/v1alpha1"}, {"kind", kind}};
}

}  // namespace gpusched::report
