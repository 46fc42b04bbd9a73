#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "cel/evaluation.hpp"
#include "cel/named_format.hpp"

namespace gpusched::cel {
namespace {

constexpr double kTextFactor = 0.1;    // per byte or code point of a text
constexpr double kRegexFactor = 0.25;  // per character of a pattern
constexpr std::uint64_t kCall = 1;
constexpr std::uint64_t kNewList = 10;

/// Rounded up; as std::ceil, which is a call where the processor is not known to round by itself.
std::uint64_t scaled(double size, double factor) {
  constexpr double kFitsInt64 = 9e18;
  const double product = size * factor;
  if (!(product < kFitsInt64)) return static_cast<std::uint64_t>(std::ceil(product));
  const auto whole = static_cast<std::int64_t>(product);
  return static_cast<std::uint64_t>(whole) + (static_cast<double>(whole) < product ? 1U : 0U);
}
/// A tenth, rounded up. The double 0.1 is larger than a tenth by 2^-54 of it, which is lost when the product is
/// rounded, so whole numbers give the same.
std::uint64_t text_cost(std::uint64_t size) {
  constexpr std::uint64_t kExact = std::uint64_t{1} << 50U;
  return size < kExact ? (size + 9) / 10 : scaled(static_cast<double>(size), kTextFactor);
}

std::uint64_t add(std::uint64_t a, std::uint64_t b) {
  return b > 0 && a > UINT64_MAX - b ? UINT64_MAX : a + b;
}
std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/// The size that the standard functions count: that of an optional is its value's.
std::uint64_t size_inside(const Value& value) {
  return value.is(Kind::kOptional) && value.items != nullptr ? size_inside(*value.items) : size_of(value);
}

std::uint64_t traversal(const Value& value) {
  switch (value.kind) {
    case Kind::kString:
    case Kind::kBytes:
      return static_cast<std::uint64_t>(static_cast<double>(value.size) * kTextFactor);
    case Kind::kList: {
      std::uint64_t cost = 0;
      for (const Value& item : items_of(value)) cost += traversal(item);
      return cost;
    }
    case Kind::kMap: {
      std::uint64_t cost = 0;
      for (const MapEntry& entry : value.map->all()) cost += traversal(entry.key) + traversal(entry.value);
      return cost;
    }
    default:
      return 1;
  }
}

/// New lists: their base cost and size times factor.
std::uint64_t list_cost(double factor, std::uint64_t size) {
  if (factor < 0) factor = 1;
  return add(add(static_cast<std::uint64_t>(static_cast<double>(size) * factor), kCall), kNewList);
}

/// Sorting and distinct: as if every element were compared with every other one twice.
std::uint64_t self_compare_cost(const Value& list) {
  const auto items = items_of(list);
  if (items.empty()) return list_cost(2.0, 0);
  const bool texts = items[0].is(Kind::kString) || items[0].is(Kind::kBytes);
  return list_cost(texts ? 2.0 + kTextFactor : 2.0, multiply(items.size(), items.size()));
}

std::uint64_t equality_cost(const Node& node, std::span<const Value> args) {
  if (node.op == Op::kEqual) {
    switch (args[0].kind) {
      case Kind::kQuantity:
      case Kind::kIp:
      case Kind::kCidr:
      case Kind::kFormat:
      case Kind::kUrl:
      case Kind::kSemver:
        return 1;
      default:
        break;
    }
  }
  return text_cost(std::min(size_inside(args[0]), size_inside(args[1])));
}

std::uint64_t search_cost(std::uint64_t text_size, std::uint64_t pattern_size) {
  return scaled(1.0 + static_cast<double>(text_size), kTextFactor) *
         scaled(static_cast<double>(pattern_size), kRegexFactor);
}

std::uint64_t validate_cost(std::span<const Value> args) {
  return args[0].is(Kind::kFormat) ? search_cost(size_of(args[1]), args[0].format->regex_size) : 1;
}

std::uint64_t sets_cost(std::span<const Value> args, double factor) {
  return add(kCall, static_cast<std::uint64_t>(static_cast<double>(size_of(args[0]) * size_of(args[1])) * factor));
}

}  // namespace

/// Spends what the call costs; returns its result, or the error that ended the evaluation.
Value Evaluation::call_cost(const Node& node, std::span<const Value> args, const Value& result) {
  // The original trips over errors where its rules want a list or a number.
  const auto wants = [&](std::size_t i, Kind kind, std::string_view before, std::string_view behind) {
    if (args[i].is(kind)) return true;
    (void)stop(ErrorKind::kRuntime,
               fmt::format("internal error: interface conversion: {}{}{}", before, go_type_name(args[i]), behind));
    return false;
  };
  constexpr std::string_view kNoLister = " is not traits.Lister: missing method Add";
  std::uint64_t cost = 1;
  switch (node.cost) {
    case CostRule::kOne:
      break;
    case CostRule::kAuthorizerCheck:
      cost = 350'000;
      break;
    case CostRule::kTraversal:
      cost = traversal(args[0]);
      break;
    case CostRule::kScanInside:
      cost = text_cost(size_inside(args[0]));
      break;
    case CostRule::kScan:
      cost = text_cost(size_of(args[0]));
      break;
    case CostRule::kScanTwice:
      cost = scaled(static_cast<double>(size_of(args[0])) * 2, kTextFactor);
      break;
    case CostRule::kJoin:
      cost = scaled(static_cast<double>(size_of(result)) * 2, kTextFactor);
      break;
    case CostRule::kSearch:
      cost = search_cost(size_inside(args[0]), size_inside(args[1]));
      break;
    case CostRule::kFind:
      cost = search_cost(size_of(args[0]), size_of(args[1]));
      break;
    case CostRule::kContains:
      cost = text_cost(size_inside(args[0])) * text_cost(size_inside(args[1]));
      break;
    case CostRule::kScanArgument:
      cost = text_cost(size_inside(args[1]));
      break;
    case CostRule::kSum:
      cost = text_cost(size_inside(args[0]) + size_inside(args[1]));
      break;
    case CostRule::kShorter:
    case CostRule::kEquals:
      cost = equality_cost(node, args);
      break;
    case CostRule::kInList:
      cost = size_inside(args[1]);
      break;
    case CostRule::kCidrContainsIp:
      cost = text_cost(2 * size_of(args[0]));
      break;
    case CostRule::kCidrContainsIpText:
      cost = text_cost(2 * size_of(args[0])) + text_cost(size_of(args[1]));
      break;
    case CostRule::kCidrContainsCidr:
      cost = text_cost(2 * size_of(args[0])) + text_cost(size_of(args[0])) + 1;
      break;
    case CostRule::kCidrContainsCidrText:
      cost = text_cost(2 * size_of(args[0])) + text_cost(size_of(args[0])) + 1 + text_cost(size_of(args[1]));
      break;
    case CostRule::kValidate:
      cost = validate_cost(args);
      break;
    case CostRule::kListResult:
      cost = list_cost(1, size_of(result));
      break;
    case CostRule::kFlatten:
      cost = list_cost(1, size_of(args[0]));
      break;
    case CostRule::kFlattenDepth:
      if (!wants(1, Kind::kInt, "ref.Val is ", ", not types.Int")) return Value::error(stop_text_);
      cost = list_cost(static_cast<double>(args[1].integer), size_of(args[0]));
      break;
    case CostRule::kDistinct:
      if (!wants(0, Kind::kList, "", kNoLister)) return Value::error(stop_text_);
      cost = self_compare_cost(args[0]);
      break;
    case CostRule::kSortBy:
      if (!wants(1, Kind::kList, "", kNoLister)) return Value::error(stop_text_);
      cost = self_compare_cost(args[1]);
      break;
    case CostRule::kSets:
      cost = sets_cost(args, 1);
      break;
    case CostRule::kSetsTwice:
      cost = sets_cost(args, 2);
      break;
  }
  spend(cost);
  return stopped() ? Value::error(stop_text_) : result;
}

namespace {

struct NamedRule {
  std::string_view name;
  CostRule rule;
};

/// By overload; these come first.
constexpr NamedRule kOverloadRules[] = {
    {"list_slice", CostRule::kListResult},
    {"lists_range", CostRule::kListResult},
    {"list_reverse", CostRule::kListResult},
    {"list_flatten", CostRule::kFlatten},
    {"list_flatten_int", CostRule::kFlattenDepth},
    {"list_distinct", CostRule::kDistinct},
    {"list_sets_contains_list", CostRule::kSets},
    {"list_sets_intersects_list", CostRule::kSets},
    {"list_sets_equivalent_list", CostRule::kSetsTwice},
};

/// Then by function (k8s.io/apiserver/pkg/cel/library CallCost).
constexpr NamedRule kFunctionRules[] = {
    {"check", CostRule::kAuthorizerCheck},
    {"isSorted", CostRule::kTraversal},
    {"sum", CostRule::kTraversal},
    {"max", CostRule::kTraversal},
    {"min", CostRule::kTraversal},
    {"indexOf", CostRule::kTraversal},
    {"lastIndexOf", CostRule::kTraversal},
    {"includes", CostRule::kTraversal},
    {"url", CostRule::kScan},
    {"lowerAscii", CostRule::kScan},
    {"upperAscii", CostRule::kScan},
    {"substring", CostRule::kScan},
    {"trim", CostRule::kScan},
    {"replace", CostRule::kScanTwice},
    {"split", CostRule::kScanTwice},
    {"join", CostRule::kJoin},
    {"find", CostRule::kFind},
    {"findAll", CostRule::kFind},
    {"cidr", CostRule::kScan},
    {"isIP", CostRule::kScan},
    {"isCIDR", CostRule::kScan},
    {"ip", CostRule::kScan},
    {"ip.isCanonical", CostRule::kScanTwice},
    {"containsIP", CostRule::kCidrContainsIp},
    {"containsCIDR", CostRule::kCidrContainsCidr},
    {"quantity", CostRule::kScan},
    {"isQuantity", CostRule::kScan},
    {"semver", CostRule::kScan},
    {"isSemver", CostRule::kScan},
    {"validate", CostRule::kValidate},
};

/// Last the overloads of the standard library.
constexpr NamedRule kStandardRules[] = {
    {"starts_with_string", CostRule::kScanArgument},
    {"ends_with_string", CostRule::kScanArgument},
    {"string_to_bytes", CostRule::kScanInside},
    {"bytes_to_string", CostRule::kScanInside},
    {"strings_quote", CostRule::kScanInside},
    {"string_format", CostRule::kScanInside},
    {"in_list", CostRule::kInList},
    {"less_string", CostRule::kShorter},
    {"greater_string", CostRule::kShorter},
    {"less_equals_string", CostRule::kShorter},
    {"greater_equals_string", CostRule::kShorter},
    {"less_bytes", CostRule::kShorter},
    {"greater_bytes", CostRule::kShorter},
    {"less_equals_bytes", CostRule::kShorter},
    {"greater_equals_bytes", CostRule::kShorter},
    {"add_string", CostRule::kSum},
    {"add_bytes", CostRule::kSum},
    {"matches", CostRule::kSearch},
    {"matches_string", CostRule::kSearch},
    {"contains_string", CostRule::kContains},
};

template <std::size_t size>
const NamedRule* find_rule(const NamedRule (&rules)[size], std::string_view name) {
  const auto found = std::ranges::find(rules, name, &NamedRule::name);
  return found == std::end(rules) ? nullptr : &*found;
}

}  // namespace

CostRule cost_rule(std::string_view function, std::string_view overload) {
  if (overload.starts_with("list_") && overload.ends_with("_sort")) return CostRule::kDistinct;
  if (overload.ends_with("_sortByAssociatedKeys")) return CostRule::kSortBy;
  if (const NamedRule* rule = find_rule(kOverloadRules, overload)) return rule->rule;
  if (overload == "cidr_ip") return CostRule::kOne;
  if (overload == "cidr_contains_ip_string") return CostRule::kCidrContainsIpText;
  if (overload == "cidr_contains_cidr_string") return CostRule::kCidrContainsCidrText;
  if (const NamedRule* rule = find_rule(kFunctionRules, function)) return rule->rule;
  if (const NamedRule* rule = find_rule(kStandardRules, overload)) return rule->rule;
  return CostRule::kOne;
}

}  // namespace gpusched::cel
