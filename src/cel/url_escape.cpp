#include "cel/url_escape.hpp"

#include <cstddef>
#include <optional>

#include "cel/numbers.hpp"

namespace gpusched::cel {
namespace {

bool is_one_of(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

std::optional<unsigned> hex(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

/// Checks one %XX at the front; empty when it may stand there.
std::string escape_error(std::string_view text, UrlPart part) {
  const std::string_view shown = text.substr(0, 3);
  const auto wrong = [shown] { return "invalid URL escape " + go_quote(shown); };
  if (text.size() < 3 || !hex(text[1]) || !hex(text[2])) return wrong();
  // In hosts only bytes outside ASCII may be escaped, and % itself.
  if (part == UrlPart::kHost && *hex(text[1]) < 8 && shown != "%25") return wrong();
  const auto byte = static_cast<char>(*hex(text[1]) << 4 | *hex(text[2]));
  if (part == UrlPart::kZone && shown != "%25" && byte != ' ' && should_escape(byte, UrlPart::kHost)) return wrong();
  return {};
}

}  // namespace

bool should_escape(char c, UrlPart part) {
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) return false;
  if ((part == UrlPart::kHost || part == UrlPart::kZone) && is_one_of(c, "!$&'()*+,;=:[]<>\"")) return false;
  if (is_one_of(c, "-_.~")) return false;
  if (is_one_of(c, "$&+,/:;=?@")) {
    switch (part) {
      case UrlPart::kPath:
        return c == '?';
      case UrlPart::kUser:
        return is_one_of(c, "@/?:");
      case UrlPart::kQuery:
        return true;
      case UrlPart::kFragment:
        return false;
      default:
        return true;
    }
  }
  return !(part == UrlPart::kFragment && is_one_of(c, "!()*"));
}

std::string url_escape(std::string_view text, UrlPart part) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    if (!should_escape(c, part)) {
      result += c;
    } else if (c == ' ' && part == UrlPart::kQuery) {
      result += '+';
    } else {
      const auto byte = static_cast<unsigned char>(c);
      result += '%';
      result += kDigits[byte >> 4];
      result += kDigits[byte & 15];
    }
  }
  return result;
}

std::expected<std::string, std::string> url_unescape(std::string_view text, UrlPart part) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      if (std::string error = escape_error(text.substr(i), part); !error.empty()) return std::unexpected(error);
      result += static_cast<char>(*hex(text[i + 1]) << 4 | *hex(text[i + 2]));
      i += 2;
    } else if (c == '+' && part == UrlPart::kQuery) {
      result += ' ';
    } else {
      const bool host = part == UrlPart::kHost || part == UrlPart::kZone;
      if (host && static_cast<unsigned char>(c) < 0x80 && should_escape(c, part)) {
        return std::unexpected("invalid character " + go_quote(text.substr(i, 1)) + " in host name");
      }
      result += c;
    }
  }
  return result;
}

bool valid_encoded(std::string_view text, UrlPart part) {
  for (const char c : text) {
    if (!is_one_of(c, "!$&'()*+,;=:@[]%") && should_escape(c, part)) return false;
  }
  return true;
}

}  // namespace gpusched::cel
