#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>
#include <vector>

namespace gpusched {

enum class Severity : std::uint8_t { kError, kWarning, kNote };

/// One thing to tell the user about an input: what happened, to which object, where, what is allowed.
/// Empty or zero members are unknown and are not printed.
struct Diagnostic {
  Severity severity = Severity::kError;
  std::string code;          ///< stable, kebab-case: "duplicate-key", "mig-layout-impossible"
  std::string message;       ///< what happened, the value, what is allowed; no trailing full stop
  std::string source;        ///< file name as the user gave it, "<stdin>" for standard input
  std::uint32_t line = 0;    ///< 1-based
  std::uint32_t column = 0;  ///< 1-based, in bytes
  std::string pointer;       ///< JSON pointer into the document: "/nodes/3/gpu/mig/0"
  std::string object;        ///< "node dgx-a"
  std::string hint;          ///< what to do next, or a suggestion for a mistyped word

  bool operator==(const Diagnostic&) const = default;
};

using Diagnostics = std::vector<Diagnostic>;

/// A value, or every error that was found on the way to it (never an empty list).
template <class T>
using Result = std::expected<T, Diagnostics>;

/// One error without a place; readers add the place.
[[nodiscard]] inline std::unexpected<Diagnostics> fail(std::string code, std::string message, std::string hint = {}) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  return std::unexpected(Diagnostics{std::move(diagnostic)});
}

}  // namespace gpusched
