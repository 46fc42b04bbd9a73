// Quantities, versions and named formats (k8s.io/apiserver/pkg/cel/library quantity.go, semverlib.go, format.go).

#include <string>

#include "cel/evaluation.hpp"
#include "cel/function.hpp"
#include "cel/named_format.hpp"
#include "cel/semver.hpp"

namespace gpusched::cel {
namespace {

using Args = std::span<const Value>;

Value quantity(Evaluation& e, Args args) {
  auto parsed = try_parse_quantity(args[0].view());
  if (!parsed) return Value::error(kubernetes_text(parsed.error()));
  return e.heap().quantity(std::move(*parsed), false);
}

Value is_quantity(Evaluation&, Args args) {
  return Value::boolean(try_parse_quantity(args[0].view()).has_value());
}

const Quantity& amount(const Value& value) {
  return *value.quantity;
}

Value sign(Evaluation&, Args args) {
  return Value::of_int(amount(args[0]).sign());
}
Value is_integer(Evaluation&, Args args) {
  return Value::boolean(amount(args[0]).as_int64().has_value());
}
Value as_integer(Evaluation&, Args args) {
  const auto value = amount(args[0]).as_int64();
  return value ? Value::of_int(*value) : Value::error("cannot convert value to integer");
}
Value as_float(Evaluation&, Args args) {
  return Value::of_double(amount(args[0]).as_approximate_double());
}

Value quantity_greater(Evaluation&, Args args) {
  return Value::boolean(amount(args[0]).compare(amount(args[1])) == 1);
}
Value quantity_less(Evaluation&, Args args) {
  return Value::boolean(amount(args[0]).compare(amount(args[1])) == -1);
}
Value quantity_compare(Evaluation&, Args args) {
  return Value::of_int(amount(args[0]).compare(amount(args[1])));
}

Quantity operand(const Value& value) {
  return value.is(Kind::kInt) ? Quantity::from_int64(value.integer, QuantityFormat::kDecimalExponent) : amount(value);
}
Value quantity_add(Evaluation& e, Args args) {
  Quantity sum = amount(args[0]);
  sum.add(operand(args[1]));
  return e.heap().quantity(std::move(sum), true);
}
Value quantity_sub(Evaluation& e, Args args) {
  Quantity difference = amount(args[0]);
  difference.sub(operand(args[1]));
  return e.heap().quantity(std::move(difference), true);
}

constexpr OverloadRow kQuantity[] = {
    {"quantity", "string_to_quantity", "(string) Quantity", quantity},
    {"isQuantity", "is_quantity_string", "(string) bool", is_quantity},
    {"sign", "quantity_sign", "(Quantity) int", sign},
    {"isGreaterThan", "quantity_is_greater_than", "Quantity.(Quantity) bool", quantity_greater},
    {"isLessThan", "quantity_is_less_than", "Quantity.(Quantity) bool", quantity_less},
    {"compareTo", "quantity_compare_to", "Quantity.(Quantity) int", quantity_compare},
    {"asApproximateFloat", "quantity_get_float", "Quantity.() double", as_float},
    {"asInteger", "quantity_get_int", "Quantity.() int", as_integer},
    {"isInteger", "quantity_is_integer", "Quantity.() bool", is_integer},
    {"add", "quantity_add", "Quantity.(Quantity) Quantity", quantity_add},
    {"add", "quantity_add_int", "Quantity.(int) Quantity", quantity_add},
    {"sub", "quantity_sub", "Quantity.(Quantity) Quantity", quantity_sub},
    {"sub", "quantity_sub_int", "Quantity.(int) Quantity", quantity_sub},
};

std::expected<Semver, std::string> read_semver(Evaluation& e, Args args) {
  if (args.size() == 1 || !args[1].truth) return parse_semver(args[0].view());
  const auto normal = normalize_semver(args[0].view());
  if (!normal) return std::unexpected(normal.error());
  return parse_semver(e.heap().keep(*normal));
}

Value semver(Evaluation& e, Args args) {
  const auto version = read_semver(e, args);
  if (!version) return e.error(version.error());
  Value value;
  value.kind = Kind::kSemver;
  value.semver = e.heap().make(*version);
  return value;
}

Value is_semver(Evaluation& e, Args args) {
  return Value::boolean(read_semver(e, args).has_value());
}

Value semver_greater(Evaluation&, Args args) {
  return Value::boolean(compare(*args[0].semver, *args[1].semver) == 1);
}
Value semver_less(Evaluation&, Args args) {
  return Value::boolean(compare(*args[0].semver, *args[1].semver) == -1);
}
Value semver_compare(Evaluation&, Args args) {
  return Value::of_int(compare(*args[0].semver, *args[1].semver));
}
// Numbers above 2^63-1 wrap around, as in the original.
Value major(Evaluation&, Args args) {
  return Value::of_int(static_cast<std::int64_t>(args[0].semver->major));
}
Value minor(Evaluation&, Args args) {
  return Value::of_int(static_cast<std::int64_t>(args[0].semver->minor));
}
Value patch(Evaluation&, Args args) {
  return Value::of_int(static_cast<std::int64_t>(args[0].semver->patch));
}

constexpr OverloadRow kSemver[] = {
    {"semver", "string_to_semver", "(string) Semver", semver},
    {"semver", "string_bool_to_semver", "(string, bool) Semver", semver},
    {"isSemver", "is_semver_string", "(string) bool", is_semver},
    {"isSemver", "is_semver_string_bool", "(string, bool) bool", is_semver},
    {"isGreaterThan", "semver_is_greater_than", "Semver.(Semver) bool", semver_greater},
    {"isLessThan", "semver_is_less_than", "Semver.(Semver) bool", semver_less},
    {"compareTo", "semver_compare_to", "Semver.(Semver) int", semver_compare},
    {"major", "semver_major", "Semver.() int", major},
    {"minor", "semver_minor", "Semver.() int", minor},
    {"patch", "semver_patch", "Semver.() int", patch},
};

Value format_value(std::string_view function) {
  Value value;
  value.kind = Kind::kFormat;
  value.format = find_named_format(function);
  return value;
}

Value named(Evaluation& e, Args args) {
  const Value value = format_value(args[0].view());
  return value.format == nullptr ? Value::optional(nullptr) : e.heap().optional(value);
}

Value validate(Evaluation& e, Args args) {
  const auto messages = args[0].format->check(args[1].view());
  if (messages.empty()) return Value::optional(nullptr);
  std::vector<Value> texts;
  for (const std::string& message : messages) texts.push_back(e.heap().string(message));
  return e.heap().optional(e.heap().list(texts));
}

template <std::size_t index>
Value constant(Evaluation&, Args) {
  return format_value(named_formats()[index].function);
}

constexpr OverloadRow kFormat[] = {
    {"validate", "format-validate", "NamedFormat.(string) optional(list(string))", validate},
    {"format.named", "format-named", "(string) optional(NamedFormat)", named},
    {"format.dns1123Label", "format.dns1123Label", "() NamedFormat", constant<0>},
    {"format.dns1123Subdomain", "format.dns1123Subdomain", "() NamedFormat", constant<1>},
    {"format.dns1035Label", "format.dns1035Label", "() NamedFormat", constant<2>},
    {"format.qualifiedName", "format.qualifiedName", "() NamedFormat", constant<3>},
    {"format.dns1123LabelPrefix", "format.dns1123LabelPrefix", "() NamedFormat", constant<4>},
    {"format.dns1123SubdomainPrefix", "format.dns1123SubdomainPrefix", "() NamedFormat", constant<5>},
    {"format.dns1035LabelPrefix", "format.dns1035LabelPrefix", "() NamedFormat", constant<6>},
    {"format.labelValue", "format.labelValue", "() NamedFormat", constant<7>},
    {"format.uri", "format.uri", "() NamedFormat", constant<8>},
    {"format.uuid", "format.uuid", "() NamedFormat", constant<9>},
    {"format.byte", "format.byte", "() NamedFormat", constant<10>},
    {"format.date", "format.date", "() NamedFormat", constant<11>},
    {"format.datetime", "format.datetime", "() NamedFormat", constant<12>},
};

}  // namespace

Library quantity_library() {
  return {kQuantity};
}
Library semver_library() {
  return {kSemver};
}
Library format_library() {
  return {kFormat};
}

}  // namespace gpusched::cel
