#pragma once

#include <simdjson.h>

#include <cstddef>
#include <string_view>

#include "gpusched/io/document.hpp"
#include "io/tree_builder.hpp"

namespace gpusched::io {

/// The tree of an array or object that starts at `offset` of `text`, where `document` stands. False when it is no valid
/// JSON or nested more than `max_depth` deep; keys that stand twice are in the builder. Values point into `text`,
/// unless the builder owns its texts.
[[nodiscard]] bool build_json_tree(simdjson::ondemand::document& document, std::string_view text, std::size_t offset,
                                   std::size_t max_depth, TreeBuilder& builder, Value& root);

}  // namespace gpusched::io
