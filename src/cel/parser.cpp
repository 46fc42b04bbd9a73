#include "cel/parser.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cel/parse_rules.hpp"

namespace gpusched::cel {
namespace {

constexpr std::int32_t kMaxCodePoints = 100'000;
constexpr int kMaxDepth = 250;

constexpr TokenSet kRelations(Token::kLess, Token::kLessEquals, Token::kGreaterEquals, Token::kGreater, Token::kEquals,
                              Token::kNotEquals, Token::kIn);
constexpr TokenSet kProducts(Token::kStar, Token::kSlash, Token::kPercent);
constexpr TokenSet kSums(Token::kPlus, Token::kMinus);

std::string_view operator_name(Token token) {
  switch (token) {
    case Token::kLess:
      return "_<_";
    case Token::kLessEquals:
      return "_<=_";
    case Token::kGreaterEquals:
      return "_>=_";
    case Token::kGreater:
      return "_>_";
    case Token::kEquals:
      return "_==_";
    case Token::kNotEquals:
      return "_!=_";
    case Token::kIn:
      return "@in";
    case Token::kStar:
      return "_*_";
    case Token::kSlash:
      return "_/_";
    case Token::kPercent:
      return "_%_";
    case Token::kPlus:
      return "_+_";
    default:
      return "_-_";
  }
}

}  // namespace

bool Rules::enter_depth(int& depth) {
  if (++depth <= kMaxDepth) return true;
  tokens_.give_up(fmt::format("expression recursion limit exceeded: {}", kMaxDepth));
  return false;
}

/// start: expr EOF
Expr* Rules::start() {
  tokens_.enter({TokenSet(Token::kEnd), false});
  Expr* root = expr();
  tokens_.leave();
  if (!tokens_.match(Token::kEnd, {TokenSet(Token::kEnd), false})) tokens_.recover(0);
  return root;
}

/// expr: or ('?' or ':' expr)?
Expr* Rules::expr() {
  const Depth depth(*this, expr_depth_);
  if (!depth.good) return missing();
  tokens_.enter({TokenSet(Token::kQuestion), true});
  Expr* condition = logical(Token::kOr);
  tokens_.leave();
  if (tokens_.look() != Token::kQuestion) return condition;
  const std::int32_t offset = tokens_.lexeme().begin;
  tokens_.consume();
  tokens_.enter({TokenSet(Token::kColon), false});
  Expr* yes = logical(Token::kOr);
  tokens_.leave();
  if (!tokens_.match(Token::kColon, {kExpressionStart, false})) {
    Expr* const no = missing();
    return given_up(deepen(call(offset, "_?_:_", {condition, yes, no}), {condition, yes, no}), 1);
  }
  tokens_.enter({{}, true});
  Expr* no = expr();
  tokens_.leave();
  return deepen(call(offset, "_?_:_", {condition, yes, no}), {condition, yes, no});
}

/// or: and ('||' and)*, and: relation ('&&' relation)*
Expr* Rules::logical(Token token) {
  const auto part = [this, token] {
    tokens_.enter({TokenSet(token), true});
    Expr* term = token == Token::kOr ? logical(Token::kAnd) : relation(1);
    tokens_.leave();
    return term;
  };
  std::vector<Expr*> terms = {part()};
  std::vector<std::int32_t> offsets;
  while (tokens_.look() == token) {
    offsets.push_back(tokens_.lexeme().begin);
    tokens_.consume();
    terms.push_back(part());
  }
  if (offsets.empty()) return terms[0];
  return balanced(token == Token::kOr ? "_||_" : "_&&_", terms, offsets, 0, offsets.size() - 1);
}

/// Long chains become balanced trees, so that their depth does not count.
Expr* Rules::balanced(std::string_view name, const std::vector<Expr*>& terms, const std::vector<std::int32_t>& offsets,
                      std::size_t low, std::size_t high) {
  const std::size_t middle = (low + high + 1) / 2;
  Expr* left = middle == low ? terms[middle] : balanced(name, terms, offsets, low, middle - 1);
  Expr* right = middle == high ? terms[middle + 1] : balanced(name, terms, offsets, middle + 1, high);
  Expr* tree = ast_.make(ExprKind::kCall, offsets[middle]);
  tree->name = name;
  tree->args = {left, right};
  tree->height = std::max(left->height, right->height);
  return tree;
}

/// relation: calc | relation op relation
Expr* Rules::relation(int precedence) {
  const Depth depth(*this, relation_depth_);
  if (!depth.good) return missing();
  tokens_.enter({kRelations, true});
  Expr* left = calc(1);
  tokens_.leave();
  while (precedence <= 1 && kRelations.has(tokens_.look())) {
    const Lexeme op = tokens_.lexeme();
    tokens_.consume();
    tokens_.enter({kRelations, true});
    Expr* right = relation(2);
    tokens_.leave();
    left = deepen(call(op.begin, operator_name(op.token), {left, right}), {left, right});
  }
  return left;
}

/// calc: unary | calc ('*'|'/'|'%') calc | calc ('+'|'-') calc
Expr* Rules::calc(int precedence) {
  const Depth depth(*this, calc_depth_);
  if (!depth.good) return missing();
  tokens_.enter({kProducts | kSums, true});
  Expr* left = unary();
  tokens_.leave();
  while (true) {
    const Lexeme op = tokens_.lexeme();
    const int level = kProducts.has(op.token) ? 2 : 1;
    if (!(kProducts | kSums).has(op.token) || level < precedence) return left;
    tokens_.consume();
    tokens_.enter({kProducts | kSums, true});
    Expr* right = calc(level + 1);
    tokens_.leave();
    left = deepen(call(op.begin, operator_name(op.token), {left, right}), {left, right});
  }
}

/// unary: member | '!'+ member | '-'+ member
Expr* Rules::unary() {
  const std::int32_t start = tokens_.lexeme().begin;
  if (!tokens_.expect(kExpressionStart)) return given_up(missing(start), 2);
  const Token first = tokens_.look();
  const Token second = tokens_.look(2);
  const bool negative_literal = first == Token::kMinus && (second == Token::kInt || second == Token::kFloat);
  if (first == Token::kMinus && !negative_literal && second != Token::kMinus && !kMemberStart.has(second)) {
    tokens_.no_alternative(2);
    return given_up(missing(start), 2);
  }
  if (negative_literal || (first != Token::kMinus && first != Token::kExclamation)) {
    if (!kMemberStart.has(first)) {
      tokens_.no_alternative(1);
      return given_up(missing(start), 2);
    }
    return operand();
  }
  const std::int32_t offset = tokens_.lexeme().begin;
  std::size_t count = 0;
  Expr* inner = nullptr;
  do {
    ++count;
    tokens_.consume();
    tokens_.expect_in_loop(kMemberStart | TokenSet(first));
    const Token next = tokens_.look(2);
    if (first == Token::kMinus && tokens_.look() == Token::kMinus && next != Token::kMinus && !kMemberStart.has(next)) {
      tokens_.no_alternative(2);
      inner = leave_rule(3);
      break;
    }
  } while (tokens_.look() == first);
  if (inner == nullptr) inner = operand();
  if (count % 2 == 0) return inner;
  Expr* negated = call(offset, first == Token::kMinus ? "-_" : "!_", {inner});
  negated->height = inner->height;
  return negated;
}

Expr* Rules::operand() {
  tokens_.enter({{}, true});
  Expr* inner = member();
  tokens_.leave();
  return inner;
}

Expr* Rules::leave_rule(int state) {
  tokens_.recover(state);
  return missing();
}

Expr* Rules::deepen(Expr* expr, std::initializer_list<const Expr*> parts) {
  int height = 0;
  for (const Expr* part : parts) height = std::max(height, part->height);
  expr->height = height + 1;
  return expr;
}

Expr* Rules::call(std::int32_t offset, std::string_view name, std::vector<Expr*> args) {
  Expr* made = ast_.make(ExprKind::kCall, offset);
  made->name = name;
  made->args = std::move(args);
  return made;
}

void parse(const Source& source, Errors& errors, Ast& ast) {
  if (source.size() > kMaxCodePoints) {
    errors.add(kNoOffset, fmt::format("expression code point size exceeds limit: size: {}, limit {}", source.size(),
                                      kMaxCodePoints));
    return;
  }
  Rules rules(source, errors, ast);
  ast.root = rules.start();
  if (rules.gave_up()) return;
  rules.report_findings();
  if (ast.root->height > kMaxDepth) errors.add(kNoOffset, "max recursion depth exceeded");
}

}  // namespace gpusched::cel
