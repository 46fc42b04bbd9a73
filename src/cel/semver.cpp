#include "cel/semver.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "cel/literal.hpp"
#include "cel/numbers.hpp"

namespace gpusched::cel {
namespace {

using Error = std::unexpected<std::string>;

bool is_numeric(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}
bool is_identifier(std::string_view text) {
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-0123456789") ==
         std::string_view::npos;
}
bool has_leading_zero(std::string_view text) {
  return text.size() > 1 && text[0] == '0';
}

std::expected<std::uint64_t, std::string> number(std::string_view text) {
  if (const auto value = parse_uint(text)) return *value;
  return Error(fmt::format("strconv.ParseUint: parsing {}: {}", go_quote(text),
                           text.empty() ? "invalid syntax" : "value out of range"));
}

/// Major, minor or patch: its name for the messages.
struct PartName {
  std::string_view small, large;
};
constexpr PartName kMajor{"major", "Major"}, kMinor{"minor", "Minor"}, kPatch{"patch", "Patch"};

std::expected<std::uint64_t, std::string> part(std::string_view text, PartName name) {
  if (!is_numeric(text)) {
    return Error(fmt::format("Invalid character(s) found in {} number {}", name.small, go_quote(text)));
  }
  if (has_leading_zero(text)) {
    return Error(fmt::format("{} number must not contain leading zeroes {}", name.large, go_quote(text)));
  }
  return number(text);
}

/// Calls `visit` for each part between dots until it says no.
template <class Visit>
void for_each_identifier(std::string_view text, Visit visit) {
  while (true) {
    const std::size_t dot = text.find('.');
    if (!visit(text.substr(0, dot)) || dot == std::string_view::npos) return;
    text.remove_prefix(dot + 1);
  }
}

std::string prerelease_error(std::string_view text) {
  std::string error;
  for_each_identifier(text, [&error](std::string_view id) {
    if (id.empty()) {
      error = "Prerelease is empty";
    } else if (is_numeric(id)) {
      if (has_leading_zero(id)) {
        error = "Numeric PreRelease version must not contain leading zeroes " + go_quote(id);
      } else if (const auto value = number(id); !value) {
        error = value.error();
      }
    } else if (!is_identifier(id)) {
      error = "Invalid character(s) found in prerelease " + go_quote(id);
    }
    return error.empty();
  });
  return error;
}

std::string build_error(std::string_view text) {
  std::string error;
  for_each_identifier(text, [&error](std::string_view id) {
    if (id.empty()) {
      error = "Build meta data is empty";
    } else if (!is_identifier(id)) {
      error = "Invalid character(s) found in build meta data " + go_quote(id);
    }
    return error.empty();
  });
  return error;
}

/// Splits at the first two dots.
std::array<std::string_view, 3> split(std::string_view text, std::size_t& count) {
  std::array<std::string_view, 3> parts;
  count = 0;
  while (count < 2 && text.find('.') != std::string_view::npos) {
    parts[count++] = text.substr(0, text.find('.'));
    text.remove_prefix(text.find('.') + 1);
  }
  parts[count++] = text;
  return parts;
}

int compare_identifiers(std::string_view a, std::string_view b) {
  const bool a_numeric = is_numeric(a);
  const bool b_numeric = is_numeric(b);
  if (a_numeric != b_numeric) return a_numeric ? -1 : 1;
  // Without leading zeros the longer number is the larger one.
  if (a_numeric && a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  const int order = a.compare(b);
  return order < 0 ? -1 : (order > 0 ? 1 : 0);
}

int compare_prereleases(std::string_view a, std::string_view b) {
  while (true) {
    const std::size_t a_dot = a.find('.');
    const std::size_t b_dot = b.find('.');
    if (const int order = compare_identifiers(a.substr(0, a_dot), b.substr(0, b_dot)); order != 0) return order;
    const bool a_ends = a_dot == std::string_view::npos;
    const bool b_ends = b_dot == std::string_view::npos;
    if (a_ends || b_ends) return a_ends == b_ends ? 0 : (a_ends ? -1 : 1);
    a.remove_prefix(a_dot + 1);
    b.remove_prefix(b_dot + 1);
  }
}

}  // namespace

std::expected<Semver, std::string> parse_semver(std::string_view text) {
  if (text.empty()) return Error("Version string empty");
  std::size_t count = 0;
  const auto parts = split(text, count);
  if (count != 3) return Error("No Major.Minor.Patch elements found");
  Semver version;
  const auto major = part(parts[0], kMajor);
  if (!major) return Error(major.error());
  const auto minor = part(parts[1], kMinor);
  if (!minor) return Error(minor.error());
  std::string_view rest = parts[2];
  const std::size_t plus = rest.find('+');
  if (plus != std::string_view::npos) version.build = rest.substr(plus + 1);
  rest = rest.substr(0, plus);
  const std::size_t dash = rest.find('-');
  if (dash != std::string_view::npos) version.prerelease = rest.substr(dash + 1);
  const auto patch = part(rest.substr(0, dash), kPatch);
  if (!patch) return Error(patch.error());
  if (dash != std::string_view::npos) {
    if (std::string error = prerelease_error(version.prerelease); !error.empty()) return Error(std::move(error));
  }
  if (plus != std::string_view::npos) {
    if (std::string error = build_error(version.build); !error.empty()) return Error(std::move(error));
  }
  version.major = *major;
  version.minor = *minor;
  version.patch = *patch;
  return version;
}

std::expected<std::string, std::string> normalize_semver(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::size_t count = 0;
  const auto parts = split(text, count);
  std::string result;
  for (std::size_t i = 0; i < count; ++i) {
    std::string_view digits = parts[i];
    bool zero = false;
    if (digits.size() > 1) {
      digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
      zero = digits.empty() || digits[0] < '0' || digits[0] > '9';
    }
    if (i > 0) result += '.';
    if (zero) result += '0';
    result += digits;
  }
  if (count < 3) {
    if (parts[count - 1].find_first_of("+-") != std::string_view::npos) {
      return Error("short version cannot contain PreRelease/Build meta data");
    }
    for (; count < 3; ++count) result += ".0";
  }
  return result;
}

int compare(const Semver& a, const Semver& b) {
  const auto order = [](std::uint64_t x, std::uint64_t y) { return x < y ? -1 : 1; };
  if (a.major != b.major) return order(a.major, b.major);
  if (a.minor != b.minor) return order(a.minor, b.minor);
  if (a.patch != b.patch) return order(a.patch, b.patch);
  if (a.prerelease.empty() || b.prerelease.empty()) {
    return a.prerelease.empty() == b.prerelease.empty() ? 0 : (a.prerelease.empty() ? 1 : -1);
  }
  return compare_prereleases(a.prerelease, b.prerelease);
}

std::string to_string(const Semver& version) {
  std::string text = fmt::format("{}.{}.{}", version.major, version.minor, version.patch);
  if (!version.prerelease.empty()) text += "-" + std::string(version.prerelease);
  if (!version.build.empty()) text += "+" + std::string(version.build);
  return text;
}

}  // namespace gpusched::cel
