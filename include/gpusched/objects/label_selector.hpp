#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpusched/objects/meta.hpp"

namespace gpusched::objects {

/// `op` is kept as written: In, NotIn, Exists, DoesNotExist.
struct LabelSelectorRequirement {
  std::string key;
  std::string op;
  std::vector<std::string> values;

  bool operator==(const LabelSelectorRequirement&) const = default;
};

/// meta/v1 LabelSelector: all of it must hold, an empty one matches everything. Where the API has a pointer, an absent
/// selector is std::nullopt and means what the user of the selector says.
struct LabelSelector {
  Labels match_labels;
  std::vector<LabelSelectorRequirement> match_expressions;

  [[nodiscard]] bool empty() const { return match_labels.empty() && match_expressions.empty(); }
  bool operator==(const LabelSelector&) const = default;
};

/// Whether the labels satisfy the selector. NotIn and DoesNotExist hold for a missing label; an unknown operator never
/// holds.
[[nodiscard]] bool matches(const LabelSelector& selector, const Labels& labels);

/// Why the selector cannot be used, in apimachinery's words for an operator that it does not know; "" if it can.
[[nodiscard]] std::string selector_error(const LabelSelector& selector);

}  // namespace gpusched::objects
