#include "dra/node_match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <vector>

#include "gpusched/base/text.hpp"

namespace gpusched::dra {

namespace {

using objects::NodeSelector;
using objects::NodeSelectorRequirement;
using objects::NodeSelectorTerm;

// The selector as the generated String method of core/v1 prints it.
std::string go_text(const NodeSelectorRequirement& requirement) {
  return fmt::format("NodeSelectorRequirement{{Key:{},Operator:{},Values:[{}],}}", requirement.key, requirement.op,
                     join(requirement.values, " "));
}

std::string go_text(const std::vector<NodeSelectorRequirement>& requirements) {
  std::string text = "[]NodeSelectorRequirement{";
  for (const NodeSelectorRequirement& requirement : requirements) text += go_text(requirement) + ",";
  return text + "}";
}

std::string go_text(const NodeSelector& selector) {
  std::string text = "&NodeSelector{NodeSelectorTerms:[]NodeSelectorTerm{";
  for (const NodeSelectorTerm& term : selector.terms) {
    text += fmt::format("NodeSelectorTerm{{MatchExpressions:{},MatchFields:{},}},", go_text(term.match_expressions),
                        go_text(term.match_fields));
  }
  return text + "},}";
}

std::string json_list(const std::vector<std::string>& values) {
  std::vector<std::string> quoted;
  for (const std::string& value : values) quoted.push_back("\"" + value + "\"");
  return values.empty() ? "null" : "[" + join(quoted, ",") + "]";
}

std::optional<std::int64_t> parse_int(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string unsupported(const std::string& path, const std::string& op, std::string_view supported) {
  return fmt::format("{}.operator: Unsupported value: \"{}\": supported values: {}", path, op, supported);
}

// Errors of one requirement on labels come as one aggregate.
void check_expression(const NodeSelectorRequirement& requirement, const std::string& path,
                      std::vector<std::string>& errors) {
  const std::vector<std::string>& values = requirement.values;
  const std::string invalid = fmt::format("{}.values: Invalid value: {}: ", path, json_list(values));
  if (requirement.op == "In" || requirement.op == "NotIn") {
    if (values.empty()) errors.push_back(invalid + "for 'in', 'notin' operators, values set can't be empty");
  } else if (requirement.op == "Exists" || requirement.op == "DoesNotExist") {
    if (!values.empty()) errors.push_back(invalid + "values set must be empty for exists and does not exist");
  } else if (requirement.op == "Gt" || requirement.op == "Lt") {
    if (values.size() != 1) errors.push_back(invalid + "for 'Gt', 'Lt' operators, exactly one value is required");
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (parse_int(values[i])) continue;
      errors.push_back(
          fmt::format("{}.values[{}]: Invalid value: \"{}\": for 'Gt', 'Lt' operators, the value must be an integer",
                      path, i, values[i]));
    }
  } else {
    errors.push_back(unsupported(path, requirement.op, R"("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")"));
  }
}

void check_field(const NodeSelectorRequirement& requirement, const std::string& path,
                 std::vector<std::string>& errors) {
  if (requirement.op != "In" && requirement.op != "NotIn") {
    errors.push_back(unsupported(path, requirement.op, R"("In", "NotIn")"));
  } else if (requirement.values.size() != 1) {
    errors.push_back(
        fmt::format("{}.values: Invalid value: {}: must have one element", path, json_list(requirement.values)));
  }
}

// "" for a selector that can be parsed.
std::string parse_error(const NodeSelector& selector) {
  std::vector<std::string> errors;
  for (std::size_t t = 0; t < selector.terms.size(); ++t) {
    const NodeSelectorTerm& term = selector.terms[t];
    for (std::size_t i = 0; i < term.match_expressions.size(); ++i) {
      check_expression(term.match_expressions[i], fmt::format("nodeSelectorTerms[{}].matchExpressions[{}]", t, i),
                       errors);
    }
    for (std::size_t i = 0; i < term.match_fields.size(); ++i) {
      check_field(term.match_fields[i], fmt::format("nodeSelectorTerms[{}].matchFields[{}]", t, i), errors);
    }
  }
  std::vector<std::string> different;
  for (std::string& error : errors) {
    if (std::ranges::find(different, error) == different.end()) different.push_back(std::move(error));
  }
  if (different.size() < 2) return different.empty() ? "" : different.front();
  return "[" + join(different, ", ") + "]";
}

bool holds(const NodeSelectorRequirement& requirement, const std::string* value) {
  if (requirement.op == "Exists") return value != nullptr;
  if (requirement.op == "DoesNotExist") return value == nullptr;
  const bool listed = value != nullptr && std::ranges::find(requirement.values, *value) != requirement.values.end();
  if (requirement.op == "In") return listed;
  if (requirement.op == "NotIn") return !listed;
  if (value == nullptr) return false;
  const std::optional<std::int64_t> number = parse_int(*value);
  const std::optional<std::int64_t> limit = parse_int(requirement.values.front());
  return number && limit && (requirement.op == "Gt" ? *number > *limit : *number < *limit);
}

bool holds(const NodeSelectorTerm& term, const NodeFacts& node) {
  if (term.match_expressions.empty() && term.match_fields.empty()) return false;
  for (const NodeSelectorRequirement& requirement : term.match_expressions) {
    const auto label = std::ranges::find(node.labels, requirement.key, &std::pair<std::string, std::string>::first);
    if (!holds(requirement, label == node.labels.end() ? nullptr : &label->second)) return false;
  }
  // A field that a node does not have is the empty text.
  const std::string nothing;
  return std::ranges::all_of(term.match_fields, [&](const NodeSelectorRequirement& requirement) {
    return node.name.empty() || holds(requirement, requirement.key == "metadata.name" ? &node.name : &nothing);
  });
}

}  // namespace

std::expected<bool, std::string> selects(const NodeSelector& selector, const NodeFacts& node) {
  if (std::string error = parse_error(selector); !error.empty()) return std::unexpected(std::move(error));
  return std::ranges::any_of(selector.terms, [&](const NodeSelectorTerm& term) { return holds(term, node); });
}

std::expected<bool, std::string> node_matches(const NodeFacts& node, const std::optional<std::string>& node_name,
                                              const std::optional<bool>& all_nodes,
                                              const std::optional<NodeSelector>& selector) {
  if (node_name && !node_name->empty()) return node.name == *node_name;
  if (all_nodes.value_or(false)) return true;
  if (!selector) return false;
  std::expected<bool, std::string> match = selects(*selector, node);
  if (!match) {
    return std::unexpected(fmt::format("failed to parse node selector {}: {}", go_text(*selector), match.error()));
  }
  return match;
}

}  // namespace gpusched::dra
