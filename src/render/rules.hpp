#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace gpusched::render {

enum class Level : std::uint8_t {
  kNote,
  kWarning,    ///< worth a look; the answer is still yes
  kUndecided,  ///< the question has no answer
  kError,      ///< the answer is no
};

/// What a finding is an example of. Ids are stable: code scanning tracks findings by them (docs/formats/sarif.md).
struct Rule {
  std::string_view id;
  std::string_view name;     ///< in PascalCase, as SARIF 2.1.0 (3.49.7) wants it
  std::string_view summary;  ///< one sentence
  Level level;               ///< usual one
};

[[nodiscard]] std::span<const Rule> rules();
/// The rule of an id of the table.
[[nodiscard]] const Rule& rule(std::string_view id);

}  // namespace gpusched::render
