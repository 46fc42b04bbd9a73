#include "gpusched/objects/label_selector.hpp"

#include <algorithm>

namespace gpusched::objects {

namespace {

bool holds(const LabelSelectorRequirement& requirement, const Labels& labels) {
  const std::string* const value = find(labels, requirement.key);
  const bool listed = value != nullptr && std::ranges::find(requirement.values, *value) != requirement.values.end();
  if (requirement.op == "In") {
    return listed;
  }
  if (requirement.op == "NotIn") {
    return !listed;
  }
  if (requirement.op == "Exists") {
    return value != nullptr;
  }
  return requirement.op == "DoesNotExist" && value == nullptr;
}

}  // namespace

bool matches(const LabelSelector& selector, const Labels& labels) {
  const auto has = [&](const auto& wanted) {
    const std::string* const value = find(labels, wanted.first);
    return value != nullptr && *value == wanted.second;
  };
  return std::ranges::all_of(selector.match_labels, has) &&
         std::ranges::all_of(selector.match_expressions, [&](const auto& r) { return holds(r, labels); });
}

std::string selector_error(const LabelSelector& selector) {
  for (const LabelSelectorRequirement& requirement : selector.match_expressions) {
    const std::string& op = requirement.op;
    if (op != "In" && op != "NotIn" && op != "Exists" && op != "DoesNotExist") {
      return "\"" + op + "\" is not a valid label selector operator";
    }
  }
  return {};
}

}  // namespace gpusched::objects
