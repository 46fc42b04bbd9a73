#include "gpusched/cel/anatomy.hpp"

#include "cel/literal.hpp"
#include "cel/source.hpp"
#include "cel/token.hpp"
#include "gpusched/base/text.hpp"

namespace gpusched::cel {

namespace {

struct Piece {
  Token token = Token::kEnd;
  std::size_t begin = 0, end = 0;  // bytes
};

std::vector<Piece> pieces(std::string_view expression) {
  if (!valid_utf8(expression)) return {};
  const Source source(expression);
  Errors errors(source);
  std::vector<Piece> result;
  std::size_t byte = 0;
  std::int32_t code_point = 0;
  const auto byte_of = [&](std::int32_t offset) {
    for (; code_point < offset; ++code_point) static_cast<void>(next_code_point(expression, byte));
    return byte;
  };
  for (const Lexeme& lexeme : tokenize(source, errors)) {
    if (lexeme.token == Token::kEnd) break;
    const std::size_t begin = byte_of(lexeme.begin);
    result.push_back({lexeme.token, begin, byte_of(lexeme.end)});
  }
  return errors.empty() ? result : std::vector<Piece>();
}

bool opens(Token token) {
  return token == Token::kLeftBracket || token == Token::kLeftBrace || token == Token::kLeftParen;
}
bool closes(Token token) {
  return token == Token::kRightBracket || token == Token::kRightBrace || token == Token::kRightParen;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\f";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string quoted(std::string_view value) {
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

}  // namespace

std::vector<std::string> conjuncts(std::string_view expression) {
  constexpr int kMaxParentheses = 50;
  for (int peeled = 0; peeled < kMaxParentheses; ++peeled) {
    const std::vector<Piece> tokens = pieces(expression);
    std::vector<std::string> parts;
    std::size_t start = 0, first_close = tokens.size();
    int depth = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const Token token = tokens[i].token;
      if (opens(token)) ++depth;
      if (closes(token) && --depth == 0 && first_close == tokens.size()) first_close = i;
      if (depth != 0) continue;
      if (token == Token::kOr || token == Token::kQuestion) return {std::string(trimmed(expression))};
      if (token != Token::kAnd) continue;
      parts.emplace_back(trimmed(expression.substr(start, tokens[i].begin - start)));
      start = tokens[i].end;
    }
    const bool wrapped =
        tokens.size() > 2 && tokens.front().token == Token::kLeftParen && first_close + 1 == tokens.size();
    if (!wrapped) {
      parts.emplace_back(trimmed(expression.substr(start)));
      return parts;
    }
    expression = expression.substr(tokens.front().end, tokens.back().begin - tokens.front().end);
  }
  return {std::string(trimmed(expression))};
}

std::vector<Word> words(std::string_view expression) {
  const std::vector<Piece> tokens = pieces(expression);
  std::vector<Word> result;
  const auto token_at = [&](std::size_t i) { return i < tokens.size() ? tokens[i].token : Token::kEnd; };
  const auto is_behind_dot = [&](std::size_t i) {
    if (i > 1 && token_at(i - 1) == Token::kQuestion) --i;  // a.?b
    return i > 0 && token_at(i - 1) == Token::kDot;
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Piece& piece = tokens[i];
    const std::string_view text = expression.substr(piece.begin, piece.end - piece.begin);
    if (piece.token == Token::kString) {
      auto value = unquote(text, false);
      if (!value) continue;
      const std::size_t bracket = i - (i > 1 && token_at(i - 1) == Token::kQuestion ? 2 : 1);  // a[?"b"]
      const bool alone = i > 1 && token_at(bracket) == Token::kLeftBracket && token_at(i + 1) == Token::kRightBracket;
      const Token before = alone && bracket > 0 ? token_at(bracket - 1) : Token::kEnd;
      const bool indexes =
          before == Token::kIdentifier || before == Token::kRightBracket || before == Token::kRightParen;
      result.push_back({indexes ? Word::Kind::kIndex : Word::Kind::kText, std::move(*value), piece.begin, piece.end});
    } else if (piece.token == Token::kInt) {
      const Token before = i > 1 ? token_at(i - 2) : Token::kLeftParen;
      const bool signed_number = i > 0 && token_at(i - 1) == Token::kMinus && !closes(before) &&
                                 before != Token::kIdentifier && before != Token::kInt;
      const std::size_t begin = signed_number ? tokens[i - 1].begin : piece.begin;
      result.push_back(
          {Word::Kind::kNumber, std::string(expression.substr(begin, piece.end - begin)), begin, piece.end});
    } else if (piece.token == Token::kIdentifier && is_behind_dot(i) && token_at(i + 1) != Token::kLeftParen) {
      result.push_back({Word::Kind::kField, std::string(text), piece.begin, piece.end});
    }
  }
  return result;
}

std::string with_word(std::string_view expression, const Word& word, std::string_view value) {
  const bool literal = word.kind == Word::Kind::kText || word.kind == Word::Kind::kIndex;
  return std::string(expression.substr(0, word.begin)) + (literal ? quoted(value) : std::string(value)) +
         std::string(expression.substr(word.end));
}

}  // namespace gpusched::cel
