#include "cel/regex_classes.hpp"

#include <re2/re2.h>

namespace gpusched::cel {
namespace {

/// Whether RE2 knows a class \p{name}.
bool re2_knows(std::string_view name) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  return re2::RE2("\\p{" + std::string(name) + "}", options).ok();
}

}  // namespace

std::optional<std::string> unicode_class(std::string_view name, bool negated) {
  const std::string mark = negated ? "\\P{" : "\\p{";
  std::string title;
  bool start = true;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const char upper = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    title += start ? upper : lower;
    start = !letter;
  }
  if (title == "Ascii") return negated ? "[^\\x00-\\x7F]" : "[\\x00-\\x7F]";
  for (const std::string_view candidate : {name, std::string_view(title)}) {
    const bool plain = !candidate.empty() && candidate.find_first_of("^}") == std::string_view::npos;
    if (plain && re2_knows(candidate)) return mark + std::string(candidate) + "}";
  }
  return std::nullopt;
}

}  // namespace gpusched::cel
