#include "io/document_yaml.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <exception>
#include <istream>
#include <streambuf>
#include <utility>

#include "io/excerpt.hpp"
#include "io/tree_builder.hpp"
#include "io/yaml_error.hpp"
#include "io/yaml_events.hpp"

namespace gpusched::io {

namespace {

/// Reads a text in memory; std::istringstream would copy it.
class TextBuffer : public std::streambuf {
 public:
  explicit TextBuffer(std::string_view text) {
    char* const begin = const_cast<char*>(text.data());  // NOLINT: the get area is never written
    setg(begin, begin, begin + text.size());
  }
};

/// yaml-cpp takes any bytes, and ends the text at U+0004.
std::optional<SyntaxError> find_bad_character(std::string_view text) {
  const std::size_t bad_byte = find_invalid_utf8(text);
  const auto* control = std::ranges::find_if(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f;
  });
  const auto control_at = static_cast<std::size_t>(control - text.begin());
  if (control != text.end() && control_at < bad_byte) {
    return SyntaxError{control_at, "control-character",
                       fmt::format("the control character {} is not allowed", found_at(text, control_at)),
                       "write it as an escape in double quotes"};
  }
  if (bad_byte == std::string_view::npos) return std::nullopt;
  return SyntaxError{bad_byte, "invalid-utf8",
                     fmt::format("the byte 0x{:02x} is not valid UTF-8", static_cast<unsigned char>(text[bad_byte])),
                     "convert the file, for example with iconv -f LATIN1 -t UTF-8"};
}

}  // namespace

ParseOutcome parse_yaml(std::string_view text, std::pmr::memory_resource& arena, const Limits& limits) {
  ParseOutcome outcome;
  if (std::optional<SyntaxError> error = find_bad_character(text)) {
    outcome.errors.push_back(std::move(*error));
    return outcome;
  }
  TreeBuilder builder(arena);
  YamlEvents events(text, builder, limits, outcome.roots);
  try {
    TextBuffer buffer(text);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(events)) {
    }
    outcome.errors = duplicate_errors(builder, text, !limits.cut_out);
  } catch (const YamlRefusal& refusal) {
    outcome.errors.push_back(refusal.error);
  } catch (const YAML::Exception& error) {
    const auto place = static_cast<std::size_t>(std::max(error.mark.pos, 0));
    outcome.errors.push_back(explain_yaml_error(text, place, error.msg));
  } catch (const std::exception& error) {
    outcome.errors.push_back({0, "yaml-syntax", fmt::format("this YAML cannot be read: {}", error.what())});
  }
  return outcome;
}

}  // namespace gpusched::io
