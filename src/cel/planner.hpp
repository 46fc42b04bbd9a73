#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/ast.hpp"
#include "cel/evaluation.hpp"
#include "cel/plan.hpp"

namespace gpusched::cel {

/// One run of the planner; the first error ends it.
class Planner {
 public:
  explicit Planner(Plan& plan)
      : plan_(plan),
        evaluation_(plan.heap, regexes_, {}, nullptr, nullptr, std::numeric_limits<std::uint64_t>::max() / 2) {}

  Node* plan(const Expr* expr);
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  struct Scope {
    std::string_view name;
    std::uint32_t slot = 0;
    bool accumulator = false;
    const Node* init = nullptr;
  };

  Node* make(Op op);
  Node* constant(const Value& value);
  Value own(const Value& value);
  Node* fail(std::string error);

  Node* ident(const Expr* expr);
  Node* attribute(Node* node);
  void add_qualifier(Node* node, const Qualifier& qualifier);
  static void fold_into_root(Node& node);
  Node* select(const Expr* expr);
  Node* index(const Expr* expr, std::span<Node* const> args, bool optional);
  Node* conditional(std::span<Node* const> args);
  Node* call(const Expr* expr);
  Node* plain_call(const Expr* expr, std::span<Node* const> args);
  Node* known(Node* node);
  Node* folded(Node* node);
  Node* membership(Node* node);
  Node* with_regex(Node* node);
  Node* list(const Expr* expr);
  Node* map(const Expr* expr);
  Node* message(const Expr* expr);
  Node* comprehension(const Expr* expr);

  Plan& plan_;
  RegexCache regexes_;
  Evaluation evaluation_;
  std::vector<Scope> scopes_;
  std::string error_;
};

}  // namespace gpusched::cel
