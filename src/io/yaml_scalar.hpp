#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gpusched/io/document.hpp"

namespace gpusched::io {

/// What a YAML scalar stands for. Numbers are given in JSON's grammar: `0x10` becomes 16, `+.5` becomes 0.5.
struct YamlScalar {
  Kind kind = Kind::kString;
  std::string number;     ///< set for kNumber only
  bool infinite = false;  ///< .inf or .nan, for which JSON has no number
};

/// The type of a plain scalar by the rules of go-yaml v2 (resolve.go), which sigs.k8s.io/yaml and so kubectl use:
/// YAML 1.1 booleans (also y, n, yes, no, on, off), octal with 0 and 0o, hex, binary, `_` between digits; integers
/// beyond 64 bits in base 10 only. Everything else, dates too, is a string.
[[nodiscard]] YamlScalar resolve_plain_scalar(std::string_view text);

}  // namespace gpusched::io
