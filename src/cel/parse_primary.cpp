#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cel/literal.hpp"
#include "cel/parse_rules.hpp"

namespace gpusched::cel {
namespace {

constexpr std::string_view kReserved[] = {"as",        "break", "const",  "continue", "else", "false", "for",
                                          "function",  "if",    "import", "in",       "let",  "loop",  "package",
                                          "namespace", "null",  "return", "true",     "var",  "void",  "while"};

constexpr Follow kSuffixes{TokenSet(Token::kDot, Token::kLeftBracket), true};
constexpr TokenSet kName(Token::kIdentifier, Token::kEscapedIdentifier);

int height_of(const std::vector<Expr*>& parts) {
  int height = 0;
  for (const Expr* part : parts) height = std::max(height, part->height);
  return height;
}

}  // namespace

Expr* Rules::call_or_macro(std::int32_t offset, std::string name, Expr* target, std::vector<Expr*> args) {
  Expansion expansion = expand_macro(ast_, offset, name, target, args);
  if (!expansion.error.empty()) {
    finding(expansion.error_offset, std::move(expansion.error));
    return ast_.make(ExprKind::kMissing, expansion.error_offset);
  }
  if (expansion.expr != nullptr) return expansion.expr;
  Expr* made = call(offset, name, std::move(args));
  made->target = target;
  return made;
}

/// member: primary, then any of .name .?name .name(args) [index] [?index]
Expr* Rules::member() {
  tokens_.enter(kSuffixes);
  Expr* target = primary();
  tokens_.leave();
  while (tokens_.look() == Token::kDot || tokens_.look() == Token::kLeftBracket) {
    bool good = true;
    target = member_suffix(target, good);
    if (!good) return target;
  }
  return target;
}

Expr* Rules::member_suffix(Expr* target, bool& good) {
  if (tokens_.look() == Token::kLeftBracket) return index(target, good);
  const Token next = tokens_.look(2);
  if (next == Token::kIdentifier && tokens_.look(3) == Token::kLeftParen) return member_call(target, good);
  if (next == Token::kQuestion || kName.has(next)) return select(target, good);
  tokens_.no_alternative(2);
  good = false;
  tokens_.recover(10);
  return target;
}

Expr* Rules::select(Expr* target, bool& good) {
  const std::int32_t dot = tokens_.lexeme().begin;
  tokens_.consume();
  const bool optional = tokens_.look() == Token::kQuestion;
  if (optional) tokens_.consume();
  std::string name;
  std::int32_t offset = kNoOffset;
  const std::int32_t place = tokens_.lexeme().begin;
  tokens_.enter(kSuffixes);
  if (!escaped_name(name, offset)) {
    // The name's own rule has recovered; it could only be missing behind a question mark.
    finding(place, "unsupported ident kind");
    offset = place;
  }
  tokens_.leave();
  good = true;
  if (optional) {
    Expr* field = ast_.make(ExprKind::kLiteral, offset);
    field->literal = Value::string(ast_.keep(name));
    return deepen(call(dot, "_?._", {target, field}), {target});
  }
  Expr* made = ast_.make(ExprKind::kSelect, dot);
  made->name = name;
  made->target = target;
  return deepen(made, {target});
}

bool Rules::escaped_name(std::string& name, std::int32_t& offset) {
  if (!tokens_.expect(kName) || !kName.has(tokens_.look())) {
    if (!kName.has(tokens_.look())) tokens_.recover(11);
    return false;
  }
  const Lexeme token = tokens_.lexeme();
  offset = token.begin;
  name = tokens_.text(token);
  if (token.token == Token::kEscapedIdentifier) name = name.substr(1, name.size() - 2);
  tokens_.consume();
  return true;
}

/// exprList: expr (',' expr)*
bool Rules::arguments(std::vector<Expr*>& args) {
  if (!tokens_.expect(kExpressionStart | TokenSet(Token::kRightParen))) return false;
  if (!kExpressionStart.has(tokens_.look())) return true;
  tokens_.enter({TokenSet(Token::kRightParen), false});
  while (true) {
    tokens_.enter({TokenSet(Token::kComma), true});
    args.push_back(expr());
    tokens_.leave();
    if (tokens_.look() != Token::kComma) break;
    tokens_.consume();
  }
  tokens_.leave();
  return true;
}

Expr* Rules::member_call(Expr* target, bool& good) {
  tokens_.consume();
  const std::string name = tokens_.text(tokens_.lexeme());
  tokens_.consume();
  const std::int32_t offset = tokens_.lexeme().begin;
  tokens_.consume();
  std::vector<Expr*> args;
  if (!arguments(args) || !tokens_.match(Token::kRightParen, kSuffixes)) {
    good = false;
    tokens_.recover(12);
  }
  const int height = std::max(target->height, height_of(args)) + 1;
  Expr* made = call_or_macro(offset, name, target, std::move(args));
  made->height = height;
  return made;
}

Expr* Rules::index(Expr* target, bool& good) {
  const std::int32_t offset = tokens_.lexeme().begin;
  tokens_.consume();
  if (!tokens_.expect(kExpressionStart | TokenSet(Token::kQuestion))) {
    good = false;
    Expr* const key = leave_rule(13);
    return deepen(call(offset, "_[_]", {target, key}), {target, key});
  }
  const bool optional = tokens_.look() == Token::kQuestion;
  if (optional) tokens_.consume();
  tokens_.enter({TokenSet(Token::kRightBracket), false});
  Expr* key = expr();
  tokens_.leave();
  if (!tokens_.match(Token::kRightBracket, kSuffixes)) {
    good = false;
    tokens_.recover(14);
  }
  return deepen(call(offset, optional ? "_[?_]" : "_[_]", {target, key}), {target, key});
}

Expr* Rules::primary() {
  if (!tokens_.expect(kMemberStart)) return leave_rule(20);
  switch (tokens_.look()) {
    case Token::kDot:
      if (tokens_.look(2) != Token::kIdentifier) {
        tokens_.no_alternative(2);
        return leave_rule(20);
      }
      return identifier_or_call();
    case Token::kIdentifier:
      return identifier_or_call();
    case Token::kLeftParen:
      return nested();
    case Token::kLeftBracket:
      return list();
    case Token::kLeftBrace:
      return map();
    default:
      break;
  }
  if (!kMemberStart.has(tokens_.look())) {
    tokens_.no_alternative(1);
    return leave_rule(20);
  }
  return literal();
}

Expr* Rules::identifier_or_call() {
  const Lexeme first = tokens_.lexeme();
  const bool leading_dot = first.token == Token::kDot;
  std::size_t behind = leading_dot ? 3 : 2;
  // a.b.C{ is a message, whatever a is.
  while (tokens_.look(behind) == Token::kDot && tokens_.look(behind + 1) == Token::kIdentifier) behind += 2;
  if (tokens_.look(behind) == Token::kLeftBrace) {
    return message(static_cast<std::int32_t>(behind - 1), leading_dot);
  }
  if (leading_dot) tokens_.consume();
  const Lexeme token = tokens_.lexeme();
  const std::string id = tokens_.text(token);
  tokens_.consume();
  const bool is_call = tokens_.look() == Token::kLeftParen;
  const std::int32_t open = tokens_.lexeme().begin;
  std::vector<Expr*> args;
  if (is_call) {
    tokens_.consume();
    if (!arguments(args) || !tokens_.match(Token::kRightParen, {{}, true})) tokens_.recover(21);
  }
  if (std::ranges::find(kReserved, id) != std::end(kReserved)) {
    finding(first.begin, "reserved identifier: " + id);
    return ast_.make(ExprKind::kMissing, first.begin);
  }
  const std::string name = leading_dot ? "." + id : id;
  if (is_call) {
    const int height = height_of(args);
    Expr* made = call_or_macro(open, name, nullptr, std::move(args));
    made->height = height;
    return made;
  }
  Expr* made = ast_.make(ExprKind::kIdent, token.begin);
  made->name = name;
  return made;
}

/// .? a.b.C { fields ,? }
Expr* Rules::message(std::int32_t ids, bool leading_dot) {
  std::string name = leading_dot ? "." : "";
  for (std::int32_t i = 0; i < ids; ++i) {
    const Lexeme token = tokens_.lexeme();
    if (token.token == Token::kIdentifier) name += (name.empty() || name == "." ? "" : ".") + tokens_.text(token);
    tokens_.consume();
  }
  Expr* made = ast_.make(ExprKind::kStruct, tokens_.lexeme().begin);
  made->name = name;
  tokens_.consume();
  constexpr TokenSet kFieldStart = kName | TokenSet(Token::kQuestion);
  if (!tokens_.expect(kFieldStart | TokenSet(Token::kComma, Token::kRightBrace))) return given_up(made, 22);
  if (kFieldStart.has(tokens_.look())) {
    tokens_.enter({TokenSet(Token::kComma, Token::kRightBrace), false});
    const bool good = message_fields(made);
    tokens_.leave();
    if (!good) tokens_.recover(23);
  }
  if (!tokens_.expect(TokenSet(Token::kComma, Token::kRightBrace))) return given_up(made, 22);
  if (tokens_.look() == Token::kComma) tokens_.consume();
  if (!tokens_.match(Token::kRightBrace, {{}, true})) return given_up(made, 22);
  made->height = height_of(made->args);
  return made;
}

/// '?'? name ':' expr (',' '?'? name ':' expr)*
bool Rules::message_fields(Expr* made) {
  const std::int32_t start = tokens_.lexeme().begin;
  while (true) {
    const bool optional = tokens_.look() == Token::kQuestion;
    if (optional) tokens_.consume();
    Expr::Entry entry;
    std::int32_t offset = kNoOffset;
    tokens_.enter({TokenSet(Token::kColon), false});
    const bool named = escaped_name(entry.field, offset);
    tokens_.leave();
    entry.offset = tokens_.lexeme().begin;
    if (!tokens_.match(Token::kColon, {kExpressionStart, false})) return false;
    const std::size_t before = findings_.size();
    tokens_.enter({TokenSet(Token::kComma), true});
    made->args.push_back(expr());
    tokens_.leave();
    if (!named) {
      findings_.resize(before);  // a value without a field is not looked at
      finding(start, "unsupported ident kind");
    }
    made->fields.push_back(std::move(entry));
    made->optional.push_back(optional);
    const Token next = tokens_.look(2);
    if (tokens_.look() != Token::kComma || !(kName.has(next) || next == Token::kQuestion)) return true;
    tokens_.consume();
  }
}

Expr* Rules::nested() {
  tokens_.consume();
  tokens_.enter({TokenSet(Token::kRightParen), false});
  Expr* inner = expr();
  tokens_.leave();
  if (!tokens_.match(Token::kRightParen, {{}, true})) tokens_.recover(24);
  return inner;
}

/// optExpr: '?'? expr
Expr* Rules::optional_element(bool& optional) {
  optional = false;
  if (!tokens_.expect(kExpressionStart | TokenSet(Token::kQuestion))) return leave_rule(25);
  optional = tokens_.look() == Token::kQuestion;
  if (optional) tokens_.consume();
  tokens_.enter({{}, true});
  Expr* inner = expr();
  tokens_.leave();
  return inner;
}

Expr* Rules::list() {
  Expr* made = ast_.make(ExprKind::kList, tokens_.lexeme().begin);
  tokens_.consume();
  constexpr TokenSet kElement = kExpressionStart | TokenSet(Token::kQuestion);
  constexpr TokenSet kEnd(Token::kComma, Token::kRightBracket);
  if (!tokens_.expect(kElement | kEnd)) return given_up(made, 26);
  if (kElement.has(tokens_.look())) {
    tokens_.enter({kEnd, false});
    while (true) {
      bool optional = false;
      tokens_.enter({TokenSet(Token::kComma), true});
      made->args.push_back(optional_element(optional));
      tokens_.leave();
      made->optional.push_back(optional);
      if (tokens_.look() != Token::kComma || !kElement.has(tokens_.look(2))) break;
      tokens_.consume();
    }
    tokens_.leave();
  }
  if (!tokens_.expect(kEnd)) return given_up(made, 26);
  if (tokens_.look() == Token::kComma) tokens_.consume();
  if (!tokens_.match(Token::kRightBracket, {{}, true})) return given_up(made, 27);
  made->height = height_of(made->args);
  return made;
}

Expr* Rules::map() {
  Expr* made = ast_.make(ExprKind::kMap, tokens_.lexeme().begin);
  tokens_.consume();
  constexpr TokenSet kEntry = kExpressionStart | TokenSet(Token::kQuestion);
  constexpr TokenSet kEnd(Token::kComma, Token::kRightBrace);
  if (!tokens_.expect(kEntry | kEnd)) return given_up(made, 28);
  if (kEntry.has(tokens_.look())) {
    tokens_.enter({kEnd, false});
    const bool good = map_entries(made);
    tokens_.leave();
    if (!good) tokens_.recover(29);
  }
  if (!tokens_.expect(kEnd)) return given_up(made, 28);
  if (tokens_.look() == Token::kComma) tokens_.consume();
  if (!tokens_.match(Token::kRightBrace, {{}, true})) return given_up(made, 30);
  made->height = std::max(height_of(made->args), height_of(made->keys));
  return made;
}

/// '?'? expr ':' expr (',' ...)*
bool Rules::map_entries(Expr* made) {
  while (true) {
    bool optional = false;
    tokens_.enter({TokenSet(Token::kColon), false});
    const std::size_t before = findings_.size();
    Expr* key = optional_element(optional);
    tokens_.leave();
    if (!tokens_.match(Token::kColon, {kExpressionStart, false})) {
      findings_.resize(before);  // a key without a value is not looked at
      return false;
    }
    tokens_.enter({TokenSet(Token::kComma), true});
    made->args.push_back(expr());
    tokens_.leave();
    made->keys.push_back(key);
    made->optional.push_back(optional);
    const Token next = tokens_.look(2);
    if (tokens_.look() != Token::kComma || !(kExpressionStart.has(next) || next == Token::kQuestion)) return true;
    tokens_.consume();
  }
}

Expr* Rules::literal() {
  const std::int32_t offset = tokens_.lexeme().begin;
  const bool negative = tokens_.look() == Token::kMinus;
  if (negative) {
    if (tokens_.look(2) != Token::kInt && tokens_.look(2) != Token::kFloat) {
      tokens_.no_alternative(2);
      return leave_rule(31);
    }
    tokens_.consume();
  }
  const Lexeme token = tokens_.lexeme();
  tokens_.consume();
  switch (token.token) {
    case Token::kInt:
    case Token::kUint:
    case Token::kFloat:
      return number_literal(token, offset, negative);
    case Token::kString:
    case Token::kBytes:
      return text_literal(token);
    default:
      break;
  }
  Expr* made = ast_.make(ExprKind::kLiteral, offset);
  if (token.token != Token::kNull) made->literal = Value::boolean(token.token == Token::kTrue);
  return made;
}

Expr* Rules::number_literal(const Lexeme& token, std::int32_t offset, bool negative) {
  std::string text = tokens_.text(token);
  Expr* made = ast_.make(ExprKind::kLiteral, offset);
  if (token.token == Token::kFloat) {
    const auto value = parse_double((negative ? "-" : "") + text);
    if (value) made->literal = Value::of_double(*value);
    if (!value) finding(offset, "invalid double literal");
    return made;
  }
  const bool is_uint = token.token == Token::kUint;
  if (is_uint) text.pop_back();
  const bool hex = text.starts_with("0x");
  if (hex) text.erase(0, 2);
  if (is_uint) {
    const auto value = parse_uint(text, hex ? 16 : 10);
    if (value) made->literal = Value::of_uint(*value);
    if (!value) finding(offset, "invalid uint literal");
  } else {
    const auto value = parse_int((negative ? "-" : "") + text, hex ? 16 : 10);
    if (value) made->literal = Value::of_int(*value);
    if (!value) finding(offset, "invalid int literal");
  }
  return made;
}

Expr* Rules::text_literal(const Lexeme& token) {
  const bool bytes = token.token == Token::kBytes;
  const std::string raw = tokens_.text(token).substr(bytes ? 1 : 0);
  auto text = unquote(raw, bytes);
  if (!text) finding(token.begin, std::string(text.error()));
  Expr* made = ast_.make(ExprKind::kLiteral, token.begin);
  const std::string_view kept = ast_.keep(text ? std::move(*text) : raw);
  made->literal = bytes ? Value::bytes(kept) : Value::string(kept);
  return made;
}

}  // namespace gpusched::cel
