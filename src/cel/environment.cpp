#include "cel/environment.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gpusched::cel {
namespace {

// The well-known messages as the checker sees them.
const Type kBoolWrapper{TypeKind::kBool, "bool", {}, true};
const Type kBytesWrapper{TypeKind::kBytes, "bytes", {}, true};
const Type kDoubleWrapper{TypeKind::kDouble, "double", {}, true};
const Type kIntWrapper{TypeKind::kInt, "int", {}, true};
const Type kStringWrapper{TypeKind::kString, "string", {}, true};
const Type kUintWrapper{TypeKind::kUint, "uint", {}, true};

struct NamedType {
  std::string_view name;
  const Type* type;
  bool only_checked = false;
};

/// Names that an expression can use for types.
const NamedType kNamedTypes[] = {
    {"bool", &types::kBool},
    {"bytes", &types::kBytes},
    {"double", &types::kDouble},
    {"int", &types::kInt},
    {"list", &types::kListOfDyn},
    {"map", &types::kMapOfDyn},
    {"null_type", &types::kNull},
    {"string", &types::kString},
    {"type", &types::kType},
    {"uint", &types::kUint},
    {"google.protobuf.Duration", &types::kDuration},
    {"google.protobuf.Timestamp", &types::kTimestamp},
    {"google.protobuf.Empty", &types::kEmpty},
    {"optional_type", &types::kOptionalOfDyn},
    {"net.IP", &types::kIp},
    {"net.CIDR", &types::kCidr},
    {"google.protobuf.Any", &types::kAny, true},
    {"google.protobuf.Struct", &types::kStructMap, true},
    {"google.protobuf.Value", &types::kDyn, true},
    {"google.protobuf.ListValue", &types::kListOfDyn, true},
    {"google.protobuf.BoolValue", &kBoolWrapper, true},
    {"google.protobuf.BytesValue", &kBytesWrapper, true},
    {"google.protobuf.DoubleValue", &kDoubleWrapper, true},
    {"google.protobuf.FloatValue", &kDoubleWrapper, true},
    {"google.protobuf.Int32Value", &kIntWrapper, true},
    {"google.protobuf.Int64Value", &kIntWrapper, true},
    {"google.protobuf.StringValue", &kStringWrapper, true},
    {"google.protobuf.UInt32Value", &kUintWrapper, true},
    {"google.protobuf.UInt64Value", &kUintWrapper, true},
    {"kubernetes.DRADevice", &types::kDevice, true},
    {"duration", &types::kDuration, true},
    {"timestamp", &types::kTimestamp, true},
};

const Type kMapToDyn{TypeKind::kMap, "map", {&types::kString, &types::kDyn}, false};

/// Fields of the messages. Kubernetes' type provider takes plain types for structs as well: a map has every field, the
/// others have none.
const std::pair<std::string_view, std::vector<Field>> kMessages[] = {
    {"bool", {}},
    {"bytes", {}},
    {"double", {}},
    {"int", {}},
    {"string", {}},
    {"uint", {}},
    {"google.protobuf.Any", {{"type_url", &types::kString}, {"value", &types::kBytes}}},
    {"google.protobuf.BoolValue", {{"value", &types::kBool}}},
    {"google.protobuf.BytesValue", {{"value", &types::kBytes}}},
    {"google.protobuf.DoubleValue", {{"value", &types::kDouble}}},
    {"google.protobuf.Duration", {{"seconds", &types::kInt}, {"nanos", &types::kInt}}},
    {"google.protobuf.Empty", {}},
    {"google.protobuf.FloatValue", {{"value", &types::kDouble}}},
    {"google.protobuf.Int32Value", {{"value", &types::kInt}}},
    {"google.protobuf.Int64Value", {{"value", &types::kInt}}},
    {"google.protobuf.ListValue", {{"values", &types::kListOfDyn}}},
    {"google.protobuf.StringValue", {{"value", &types::kString}}},
    {"google.protobuf.Struct", {{"fields", &kMapToDyn}}},
    {"google.protobuf.Timestamp", {{"seconds", &types::kInt}, {"nanos", &types::kInt}}},
    {"google.protobuf.UInt32Value", {{"value", &types::kUint}}},
    {"google.protobuf.UInt64Value", {{"value", &types::kUint}}},
    {"google.protobuf.Value",
     {{"null_value", &types::kInt},
      {"number_value", &types::kDouble},
      {"string_value", &types::kString},
      {"bool_value", &types::kBool},
      {"struct_value", &types::kStructMap},
      {"list_value", &types::kListOfDyn}}},
};

const Type kInnerAny{TypeKind::kMap, "map", {&types::kString, &types::kAny}, false};
const Type kInnerDyn{TypeKind::kMap, "map", {&types::kString, &types::kDyn}, false};
const Type kOuterAny{TypeKind::kMap, "map", {&types::kString, &kInnerAny}, false};
const Type kOuterDyn{TypeKind::kMap, "map", {&types::kString, &kInnerDyn}, false};
const Type kInnerQuantity{TypeKind::kMap, "map", {&types::kString, &types::kQuantity}, false};
const Type kOuterQuantity{TypeKind::kMap, "map", {&types::kString, &kInnerQuantity}, false};

const NamedType* find_named(std::string_view name) {
  const auto found = std::ranges::find(kNamedTypes, name, &NamedType::name);
  return found == std::end(kNamedTypes) ? nullptr : &*found;
}

}  // namespace

Declarations::Declarations(Environment environment, const Features& features) : environment_(environment) {
  const bool stored = environment == Environment::kStored;
  includes_ = stored || features.list_type_attributes;
  const bool dyn = stored || features.list_type_attributes;
  attribute_type_ = dyn ? &types::kDyn : &types::kAny;
  device_fields_ = {
      {"driver", &types::kString}, {"attributes", dyn ? &kOuterDyn : &kOuterAny}, {"capacity", &kOuterQuantity}};
  if (stored || features.consumable_capacity) device_fields_.push_back({"allowMultipleAllocations", &types::kBool});
}

const Function* Declarations::function(std::string_view name) const {
  if (name == "includes" && !includes_) return nullptr;
  return find_function(name, environment_);
}

const Type* Declarations::named_type(std::string_view name) {
  const NamedType* found = find_named(name);
  return found == nullptr ? nullptr : found->type;
}

std::string_view Declarations::well_known_message(const Type& type) {
  if (&type == &types::kNull) return "google.protobuf.NullValue";  // which cannot be named itself
  for (const NamedType& named : kNamedTypes) {
    if (named.type == &type && named.name.starts_with("google.protobuf.")) return named.name;
  }
  return {};
}

bool Declarations::only_checked(std::string_view name) {
  const NamedType* found = find_named(name);
  return found != nullptr && found->only_checked;
}

std::optional<const Type*> Declarations::field(std::string_view type_name, std::string_view name) const {
  if (type_name == "map") return &types::kDyn;
  const std::vector<Field>* fields = type_name == types::kDevice.name ? &device_fields_ : nullptr;
  for (const auto& [message, of_message] : kMessages) {
    if (message == type_name) fields = &of_message;
  }
  if (fields == nullptr) return std::nullopt;
  const auto found = std::ranges::find(*fields, name, &Field::name);
  return found == fields->end() ? nullptr : found->type;
}

}  // namespace gpusched::cel
