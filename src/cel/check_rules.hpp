#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/ast.hpp"
#include "cel/environment.hpp"
#include "cel/source.hpp"
#include "cel/type.hpp"

namespace gpusched::cel {

/// One run of the type check.
class Checker {
 public:
  Checker(const Declarations& declarations, TypePool& pool, Errors& errors)
      : declarations_(declarations), pool_(pool), errors_(errors) {}

  void check(Expr* expr);
  [[nodiscard]] const Substitution& bound() const { return bound_; }

 private:
  void ident(Expr* expr);
  void select(Expr* expr);
  void call(Expr* expr);
  void list(Expr* expr);
  void map(Expr* expr);
  void message(Expr* expr);
  void comprehension(Expr* expr);

  [[nodiscard]] const Type* local(std::string_view name) const;
  bool global(Expr* expr, std::string_view name, bool hidden);
  const Type* field_type(Expr* expr, Expr* operand, std::string_view field, bool optional);
  const Type* lookup_field(std::int32_t offset, std::string_view type_name, std::string_view field);
  void resolve(Expr* expr, const Function& function);
  const Type* resolve_overloads(Expr* expr, const Function& function);
  const Type* logical_type(Expr* expr, const Function& function);
  const Type* unwrapped(const Expr* element, bool optional);
  const Type* join(const Type* previous, const Type* current);
  const Type* new_variable();
  void expect_type(const Expr* expr, const Type* type);

  static std::string signature(const std::vector<const Type*>& args, bool member);
  void undeclared(const Expr* at, std::string_view name);
  void mismatch(const Expr* at, const Type& expected, const Type& actual);

  const Declarations& declarations_;
  TypePool& pool_;
  Errors& errors_;
  Substitution bound_;
  std::vector<std::pair<std::string, const Type*>> locals_;
  int variables_ = 0;
};

}  // namespace gpusched::cel
