#include "gpusched/objects/selector_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gpusched/base/text.hpp"

namespace gpusched::objects {

namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) {
    text.remove_prefix(1);
  }
  while (text.ends_with(' ')) {
    text.remove_suffix(1);
  }
  return text;
}

/// Up to the next comma outside of parentheses; takes it off the text.
std::string_view take_part(std::string_view& text) {
  std::size_t depth = 0;
  std::size_t end = 0;
  for (; end < text.size() && (text[end] != ',' || depth > 0); ++end) {
    depth += text[end] == '(' ? 1 : 0;
    depth -= text[end] == ')' && depth > 0 ? 1 : 0;
  }
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return trimmed(part);
}

bool is_key(std::string_view text) {
  return !text.empty() && text.find_first_of(" ()=!,") == std::string_view::npos;
}

bool is_value(std::string_view text) {
  return text.find_first_of(" ()=!,") == std::string_view::npos;
}

/// "key in (a, b)" and "key notin (a, b)".
std::optional<LabelSelectorRequirement> parse_set(std::string_view part) {
  const std::size_t open = part.find('(');
  if (open == std::string_view::npos || !part.ends_with(')')) {
    return std::nullopt;
  }
  std::string_view head = trimmed(part.substr(0, open));
  LabelSelectorRequirement requirement;
  for (const auto& [word, op] : {std::pair{" notin", "NotIn"}, {" in", "In"}}) {
    if (head.ends_with(word)) {
      requirement.op = op;
      head.remove_suffix(std::string_view(word).size());
      break;
    }
  }
  head = trimmed(head);
  std::string_view list = part.substr(open + 1, part.size() - open - 2);
  while (!list.empty()) {
    requirement.values.emplace_back(take_part(list));
    if (!is_value(requirement.values.back())) {
      return std::nullopt;
    }
  }
  requirement.key = head;
  return requirement.op.empty() || !is_key(head) || requirement.values.empty() ? std::nullopt
                                                                               : std::optional(std::move(requirement));
}

std::optional<LabelSelectorRequirement> parse_requirement(std::string_view part) {
  if (part.find('(') != std::string_view::npos) {
    return parse_set(part);
  }
  if (const std::size_t equals = part.find('='); equals != std::string_view::npos) {
    const bool negated = equals > 0 && part[equals - 1] == '!';
    const std::size_t doubled = part.substr(equals).starts_with("==") ? 2 : 1;
    const std::string_view key = trimmed(part.substr(0, equals - (negated ? 1 : 0)));
    const std::string_view value = trimmed(part.substr(equals + doubled));
    return is_key(key) && is_value(value) ? std::optional(LabelSelectorRequirement{
                                                std::string(key), negated ? "NotIn" : "In", {std::string(value)}})
                                          : std::nullopt;
  }
  const bool absent = part.starts_with('!');
  const std::string_view key = trimmed(absent ? part.substr(1) : part);
  return is_key(key) ? std::optional(LabelSelectorRequirement{std::string(key), absent ? "DoesNotExist" : "Exists", {}})
                     : std::nullopt;
}

}  // namespace

Result<LabelSelector> parse_label_selector(std::string_view text) {
  LabelSelector selector;
  while (!trimmed(text).empty()) {
    const std::string_view part = take_part(text);
    std::optional<LabelSelectorRequirement> requirement = parse_requirement(part);
    if (!requirement) {
      return fail("label-selector", fmt::format("{} is no part of a label selector", quote(part)),
                  "key=value, key!=value, key in (a,b), key notin (a,b), key or !key, with commas between them");
    }
    selector.match_expressions.push_back(std::move(*requirement));
  }
  return selector;
}

}  // namespace gpusched::objects
