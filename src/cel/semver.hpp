#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "cel/value.hpp"

namespace gpusched::cel {

/// A version of semver.org 2.0.0 as blang/semver/v4 reads it; its texts point into `text`. The error is the message.
[[nodiscard]] std::expected<Semver, std::string> parse_semver(std::string_view text);
/// What semver(text, true) reads: a leading v, missing parts and leading zeros are put right first.
[[nodiscard]] std::expected<std::string, std::string> normalize_semver(std::string_view text);

/// -1, 0, 1; build data does not count.
[[nodiscard]] int compare(const Semver& a, const Semver& b);
[[nodiscard]] std::string to_string(const Semver& version);

}  // namespace gpusched::cel
