#include <array>
#include <optional>
#include <string>

#include "cel/token.hpp"

namespace gpusched::cel {
namespace {

constexpr std::array<std::string_view, kTokenKinds> kNames = {
    "<EOF>",   "'=='",   "'!='",      "'in'",    "'<'",      "'<='",   "'>='",  "'>'",        "'&&'",
    "'||'",    "'['",    "']'",       "'{'",     "'}'",      "'('",    "')'",   "'.'",        "','",
    "'-'",     "'!'",    "'?'",       "':'",     "'+'",      "'*'",    "'/'",   "'%'",        "'true'",
    "'false'", "'null'", "NUM_FLOAT", "NUM_INT", "NUM_UINT", "STRING", "BYTES", "IDENTIFIER", "ESC_IDENTIFIER"};

struct Operator {
  char32_t first, second;  ///< second 0: one character
  Token token;
};
constexpr Operator kOperators[] = {{U'=', U'=', Token::kEquals},     {U'!', U'=', Token::kNotEquals},
                                   {U'<', U'=', Token::kLessEquals}, {U'>', U'=', Token::kGreaterEquals},
                                   {U'&', U'&', Token::kAnd},        {U'|', U'|', Token::kOr},
                                   {U'<', 0, Token::kLess},          {U'>', 0, Token::kGreater},
                                   {U'[', 0, Token::kLeftBracket},   {U']', 0, Token::kRightBracket},
                                   {U'{', 0, Token::kLeftBrace},     {U'}', 0, Token::kRightBrace},
                                   {U'(', 0, Token::kLeftParen},     {U')', 0, Token::kRightParen},
                                   {U'.', 0, Token::kDot},           {U',', 0, Token::kComma},
                                   {U'-', 0, Token::kMinus},         {U'!', 0, Token::kExclamation},
                                   {U'?', 0, Token::kQuestion},      {U':', 0, Token::kColon},
                                   {U'+', 0, Token::kPlus},          {U'*', 0, Token::kStar},
                                   {U'/', 0, Token::kSlash},         {U'%', 0, Token::kPercent}};

bool is_digit(char32_t c) {
  return c >= U'0' && c <= U'9';
}
bool is_hex(char32_t c) {
  return is_digit(c) || (c >= U'a' && c <= U'f') || (c >= U'A' && c <= U'F');
}
bool is_letter(char32_t c) {
  return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z') || c == U'_';
}
bool is_space(char32_t c) {
  return c == U' ' || c == U'\t' || c == U'\n' || c == U'\r' || c == U'\f';
}

/// The longest token at a place, or how far the characters could have been one.
struct Scan {
  std::optional<Token> token;
  std::int32_t end = 0;     ///< behind the token
  std::int32_t failed = 0;  ///< without a token: the first character that fits none
};

class Lexer {
 public:
  explicit Lexer(const Source& source) : source_(source) {}

  [[nodiscard]] Scan scan(std::int32_t begin) const;
  [[nodiscard]] std::int32_t skip_hidden(std::int32_t position) const;

 private:
  [[nodiscard]] char32_t at(std::int32_t i) const { return i < source_.size() ? source_.at(i) : 0; }
  template <class Predicate>
  [[nodiscard]] std::int32_t while_true(std::int32_t i, Predicate predicate) const {
    while (i < source_.size() && predicate(source_.at(i))) ++i;
    return i;
  }
  [[nodiscard]] Scan number(std::int32_t begin) const;
  [[nodiscard]] std::int32_t exponent(std::int32_t position) const;
  [[nodiscard]] Scan identifier(std::int32_t begin) const;
  [[nodiscard]] Scan escaped_identifier(std::int32_t begin) const;
  [[nodiscard]] Scan quoted(std::int32_t begin, std::int32_t quote, bool raw, Token token) const;
  [[nodiscard]] Scan triple_quoted(std::int32_t quote, bool raw) const;
  [[nodiscard]] std::int32_t escape(std::int32_t position, bool& good) const;
  [[nodiscard]] std::optional<Scan> prefixed_string(std::int32_t begin) const;

  const Source& source_;
};

std::int32_t Lexer::skip_hidden(std::int32_t position) const {
  while (true) {
    if (is_space(at(position)) && position < source_.size()) {
      ++position;
    } else if (at(position) == U'/' && at(position + 1) == U'/') {
      position = while_true(position, [](char32_t c) { return c != U'\n'; });
    } else {
      return position;
    }
  }
}

/// Behind an exponent, or `position` itself when there is none.
std::int32_t Lexer::exponent(std::int32_t position) const {
  if (at(position) != U'e' && at(position) != U'E') return position;
  std::int32_t i = position + 1;
  if (at(i) == U'+' || at(i) == U'-') ++i;
  return is_digit(at(i)) ? while_true(i, is_digit) : position;
}

Scan Lexer::number(std::int32_t begin) const {
  const auto with_suffix = [this](std::int32_t end) {
    return at(end) == U'u' || at(end) == U'U' ? Scan{Token::kUint, end + 1} : Scan{Token::kInt, end};
  };
  if (at(begin) == U'0' && at(begin + 1) == U'x' && is_hex(at(begin + 2))) {
    return with_suffix(while_true(begin + 2, is_hex));
  }
  std::int32_t end = while_true(begin, is_digit);
  bool is_float = false;
  if (at(end) == U'.' && is_digit(at(end + 1))) {
    end = while_true(end + 1, is_digit);
    is_float = true;
  }
  const std::int32_t behind_exponent = exponent(end);
  if (is_float || behind_exponent != end) return {Token::kFloat, behind_exponent};
  return with_suffix(end);
}

Scan Lexer::identifier(std::int32_t begin) const {
  const std::int32_t end = while_true(begin, [](char32_t c) { return is_letter(c) || is_digit(c); });
  const std::string text = source_.slice(begin, end);
  Token token = Token::kIdentifier;
  if (text == "in") token = Token::kIn;
  if (text == "true") token = Token::kTrue;
  if (text == "false") token = Token::kFalse;
  if (text == "null") token = Token::kNull;
  return {token, end};
}

/// `...`: letters, digits, underscore, dot, minus, slash, space.
Scan Lexer::escaped_identifier(std::int32_t begin) const {
  const std::int32_t end = while_true(begin + 1, [](char32_t c) {
    return is_letter(c) || is_digit(c) || c == U'.' || c == U'-' || c == U'/' || c == U' ';
  });
  if (at(end) != U'`' || end == begin + 1) return {std::nullopt, 0, end};
  return {Token::kEscapedIdentifier, end + 1};
}

/// Behind the escape sequence whose backslash is at `position`, or the character that is wrong in it.
std::int32_t Lexer::escape(std::int32_t position, bool& good) const {
  const char32_t kind = at(position + 1);
  std::int32_t digits = 0;
  if (kind == U'x' || kind == U'X') digits = 2;
  if (kind == U'u') digits = 4;
  if (kind == U'U') digits = 8;
  std::int32_t i = position + 2;
  good = true;
  if (digits != 0) {
    for (; digits != 0; --digits, ++i) {
      if (!is_hex(at(i))) return good = false, i;
    }
    return i;
  }
  if (kind >= U'0' && kind <= U'3') {
    for (int n = 0; n < 2; ++n, ++i) {
      if (at(i) < U'0' || at(i) > U'7') return good = false, i;
    }
    return i;
  }
  constexpr std::u32string_view kSimple = U"abfnrtv\"'\\?`";
  if (kind == 0 || kSimple.find(kind) == std::u32string_view::npos) return good = false, position + 1;
  return i;
}

Scan Lexer::triple_quoted(std::int32_t quote, bool raw) const {
  const char32_t mark = at(quote);
  std::int32_t i = quote + 3;
  while (i < source_.size()) {
    if (at(i) == mark && at(i + 1) == mark && at(i + 2) == mark) return {Token::kString, i + 3};
    if (at(i) == U'\\' && !raw) {
      bool good = false;
      i = escape(i, good);
      if (!good) return {std::nullopt, 0, i};
    } else {
      ++i;
    }
  }
  return {std::nullopt, 0, source_.size()};
}

Scan Lexer::quoted(std::int32_t begin, std::int32_t quote, bool raw, Token token) const {
  const char32_t mark = at(quote);
  if (at(quote + 1) == mark && at(quote + 2) == mark) {
    Scan scan = triple_quoted(quote, raw);
    // Without an end, the first two quotes are an empty string.
    return scan.token ? Scan{token, scan.end} : Scan{token, quote + 2};
  }
  (void)begin;
  std::int32_t i = quote + 1;
  while (i < source_.size() && at(i) != U'\n' && at(i) != U'\r') {
    if (at(i) == mark) return {token, i + 1};
    if (at(i) == U'\\' && !raw) {
      bool good = false;
      i = escape(i, good);
      if (!good) return {std::nullopt, 0, i};
    } else {
      ++i;
    }
  }
  return {std::nullopt, 0, i};
}

/// A string or bytes literal with or without prefix (r, b, br).
std::optional<Scan> Lexer::prefixed_string(std::int32_t begin) const {
  const auto is_quote = [this](std::int32_t i) { return at(i) == U'"' || at(i) == U'\''; };
  std::int32_t i = begin;
  Token token = Token::kString;
  if (at(i) == U'b' || at(i) == U'B') {
    token = Token::kBytes;
    ++i;
  }
  bool raw = false;
  if (at(i) == U'r' || at(i) == U'R') {
    raw = true;
    ++i;
  }
  if (!is_quote(i)) return std::nullopt;
  Scan scan = quoted(begin, i, raw, token);
  // A prefix without a string behind it is a name.
  if (!scan.token && i != begin) return identifier(begin);
  return scan;
}

Scan Lexer::scan(std::int32_t begin) const {
  const char32_t c = at(begin);
  if (const auto text = prefixed_string(begin)) return *text;
  if (is_letter(c)) return identifier(begin);
  if (is_digit(c)) return number(begin);
  if (c == U'.' && is_digit(at(begin + 1))) {
    return {Token::kFloat, exponent(while_true(begin + 1, is_digit))};
  }
  if (c == U'`') return escaped_identifier(begin);
  for (const Operator& op : kOperators) {
    if (op.first == c && (op.second == 0 || at(begin + 1) == op.second)) {
      return {op.token, begin + (op.second == 0 ? 1 : 2)};
    }
  }
  // '=', '&' and '|' could have gone on.
  const bool half = c == U'=' || c == U'&' || c == U'|';
  return {std::nullopt, 0, half ? begin + 1 : begin};
}

}  // namespace

std::string_view display_name(Token token) {
  return kNames[static_cast<std::size_t>(token)];
}

std::vector<Lexeme> tokenize(const Source& source, Errors& errors) {
  const Lexer lexer(source);
  std::vector<Lexeme> lexemes;
  std::int32_t position = lexer.skip_hidden(0);
  while (position < source.size()) {
    const Scan scan = lexer.scan(position);
    if (scan.token) {
      lexemes.push_back({*scan.token, position, scan.end});
      position = scan.end;
    } else {
      errors.add(position,
                 "Syntax error: token recognition error at: '" + source.slice(position, scan.failed + 1) + "'");
      position = scan.failed + 1;
    }
    position = lexer.skip_hidden(position);
  }
  lexemes.push_back({Token::kEnd, source.size(), source.size()});
  return lexemes;
}

}  // namespace gpusched::cel
