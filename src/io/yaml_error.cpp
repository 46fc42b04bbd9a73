#include "io/yaml_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "io/excerpt.hpp"

namespace gpusched::io {

namespace {

struct Explanation {
  std::string_view parser_message;  ///< how yaml-cpp's message starts
  std::string_view message;         ///< "{}" stands for what was found
  std::string_view hint;
};

constexpr Explanation kExplanations[] = {
    {"illegal map value", "a second ':' on one line is not allowed here",
     "put the value in quotes if it contains ': ', or check the indentation"},
    {"illegal map key", "a key is not allowed here", "check the indentation"},
    {"illegal block entry", "a list item '-' is not allowed here", "put the list on the lines below its key"},
    {"illegal flow end", "found {} without its opening bracket", "put the text in quotes if it is a string"},
    {"end of map not found", "expected a 'key: value' line of the object above, found {}",
     "check the indentation, and that every key ends with ': '"},
    {"end of sequence not found", "expected a '- ' item of the list above, found {}", "check the indentation"},
    {"end of map flow not found", "expected ',' or '}' in an object in braces, found {}",
     "a closing '}' or a comma may be missing"},
    {"end of sequence flow not found", "expected ',' or ']' in a list in brackets, found {}",
     "a closing ']' or a comma may be missing"},
    {"illegal EOF in scalar", "a quoted string is never closed", "add the closing quote"},
    {"illegal document indicator in scalar", "a new document starts inside a quoted string", "add the closing quote"},
    {"illegal character in scalar", "found {} inside a scalar", "put the text in quotes"},
    {"unknown token", "{} cannot start a value", "put the text in quotes if it is a string"},
    {"the referenced anchor is not defined", "the alias {} has no anchor before it",
     "put the text in quotes if it is a string"},
    {"unknown escape character", "an unknown escape stands in a string in double quotes",
     "write \\\\ for a backslash, or use single quotes"},
    {"bad character found while scanning hex number", "an escape in double quotes has a bad hex digit",
     "write \\\\ for a backslash, or use single quotes"},
    {"invalid unicode", "an escape in double quotes names no Unicode character", ""},
    {"alias not found after *", "'*' must be followed by the name of an anchor",
     "put the text in quotes if it is a string"},
    {"anchor not found after &", "'&' must be followed by a name", "put the text in quotes if it is a string"},
    {"illegal character found while scanning alias", "{} is not allowed in the name of an alias", ""},
    {"illegal character found while scanning anchor", "{} is not allowed in the name of an anchor", ""},
    {"unexpected character in block scalar", "found {} behind '|' or '>'", "start the text on the next line"},
    {"cannot assign multiple tags", "a value has two tags", ""},
    {"cannot assign multiple anchors", "a value has two anchors", ""},
    {"aliases can't have any content", "an alias cannot have a value of its own", ""},
};

std::string_view line_at(std::string_view text, std::size_t offset) {
  const std::size_t before = text.substr(0, offset).rfind('\n');
  const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
  return text.substr(start, text.find('\n', offset) - start);
}

/// The offset of a tab among the blanks that start the line at `offset`, or npos.
std::size_t indentation_tab(std::string_view text, std::size_t offset) {
  const std::string_view line = line_at(text, offset);
  const std::size_t tab = line.find_first_not_of(' ');
  const bool found = tab != std::string_view::npos && line[tab] == '\t';
  return found ? static_cast<std::size_t>(line.data() - text.data()) + tab : std::string_view::npos;
}

std::string found_token(std::string_view text, std::size_t offset) {
  return found_at(text, text.find_first_not_of(" \t", offset));
}

std::string substitute(std::string_view pattern, const std::string& found) {
  std::string message(pattern);
  const std::size_t place = message.find("{}");
  return place == std::string::npos ? message : message.replace(place, 2, found);
}

}  // namespace

SyntaxError explain_yaml_error(std::string_view text, std::size_t offset, std::string_view parser_message) {
  offset = std::min(offset, text.size());
  for (const std::size_t place : {offset, offset == 0 ? offset : offset - 1}) {
    const std::size_t tab = indentation_tab(text, place);
    if (tab == std::string_view::npos) continue;
    return {tab, "yaml-tab", "a tab is not allowed in the indentation of YAML", "indent with spaces"};
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first < text.size() && text[first] == '"' && text.substr(offset, 1) == ",") {
    return {first, "json-syntax", "this is a part of a JSON text: its braces are missing", "give the whole JSON text"};
  }
  for (const Explanation& known : kExplanations) {
    if (!parser_message.starts_with(known.parser_message)) continue;
    return {offset, "yaml-syntax", substitute(known.message, found_token(text, offset)), std::string(known.hint)};
  }
  return {offset, "yaml-syntax", fmt::format("{}, at {}", parser_message, found_token(text, offset))};
}

}  // namespace gpusched::io
