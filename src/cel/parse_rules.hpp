#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/ast.hpp"
#include "cel/macros.hpp"
#include "cel/token_stream.hpp"

namespace gpusched::cel {

inline constexpr TokenSet kMemberStart(Token::kLeftBracket, Token::kLeftBrace, Token::kLeftParen, Token::kDot,
                                       Token::kMinus, Token::kTrue, Token::kFalse, Token::kNull, Token::kFloat,
                                       Token::kInt, Token::kUint, Token::kString, Token::kBytes, Token::kIdentifier);
inline constexpr TokenSet kExpressionStart = kMemberStart | TokenSet(Token::kExclamation);

/// The rules of the grammar, one function each; they build the tree and expand macros on the way.
class Rules {
 public:
  Rules(const Source& source, Errors& errors, Ast& ast) : tokens_(source, errors), errors_(errors), ast_(ast) {}

  Expr* start();
  [[nodiscard]] bool gave_up() const { return tokens_.gave_up(); }
  /// Adds what was wrong with literals, names and macros; the original looks for it after the syntax.
  void report_findings() {
    for (auto& [offset, message] : findings_) errors_.add(offset, std::move(message));
  }

 private:
  struct Depth {
    Depth(Rules& rules, int& depth_) : depth(depth_), good(rules.enter_depth(depth)) {}
    ~Depth() { --depth; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    int& depth;
    bool good;
  };
  bool enter_depth(int& depth);

  Expr* expr();
  Expr* logical(Token token);
  Expr* relation(int precedence);
  Expr* calc(int precedence);
  Expr* unary();
  Expr* operand();
  Expr* member();
  Expr* member_suffix(Expr* target, bool& good);
  Expr* select(Expr* target, bool& good);
  Expr* member_call(Expr* target, bool& good);
  Expr* index(Expr* target, bool& good);
  bool escaped_name(std::string& name, std::int32_t& offset);
  Expr* primary();
  Expr* identifier_or_call();
  Expr* message(std::int32_t ids, bool leading_dot);
  bool message_fields(Expr* made);
  Expr* nested();
  Expr* list();
  Expr* map();
  bool map_entries(Expr* made);
  Expr* literal();
  Expr* text_literal(const Lexeme& token);
  Expr* number_literal(const Lexeme& token, std::int32_t offset, bool negative);
  bool arguments(std::vector<Expr*>& args);
  Expr* optional_element(bool& optional);

  Expr* balanced(std::string_view name, const std::vector<Expr*>& terms, const std::vector<std::int32_t>& offsets,
                 std::size_t low, std::size_t high);
  Expr* missing(std::int32_t offset = kUnreadOffset) { return ast_.make(ExprKind::kMissing, offset); }
  Expr* leave_rule(int state);
  /// Leaves a rule with what was read of it.
  Expr* given_up(Expr* made, int state) {
    tokens_.recover(state);
    return made;
  }
  Expr* call(std::int32_t offset, std::string_view name, std::vector<Expr*> args);
  Expr* call_or_macro(std::int32_t offset, std::string name, Expr* target, std::vector<Expr*> args);
  static Expr* deepen(Expr* expr, std::initializer_list<const Expr*> parts);
  void finding(std::int32_t offset, std::string message) { findings_.emplace_back(offset, std::move(message)); }

  TokenStream tokens_;
  Errors& errors_;
  Ast& ast_;
  std::vector<std::pair<std::int32_t, std::string>> findings_;
  int expr_depth_ = 0, relation_depth_ = 0, calc_depth_ = 0;
};

}  // namespace gpusched::cel
