#include "cel/type.hpp"

#include <utility>

namespace gpusched::cel {

namespace types {
const Type kDyn{TypeKind::kDyn, "dyn", {}, false};
const Type kAny{TypeKind::kAny, "google.protobuf.Any", {}, false};
const Type kBool{TypeKind::kBool, "bool", {}, false};
const Type kBytes{TypeKind::kBytes, "bytes", {}, false};
const Type kDouble{TypeKind::kDouble, "double", {}, false};
const Type kDuration{TypeKind::kDuration, "google.protobuf.Duration", {}, false};
const Type kError{TypeKind::kError, "error", {}, false};
const Type kInt{TypeKind::kInt, "int", {}, false};
const Type kNull{TypeKind::kNull, "null_type", {}, false};
const Type kString{TypeKind::kString, "string", {}, false};
const Type kTimestamp{TypeKind::kTimestamp, "google.protobuf.Timestamp", {}, false};
const Type kType{TypeKind::kType, "type", {}, false};
const Type kUint{TypeKind::kUint, "uint", {}, false};
const Type kQuantity{TypeKind::kStruct, "kubernetes.Quantity", {}, false};
const Type kSemver{TypeKind::kStruct, "kubernetes.Semver", {}, false};
const Type kUrl{TypeKind::kStruct, "kubernetes.URL", {}, false};
const Type kNamedFormat{TypeKind::kStruct, "kubernetes.NamedFormat", {}, false};
const Type kIp{TypeKind::kOpaque, "net.IP", {}, false};
const Type kCidr{TypeKind::kOpaque, "net.CIDR", {}, false};
const Type kDevice{TypeKind::kStruct, "kubernetes.DRADevice", {}, false};
const Type kEmpty{TypeKind::kStruct, "google.protobuf.Empty", {}, false};
const Type kListOfDyn{TypeKind::kList, "list", {&kDyn}, false};
const Type kMapOfDyn{TypeKind::kMap, "map", {&kDyn, &kDyn}, false};
const Type kStructMap{TypeKind::kMap, "map", {&kString, &kDyn}, false};
const Type kOptionalOfDyn{TypeKind::kOpaque, "optional_type", {&kDyn}, false};
const Type kTypeOfDyn{TypeKind::kType, "type", {&kDyn}, false};
}  // namespace types

const Type* TypePool::keep(Type type) {
  types_.push_back(std::move(type));
  return &types_.back();
}

const Type* TypePool::list(const Type* element) {
  return keep({TypeKind::kList, "list", {element}, false});
}
const Type* TypePool::map(const Type* key, const Type* value) {
  return keep({TypeKind::kMap, "map", {key, value}, false});
}
const Type* TypePool::optional(const Type* value) {
  return opaque("optional_type", {value});
}
const Type* TypePool::type_of(const Type* type) {
  return keep({TypeKind::kType, "type", {type}, false});
}
const Type* TypePool::opaque(std::string_view name, std::vector<const Type*> params) {
  return keep({TypeKind::kOpaque, std::string(name), std::move(params), false});
}
const Type* TypePool::object(std::string_view name) {
  return keep({TypeKind::kStruct, std::string(name), {}, false});
}
const Type* TypePool::param(std::string_view name) {
  return keep({TypeKind::kTypeParam, std::string(name), {}, false});
}

bool same_type(const Type& a, const Type& b, bool by_name) {
  if (&a == &b) return true;
  if (a.kind != b.kind || a.params.size() != b.params.size()) return false;
  if ((by_name || a.kind != TypeKind::kTypeParam) && a.name != b.name) return false;
  for (std::size_t i = 0; i < a.params.size(); ++i) {
    if (!same_type(*a.params[i], *b.params[i], by_name)) return false;
  }
  return true;
}

bool is_dyn(const Type& type) {
  return type.is(TypeKind::kDyn) || type.is(TypeKind::kAny);
}
bool is_dyn_or_error(const Type& type) {
  return is_dyn(type) || type.is(TypeKind::kError);
}
bool is_optional(const Type& type) {
  return type.is(TypeKind::kOpaque) && type.name == "optional_type";
}

bool takes(const Type& to, const Type& from) {
  if (&to == &from || is_dyn(to) || to.is(TypeKind::kTypeParam)) return true;
  if (to.nullable && from.is(TypeKind::kNull)) return true;
  if (to.kind != from.kind || to.name != from.name || to.params.size() != from.params.size()) return false;
  for (std::size_t i = 0; i < to.params.size(); ++i) {
    if (!takes(*to.params[i], *from.params[i])) return false;
  }
  return true;
}

namespace {

std::string plain_name(const Type& type) {
  return type.nullable ? "wrapper(" + type.name + ")" : type.name;
}

}  // namespace

std::string checked_name(const Type& type) {
  switch (type.kind) {
    case TypeKind::kAny:
      return "any";
    case TypeKind::kDuration:
      return "duration";
    case TypeKind::kError:
      return "!error!";
    case TypeKind::kNull:
      return "null";
    case TypeKind::kTimestamp:
      return "timestamp";
    default:
      break;
  }
  if (type.params.empty()) return plain_name(type);
  std::string text = type.name + "(";
  for (std::size_t i = 0; i < type.params.size(); ++i) text += (i == 0 ? "" : ", ") + checked_name(*type.params[i]);
  return text + ")";
}

std::string declared_name(const Type& type) {
  if (type.is(TypeKind::kTypeParam)) return "<" + type.name + ">";
  if (type.params.empty()) return plain_name(type);
  std::string text = plain_name(type) + "(";
  for (std::size_t i = 0; i < type.params.size(); ++i) text += (i == 0 ? "" : ", ") + declared_name(*type.params[i]);
  return text + ")";
}

}  // namespace gpusched::cel
