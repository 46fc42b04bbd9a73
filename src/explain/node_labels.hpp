#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "gpusched/objects/node.hpp"

namespace gpusched::explain {

/// "" when the node has no such label.
inline std::string label_of(const objects::Node& node, std::string_view key) {
  const std::string* const value = objects::find(node.meta.labels, key);
  return value == nullptr ? std::string() : *value;
}

/// 0 when the label is not there or no number.
inline std::int64_t label_number(const objects::Node& node, std::string_view key) {
  const std::string text = label_of(node, key);
  std::int64_t number = 0;
  return std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc() ? number : 0;
}

}  // namespace gpusched::explain
