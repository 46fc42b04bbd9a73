#pragma once

#include <simdjson.h>

#include <span>
#include <string>
#include <string_view>

namespace gpusched::io {

/// Which members of a JSON object are kept, as a tree. A member without children is kept whole; children of a list
/// apply to each of its elements; with drop_bare, elements of which nothing but scalars is left are dropped (volumes
/// that only have a name, which the API server makes up for every pod).
struct Projection {
  std::string_view key;
  std::span<const Projection> children = {};
  bool drop_bare = false;
};

/// Appends the JSON text of `object` reduced to the members of `fields`, in their order and with the text's own
/// spelling. Duplicate members stay duplicate, so that the decoder sees them.
[[nodiscard]] simdjson::error_code project(simdjson::ondemand::object object, std::span<const Projection> fields,
                                           std::string& out);

/// Appends the value of a member that is kept.
[[nodiscard]] simdjson::error_code project_value(simdjson::ondemand::value value, const Projection& wanted,
                                                 std::string& out);

/// The key of a member, unescaped only when it holds a backslash.
[[nodiscard]] std::string_view key_text(simdjson::ondemand::field& field);

}  // namespace gpusched::io
