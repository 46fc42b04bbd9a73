#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/type.hpp"
#include "cel/value.hpp"
#include "gpusched/cel/program.hpp"

namespace gpusched::cel {

class Evaluation;

/// What a call does with its evaluated arguments; of a method the receiver is the first.
using Implementation = Value (*)(Evaluation&, std::span<const Value>);

/// Abilities of run-time types that operators ask for.
enum class Trait : std::uint8_t {
  kNone,
  kAdder,
  kComparer,
  kDivider,
  kModder,
  kMultiplier,
  kNegator,
  kSubtractor,
  kSizer,
  kMatcher,
  kLister,
};
[[nodiscard]] bool has_trait(const Value& value, Trait trait);

/// One row of an overload table. Signatures read "string.(int) string" for methods, "(string) int" for functions;
/// single capital letters are type parameters.
struct OverloadRow {
  std::string_view function, id, signature;
  Implementation implementation = nullptr;  ///< null: the function has one for all overloads
};

/// A function whose overloads share one implementation, which wants a trait of its first argument.
struct FunctionRow {
  std::string_view function;
  Implementation implementation;
  Trait trait = Trait::kNone;
};

struct Overload {
  std::string_view id;
  bool member = false;
  std::vector<const Type*> args;
  const Type* result = nullptr;
  std::vector<const Type*> params;  ///< its type parameters
  Implementation implementation = nullptr;
};

struct Function {
  std::string_view name;
  std::vector<Overload> overloads;
  Implementation shared = nullptr;
  Trait trait = Trait::kNone;
  bool unguarded = false;  ///< arguments are not compared with the signature before the call
};

/// The function of that name, or null. Environments differ in the order of overloads; what they lack is here, too.
/// Rule: k8s.io/apiserver v0.37.2, pkg/cel/environment/base.go.
[[nodiscard]] const Function* find_function(std::string_view name, Environment environment);

/// Whether the value may be passed where the type is declared.
[[nodiscard]] bool accepts(const Type& type, const Value& value);

/// The tables of the libraries.
struct Library {
  std::span<const OverloadRow> overloads;
  std::span<const FunctionRow> functions = {};
};
[[nodiscard]] Library operator_library();
[[nodiscard]] Library conversion_library();
[[nodiscard]] Library time_library();
[[nodiscard]] Library core_library();
[[nodiscard]] Library string_library();
[[nodiscard]] Library list_library();
[[nodiscard]] Library kubernetes_list_library();
[[nodiscard]] Library set_library();
[[nodiscard]] Library optional_library();
[[nodiscard]] Library regex_library();
[[nodiscard]] Library url_library();
[[nodiscard]] Library ip_library();
[[nodiscard]] Library cidr_library();
[[nodiscard]] Library format_library();
[[nodiscard]] Library quantity_library();
[[nodiscard]] Library semver_library();
[[nodiscard]] Library authorizer_library();

}  // namespace gpusched::cel
