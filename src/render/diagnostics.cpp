#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gpusched/base/text.hpp"
#include "gpusched/render/render.hpp"

namespace gpusched::render {

namespace {

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return {};
}

// More than any message of ours needs. The JSON form has all of a text, for it is not read by people.
constexpr std::size_t kMaxPlace = 200;
constexpr std::size_t kMaxText = 4000;

/// "pods.json:12:5 /pods/3/gpus (pod train-8)"
std::string place_of(const Diagnostic& diagnostic) {
  std::string place = escape_control(diagnostic.source);
  if (!place.empty() && diagnostic.line > 0) {
    place += fmt::format(":{}", diagnostic.line);
    place += diagnostic.column > 0 ? fmt::format(":{}", diagnostic.column) : std::string();
  }
  if (!diagnostic.pointer.empty()) {
    place += (place.empty() ? "" : " ") + shorten(diagnostic.pointer, kMaxPlace);
  }
  if (!diagnostic.object.empty()) {
    place += fmt::format("{}({})", place.empty() ? "" : " ", shorten(diagnostic.object, kMaxPlace));
  }
  return place;
}

}  // namespace

std::string diagnostic_text(const Diagnostic& diagnostic, bool color) {
  const std::string_view name = severity_name(diagnostic.severity);
  const std::string_view code = diagnostic.severity == Severity::kError ? "31" : "33";
  std::string line = color ? fmt::format("\x1b[1;{}m{}:\x1b[0m ", code, name) : fmt::format("{}: ", name);
  if (const std::string place = place_of(diagnostic); !place.empty()) {
    line += place + ": ";
  }
  line += shorten(diagnostic.message, kMaxText) + "\n";
  if (!diagnostic.hint.empty()) {
    line += fmt::format("  hint: {}\n", shorten(diagnostic.hint, kMaxText));
  }
  return line;
}

std::string diagnostic_json(const Diagnostic& diagnostic) {
  nlohmann::ordered_json object{{"severity", severity_name(diagnostic.severity)},
                                {"code", diagnostic.code},
                                {"message", diagnostic.message},
                                {"source", diagnostic.source},
                                {"line", diagnostic.line},
                                {"column", diagnostic.column},
                                {"pointer", diagnostic.pointer},
                                {"object", diagnostic.object},
                                {"hint", diagnostic.hint}};
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace gpusched::render
