#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace gpusched::cel {

/// The part of a URL; each lets other characters stand without %.
enum class UrlPart : std::uint8_t { kPath, kHost, kZone, kUser, kQuery, kFragment };

[[nodiscard]] bool should_escape(char c, UrlPart part);
[[nodiscard]] std::string url_escape(std::string_view text, UrlPart part);
[[nodiscard]] std::expected<std::string, std::string> url_unescape(std::string_view text, UrlPart part);
/// Whether the text is a possible escaped form.
[[nodiscard]] bool valid_encoded(std::string_view text, UrlPart part);

}  // namespace gpusched::cel
