#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gpusched::cel {

enum class TypeKind : std::uint8_t {
  kDyn,
  kAny,
  kBool,
  kBytes,
  kDouble,
  kDuration,
  kError,
  kInt,
  kList,
  kMap,
  kNull,
  kOpaque,
  kString,
  kStruct,
  kTimestamp,
  kType,
  kTypeParam,
  kUint,
};

/// A type of the checker. Types without parameters are single objects, others live in a TypePool.
struct Type {
  TypeKind kind = TypeKind::kDyn;
  std::string name;  ///< as type() prints it at run time: "google.protobuf.Duration"
  std::vector<const Type*> params;
  bool nullable = false;  ///< a wrapper type: takes null as well

  [[nodiscard]] bool is(TypeKind other) const { return kind == other; }
};

/// Types that exist once.
namespace types {
extern const Type kDyn, kAny, kBool, kBytes, kDouble, kDuration, kError, kInt, kNull, kString, kTimestamp, kType, kUint;
extern const Type kQuantity, kSemver, kUrl, kNamedFormat, kIp, kCidr, kDevice, kEmpty;
extern const Type kListOfDyn, kMapOfDyn, kStructMap, kOptionalOfDyn, kTypeOfDyn;
}  // namespace types

/// Owner of composed types.
class TypePool {
 public:
  const Type* list(const Type* element);
  const Type* map(const Type* key, const Type* value);
  const Type* optional(const Type* value);
  const Type* type_of(const Type* type);
  const Type* opaque(std::string_view name, std::vector<const Type*> params);
  const Type* object(std::string_view name);
  const Type* param(std::string_view name);

 private:
  const Type* keep(Type type);
  std::deque<Type> types_;
};

/// Same type in all parts; with `by_name` false type parameters are equal whatever their names are.
[[nodiscard]] bool same_type(const Type& a, const Type& b, bool by_name = true);
/// Whether a value of type `from` goes where `to` is expected, without type parameters being bound.
[[nodiscard]] bool takes(const Type& to, const Type& from);
[[nodiscard]] bool is_dyn(const Type& type);           ///< dyn or any
[[nodiscard]] bool is_dyn_or_error(const Type& type);  ///< also !error!
[[nodiscard]] bool is_optional(const Type& type);
/// As check errors name it: "timestamp", "map(string, dyn)".
[[nodiscard]] std::string checked_name(const Type& type);
/// As the message about the result names it: "google.protobuf.Timestamp", "<A>".
[[nodiscard]] std::string declared_name(const Type& type);

/// What type parameters stand for.
class Substitution {
 public:
  [[nodiscard]] const Type* find(const Type& param) const;
  void add(const Type& param, const Type* type) { bound_[param.name] = type; }

  /// Takes `from` for `to` and binds parameters on the way; on failure nothing is bound.
  bool assign(const Type* to, const Type* from);
  bool assign_all(const std::vector<const Type*>& to, const std::vector<const Type*>& from);
  /// The type with bound parameters replaced; unbound ones become dyn on demand.
  const Type* apply(TypePool& pool, const Type* type, bool unbound_to_dyn) const;

 private:
  bool unify(const Type* a, const Type* b);
  bool unify_all(const std::vector<const Type*>& a, const std::vector<const Type*>& b);
  /// Whether b, a parameter, can stand for a; second: it already stood for something.
  std::pair<bool, bool> bind(const Type* a, const Type* b);
  [[nodiscard]] bool occurs(const Type& param, const Type& within) const;

  std::unordered_map<std::string, const Type*> bound_;
};

/// The more general of two types that are known to unify.
[[nodiscard]] const Type* most_general(const Type* a, const Type* b);

}  // namespace gpusched::cel
