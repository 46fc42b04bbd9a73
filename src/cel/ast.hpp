#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "cel/function.hpp"
#include "cel/source.hpp"
#include "cel/type.hpp"
#include "cel/value.hpp"

namespace gpusched::cel {

enum class ExprKind : std::uint8_t {
  kMissing,  ///< stands where a syntax error left nothing
  kLiteral,
  kIdent,
  kSelect,
  kCall,
  kList,
  kMap,
  kStruct,
  kComprehension,
};

/// One expression. The parser makes it, the checker fills type, function and overloads.
struct Expr {
  ExprKind kind = ExprKind::kMissing;
  std::int32_t offset = kNoOffset;  ///< where messages about it point to
  std::string name;                 ///< identifier, field, function or message type
  Value literal;                    ///< of kLiteral; its text lives in the Ast

  Expr* target = nullptr;      ///< operand of kSelect, receiver of a method
  std::vector<Expr*> args;     ///< arguments, elements, values of a map or message
  std::vector<Expr*> keys;     ///< of kMap
  std::vector<bool> optional;  ///< of kList, kMap, kStruct: `?` in front of the element or entry
  bool presence_test = false;  ///< has()

  struct Entry {
    std::string field;
    std::int32_t offset = kNoOffset;
  };
  std::vector<Entry> fields;  ///< of kStruct

  // kComprehension: target is the range.
  std::string accumulator, variable, variable2;  ///< variable2 empty: one variable
  Expr* init = nullptr;
  Expr* condition = nullptr;
  Expr* step = nullptr;
  Expr* result = nullptr;

  // From the checker.
  const Type* type = nullptr;
  const Function* function = nullptr;
  std::vector<const Overload*> overloads;
  const Type* named_type = nullptr;  ///< an identifier that names a type

  int height = 0;  ///< how deep the parser generator's visitor goes for it
};

/// Owner of the expressions of one compilation.
struct Ast {
  std::deque<Expr> nodes;
  std::deque<std::string> texts;  ///< of string and bytes literals
  Expr* root = nullptr;

  Expr* make(ExprKind kind, std::int32_t offset) {
    nodes.emplace_back();
    nodes.back().kind = kind;
    nodes.back().offset = offset;
    return &nodes.back();
  }
  std::string_view keep(std::string text) {
    texts.push_back(std::move(text));
    return texts.back();
  }
};

}  // namespace gpusched::cel
