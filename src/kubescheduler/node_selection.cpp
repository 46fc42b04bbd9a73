#include "kubescheduler/node_selection.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace gpusched::kubescheduler {

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

bool holds(const objects::NodeSelectorRequirement& requirement, const objects::Labels& labels) {
  const std::string& op = requirement.op;
  const auto& values = requirement.values;
  const std::string* const value = objects::find(labels, requirement.key);
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

bool field_holds(const objects::NodeSelectorRequirement& requirement, std::string_view node_name) {
  if (requirement.values.size() != 1) {
    return false;
  }
  const bool equal = requirement.values.front() == (requirement.key == "metadata.name" ? node_name : "");
  return (requirement.op == "In" && equal) || (requirement.op == "NotIn" && !equal);
}

}  // namespace

bool matches(const objects::NodeSelectorTerm& term, const objects::Labels& labels, std::string_view node_name) {
  if (term.match_expressions.empty() && term.match_fields.empty()) {
    return false;
  }
  return std::ranges::all_of(term.match_expressions, [&](const auto& r) { return holds(r, labels); }) &&
         std::ranges::all_of(term.match_fields, [&](const auto& r) { return field_holds(r, node_name); });
}

bool matches(const objects::NodeSelector& selector, const objects::Labels& labels, std::string_view node_name) {
  return std::ranges::any_of(selector.terms, [&](const auto& term) { return matches(term, labels, node_name); });
}

bool matches_required(const objects::Pod& pod, const objects::Node& node) {
  for (const auto& [key, wanted] : pod.spec.node_selector) {
    const std::string* const value = objects::find(node.meta.labels, key);
    if (value == nullptr || *value != wanted) {
      return false;
    }
  }
  const auto& affinity = pod.spec.affinity.node;
  return !affinity || !affinity->required || matches(*affinity->required, node.meta.labels, node.meta.name);
}

const objects::Taint* find_untolerated(const objects::Node& node, const objects::Pod& pod, bool compare_numbers) {
  for (const objects::Taint& taint : node.spec.taints) {
    if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") {
      continue;
    }
    const auto tolerated = [&](const objects::Toleration& t) { return tolerates(t, taint, compare_numbers); };
    if (std::ranges::none_of(pod.spec.tolerations, tolerated)) {
      return &taint;
    }
  }
  return nullptr;
}

}  // namespace gpusched::kubescheduler
