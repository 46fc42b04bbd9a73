#include "render/yaml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "gpusched/base/text.hpp"

namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Letters first, then letters, digits and a few marks that have no meaning in YAML inside a word.
bool is_plain(std::string_view text) {
  // YAML 1.1 readers, Kubernetes' among them, take these words for something else in any case.
  static constexpr std::array<std::string_view, 9> kReserved = {"true", "false", "yes", "no", "on",
                                                                "off",  "null",  "y",   "n"};
  if (text.empty() || !is_letter(text.front())) {
    return false;
  }
  if (!std::ranges::all_of(
          text, [](char c) { return is_letter(c) || is_digit(c) || std::string_view("._/-").contains(c); })) {
    return false;
  }
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return std::ranges::find(kReserved, lower) == kReserved.end();
}

/// A JSON string is a YAML double-quoted scalar but for the characters that only JSON may print as they are (YAML 1.2,
/// section 5.1; those that a 1.1 reader takes for a line break or a byte order mark). What hides or turns text round is
/// escaped, too: people read YAML.
std::string double_quoted(const Json& text) {
  std::string out = escape_control(text.dump(-1, ' ', false, Json::error_handler_t::replace));
  for (const auto& [character, escape] : {std::pair{"\xef\xbf\xbe", "\\ufffe"}, std::pair{"\xef\xbf\xbf", "\\uffff"}}) {
    for (std::size_t at = out.find(character); at != std::string::npos; at = out.find(character, at)) {
      out.replace(at, 3, escape);
    }
  }
  return out;
}

std::string text_scalar(const std::string& text) {
  return is_plain(text) ? text : double_quoted(text);
}

std::string scalar(const Json& value) {
  // Numbers, booleans and null are written as in JSON.
  return value.is_string() ? text_scalar(value.get_ref<const std::string&>()) : value.dump();
}

void write(const Json& value, std::size_t indent, bool in_list, std::string& out);

void write_member_value(const Json& value, std::size_t indent, std::string& out) {
  if (!value.is_structured()) {
    out += ' ' + scalar(value) + '\n';
  } else if (value.empty()) {
    out += value.is_array() ? " []\n" : " {}\n";
  } else {
    out += '\n';
    write(value, value.is_array() ? indent : indent + 2, false, out);
  }
}

// `in_list`: the first line continues after "- ".
void write(const Json& value, std::size_t indent, bool in_list, std::string& out) {
  bool first = in_list;
  const auto start_line = [&] {
    if (!first) {
      out.append(indent, ' ');
    }
    first = false;
  };
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, member] : value.items()) {
      start_line();
      out += text_scalar(key);
      out += ':';
      write_member_value(member, indent, out);
    }
  } else if (value.is_array() && !value.empty()) {
    for (const Json& item : value) {
      start_line();
      out += "- ";
      write(item, indent + 2, true, out);
    }
  } else {
    start_line();
    out += (value.is_array() ? "[]" : value.is_object() ? "{}" : scalar(value)) + '\n';
  }
}

}  // namespace

std::string yaml(const Json& document) {
  std::string out;
  write(document, 0, false, out);
  return out;
}

}  // namespace gpusched::render
