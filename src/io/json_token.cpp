#include "io/json_token.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

namespace gpusched::io {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t digits_at(std::string_view text, std::size_t index) {
  std::size_t end = index;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end - index;
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// The value of "\uXXXX" at the start of `text`, or -1.
std::int32_t unicode_escape(std::string_view text) {
  if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return -1;
  std::int32_t code = 0;
  for (std::size_t i = 2; i < 6; ++i) {
    const int digit = hex_value(text[i]);
    if (digit < 0) return -1;
    code = code * 16 + digit;
  }
  return code;
}

bool is_high_surrogate(std::int32_t code) {
  return code >= 0xd800 && code < 0xdc00;
}
bool is_low_surrogate(std::int32_t code) {
  return code >= 0xdc00 && code < 0xe000;
}

char* append_utf8(char* out, std::uint32_t code) {
  const auto put = [&out](std::uint32_t byte) { *out++ = static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0U | (code >> 6U));
    put(0x80U | (code & 0x3fU));
  } else if (code < 0x10000) {
    put(0xe0U | (code >> 12U));
    put(0x80U | ((code >> 6U) & 0x3fU));
    put(0x80U | (code & 0x3fU));
  } else {
    put(0xf0U | (code >> 18U));
    put(0x80U | ((code >> 12U) & 0x3fU));
    put(0x80U | ((code >> 6U) & 0x3fU));
    put(0x80U | (code & 0x3fU));
  }
  return out;
}

std::uint32_t code_point_of(std::string_view escape) {
  const std::int32_t first = unicode_escape(escape);
  if (escape.size() == 12) {
    return 0x10000U + ((static_cast<std::uint32_t>(first) - 0xd800U) << 10U) +
           (static_cast<std::uint32_t>(unicode_escape(escape.substr(6))) - 0xdc00U);
  }
  const bool lone_surrogate = is_high_surrogate(first) || is_low_surrogate(first);
  return lone_surrogate ? 0xfffdU : static_cast<std::uint32_t>(first);
}

char simple_escape(char c) {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
  const std::size_t index = kNames.find(c);
  return index == std::string_view::npos ? '\0' : kValues[index];
}

/// The high bit of every byte of `word` that is zero; bytes above the first zero byte may be marked wrongly.
constexpr std::uint64_t zero_bytes(std::uint64_t word) {
  return (word - 0x0101010101010101U) & ~word & 0x8080808080808080U;
}

/// Bytes before the first quote, backslash or control character of `text`.
std::size_t plain_length(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  std::size_t i = 0;
  if constexpr (std::endian::native == std::endian::little) {
    for (; i + 8 <= text.size(); i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data() + i, 8);
      const std::uint64_t control = (word - kOnes * 0x20U) & ~word & (kOnes * 0x80U);
      const std::uint64_t hit = zero_bytes(word ^ (kOnes * '"')) | zero_bytes(word ^ (kOnes * '\\')) | control;
      if (hit != 0) return i + static_cast<std::size_t>(std::countr_zero(hit)) / 8;
    }
  }
  while (i < text.size() && text[i] != '"' && text[i] != '\\' && static_cast<std::uint8_t>(text[i]) >= 0x20) ++i;
  return i;
}

/// The length of the literal up to its closing quote, or up to the offending byte.
JsonString measure(std::string_view text) {
  std::size_t i = 0;
  while (true) {
    i += plain_length(text.substr(i));
    if (i >= text.size()) return {{}, text.size(), false};
    if (text[i] == '"') return {{}, i, true};
    const std::size_t escape = json_escape_length(text.substr(i, 12));
    if (escape == 0) return {{}, i, false};
    i += escape;
  }
}

}  // namespace

std::size_t json_number_length(std::string_view text) {
  std::size_t i = !text.empty() && text[0] == '-' ? 1 : 0;
  const std::size_t whole = digits_at(text, i);
  if (whole == 0 || (whole > 1 && text[i] == '0')) return 0;
  i += whole;
  if (i < text.size() && text[i] == '.') {
    const std::size_t fraction = digits_at(text, i + 1);
    if (fraction == 0) return 0;
    i += 1 + fraction;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    const std::size_t exponent = digits_at(text, i);
    if (exponent == 0) return 0;
    i += exponent;
  }
  return i;
}

bool ends_json_scalar(std::string_view text, std::size_t index) {
  if (index >= text.size()) return true;
  switch (text[index]) {
    case ' ':
    case '\t':
    case '\r':
    case '\n':
    case ',':
    case ':':
    case '[':
    case ']':
    case '{':
    case '}':
      return true;
    default:
      return false;
  }
}

std::size_t json_escape_length(std::string_view text) {
  if (text.size() < 2 || text[0] != '\\') return 0;
  if (simple_escape(text[1]) != '\0') return 2;
  const std::int32_t first = unicode_escape(text);
  if (first < 0) return 0;
  return is_high_surrogate(first) && is_low_surrogate(unicode_escape(text.substr(6))) ? 12 : 6;
}

JsonString read_json_string(std::string_view text, TreeBuilder& builder) {
  const std::size_t plain = plain_length(text);
  if (plain < text.size() && text[plain] == '"') return {text.substr(0, plain), plain, true};
  JsonString result = measure(text);
  if (!result.ok) return result;
  char* const start = builder.allocate_text(result.length);  // an escape is never shorter than what it stands for
  char* out = start;
  for (std::size_t i = 0; i < result.length;) {
    if (text[i] != '\\') {
      const std::size_t run = plain_length(text.substr(i));
      std::memcpy(out, text.data() + i, run);
      out += run;
      i += run;
      continue;
    }
    const std::size_t escape = json_escape_length(text.substr(i, 12));
    if (escape == 2) {
      *out++ = simple_escape(text[i + 1]);
    } else {
      out = append_utf8(out, code_point_of(text.substr(i, escape)));
    }
    i += escape;
  }
  result.content = {start, static_cast<std::size_t>(out - start)};
  return result;
}

std::size_t json_document_end(std::string_view text, std::size_t start) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = start; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

}  // namespace gpusched::io
