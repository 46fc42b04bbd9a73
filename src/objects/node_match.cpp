#include "gpusched/objects/node_match.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace gpusched::objects {

namespace {

/// As Go's strconv.ParseInt(text, 10, 64).
std::optional<std::int64_t> to_int64(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) {
      return std::nullopt;
    }
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

bool holds(const NodeSelectorRequirement& requirement, const Labels& labels) {
  const std::string& op = requirement.op;
  const auto& values = requirement.values;
  const std::string* const value = find(labels, requirement.key);
  if (op == "In" || op == "NotIn") {
    const bool listed = value != nullptr && std::ranges::find(values, *value) != values.end();
    return !values.empty() && listed == (op == "In");
  }
  if (op == "Exists" || op == "DoesNotExist") {
    return values.empty() && (value != nullptr) == (op == "Exists");
  }
  if ((op != "Gt" && op != "Lt") || values.size() != 1 || value == nullptr) {
    return false;
  }
  const auto bound = to_int64(values.front());
  const auto number = to_int64(*value);
  return bound && number && (op == "Gt" ? *number > *bound : *number < *bound);
}

bool field_holds(const NodeSelectorRequirement& requirement, std::string_view node_name) {
  if (requirement.values.size() != 1) {
    return false;
  }
  const bool equal = requirement.values.front() == (requirement.key == "metadata.name" ? node_name : "");
  return (requirement.op == "In" && equal) || (requirement.op == "NotIn" && !equal);
}

}  // namespace

bool matches(const NodeSelectorTerm& term, const Labels& labels, std::string_view node_name) {
  if (term.match_expressions.empty() && term.match_fields.empty()) {
    return false;
  }
  return std::ranges::all_of(term.match_expressions, [&](const auto& r) { return holds(r, labels); }) &&
         std::ranges::all_of(term.match_fields, [&](const auto& r) { return field_holds(r, node_name); });
}

bool matches(const NodeSelector& selector, const Labels& labels, std::string_view node_name) {
  return std::ranges::any_of(selector.terms, [&](const auto& term) { return matches(term, labels, node_name); });
}

const Taint* find_untolerated(std::span<const Taint> taints, std::span<const Toleration> tolerations,
                              bool compare_numbers) {
  for (const Taint& taint : taints) {
    if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") {
      continue;
    }
    const auto tolerated = [&](const Toleration& t) { return tolerates(t, taint, compare_numbers); };
    if (std::ranges::none_of(tolerations, tolerated)) {
      return &taint;
    }
  }
  return nullptr;
}

}  // namespace gpusched::objects
