#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cel/source.hpp"

namespace gpusched::cel {

/// Tokens in the order in which messages list them (the order of cel-go's grammar).
enum class Token : std::uint8_t {
  kEnd,
  kEquals,
  kNotEquals,
  kIn,
  kLess,
  kLessEquals,
  kGreaterEquals,
  kGreater,
  kAnd,
  kOr,
  kLeftBracket,
  kRightBracket,
  kLeftBrace,
  kRightBrace,
  kLeftParen,
  kRightParen,
  kDot,
  kComma,
  kMinus,
  kExclamation,
  kQuestion,
  kColon,
  kPlus,
  kStar,
  kSlash,
  kPercent,
  kTrue,
  kFalse,
  kNull,
  kFloat,
  kInt,
  kUint,
  kString,
  kBytes,
  kIdentifier,
  kEscapedIdentifier,
};
inline constexpr std::size_t kTokenKinds = 36;

/// How a message names the token: "'['", "IDENTIFIER".
[[nodiscard]] std::string_view display_name(Token token);

struct Lexeme {
  Token token = Token::kEnd;
  std::int32_t begin = 0;  ///< offset in code points
  std::int32_t end = 0;
};

/// The tokens of an expression, white space and comments left out, the last is kEnd. Characters that start no token are
/// reported and skipped.
[[nodiscard]] std::vector<Lexeme> tokenize(const Source& source, Errors& errors);

}  // namespace gpusched::cel
