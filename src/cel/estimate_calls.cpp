#include <algorithm>
#include <cmath>

#include "cel/estimator.hpp"
#include "cel/named_format.hpp"

namespace gpusched::cel {
namespace {

constexpr double kTextFactor = 0.1;
constexpr double kRegexFactor = 0.25;
constexpr Range kOne = Range::exactly(1);

bool one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

CallEstimate costs(Range cost) {
  return {cost, std::nullopt};
}

/// The literal int of an argument as a size.
std::uint64_t literal_size(const Operand& operand, std::uint64_t otherwise) {
  if (operand.expr->kind != ExprKind::kLiteral || !operand.expr->literal.is(Kind::kInt)) return otherwise;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(operand.expr->literal.integer, 0));
}

Range search_cost(Range text, Range pattern) {
  return (text + Range::exactly(1)).scaled(kTextFactor) * pattern.scaled(kRegexFactor);
}

/// A call that makes a list of that size.
CallEstimate new_list(double factor, Range size) {
  constexpr Range kBase = Range::exactly(11);
  return {size.scaled(factor) + kBase, size};
}

/// Sizes of string.replace()'s result.
Range replaced_size(Range text, Range old, Range with) {
  const auto ratio = [](std::uint64_t a, std::uint64_t b) {
    const double value = std::ceil(static_cast<double>(a) / static_cast<double>(b));
    return value >= 18446744073709551616.0 ? Range::kUnbounded : static_cast<std::uint64_t>(value);
  };
  const auto one_more = [](std::uint64_t n) { return n < Range::kUnbounded ? n + 1 : n; };
  Range count;
  Range kept;
  if (old.min == 0) {
    count.max = one_more(text.max);
    kept.max = text.max;
  } else if (with.max <= old.min) {
    kept.max = text.max;
  } else {
    count.max = ratio(text.max, old.min);
  }
  if (old.max == 0) {
    count.min = one_more(text.min);
    kept.min = text.min;
  } else if (old.max <= with.min) {
    kept.min = text.min;
  } else {
    count.min = ratio(text.min, old.max);
  }
  return count * with + kept;
}

}  // namespace

Range Estimator::size_of(const Operand& operand) const {
  if (operand.size) return *operand.size;
  return declared_size(operand.path).value_or(Range::unknown());
}

Operand Estimator::element_of(const Operand& list, bool& known) const {
  known = !list.type->params.empty();
  Operand element;
  if (!known) return element;
  element.type = list.type->params[0];
  if (!list.path.empty()) {
    element.path = list.path;
    element.path.emplace_back("@items");
  }
  return element;
}

Range Estimator::call(const Expr* expr) {
  if (expr->name == "dyn" && expr->target == nullptr) {
    const Range argument = cost(expr->args[0]);
    copy_sizes(expr, expr->args[0]);
    return kOne + argument;
  }
  std::vector<Operand> args;
  std::vector<Range> arg_costs;
  for (const Expr* arg : expr->args) {
    arg_costs.push_back(cost(arg));
    args.push_back(operand(arg));
  }
  Range sum;
  Operand target;
  if (expr->target != nullptr) {
    sum = cost(expr->target);
    target = operand(expr->target);
  }
  Range call_cost{Range::kUnbounded, 0};
  std::optional<Range> result;
  for (const Overload* overload : expr->overloads) {
    const CallEstimate estimate =
        overload_cost(expr, *overload, expr->target == nullptr ? nullptr : &target, args, arg_costs);
    call_cost = call_cost.united(estimate.cost);
    if (estimate.result_size) result = result ? result->united(*estimate.result_size) : *estimate.result_size;
    if (overload->id == "index_list" || overload->id == "index_map") {
      const auto known = entries(expr->args[0]);
      result = known ? std::optional(known->value) : std::nullopt;
      Path path = path_of(expr->args[0]);
      path.emplace_back(overload->id == "index_list" ? "@items" : "@values");
      paths_[expr] = std::move(path);
    }
    if (!result) result = size(expr);
  }
  if (result) sizes_[expr] = *result;
  return sum + call_cost;
}

CallEstimate Estimator::overload_cost(const Expr* expr, const Overload& overload, const Operand* target,
                                      const std::vector<Operand>& args, const std::vector<Range>& costs) {
  Range sum;
  for (const Range& cost : costs) sum = sum + cost;
  auto estimate = list_function_cost(overload.id, target, args);
  if (!estimate) estimate = kubernetes_cost(expr->name, overload.id, target, args);
  if (estimate) return {estimate->cost + sum, estimate->result_size};
  return standard_cost(expr, overload.id, target, args, costs, sum);
}

/// cel-go ext/lists.go and ext/sets.go.
std::optional<CallEstimate> Estimator::list_function_cost(std::string_view overload, const Operand* target,
                                                          const std::vector<Operand>& args) const {
  if (overload == "list_slice") {
    const Range size = size_of(*target);
    return new_list(1, Range::exactly(literal_size(args[1], size.max) - literal_size(args[0], 0)));
  }
  if (overload == "lists_range") return new_list(1, Range::exactly(literal_size(args[0], Range::kUnbounded)));
  if (overload == "list_reverse") return new_list(1, size_of(*target));
  if (overload == "list_flatten" || overload == "list_flatten_int") {
    const std::uint64_t depth = args.size() == 1 ? literal_size(args[0], Range::kUnbounded) : 1;
    return new_list(static_cast<double>(depth), size_of(*target));
  }
  if (overload == "list_distinct") {
    const Range size = size_of(*target);
    return new_list(2.0, size * size);
  }
  const bool sort = overload.starts_with("list_") && overload.ends_with("_sort");
  const bool sort_by = overload.ends_with("_sortByAssociatedKeys");
  if (sort || sort_by) {
    const Range size = sort ? size_of(*target) : size_of(args[0]);
    const bool text = overload.starts_with("list_string_") || overload.starts_with("list_bytes_");
    return new_list(text ? 2.0 + kTextFactor : 2.0, size * size);
  }
  if (overload.starts_with("list_sets_")) {
    const double factor = overload == "list_sets_equivalent_list" ? 2 : 1;
    return costs((size_of(args[0]) * size_of(args[1])).scaled(factor) + kOne);
  }
  return std::nullopt;
}

std::optional<CallEstimate> Estimator::traversal_cost(std::string_view function, const Operand& target) const {
  bool is_list = false;
  const Operand element = element_of(target, is_list);
  if (is_list) {
    Range each = kOne;
    if (element.type->is(TypeKind::kString) || element.type->is(TypeKind::kBytes)) {
      each = each + size_of(element).scaled(kTextFactor);
    }
    return costs(size_of(target) * each);
  }
  if (function == "includes") return costs(size_of(target) * kOne);
  return costs(size_of(target).scaled(kTextFactor));
}

std::optional<CallEstimate> Estimator::join_cost(const Operand& target, const std::vector<Operand>& args) const {
  Range size;
  const Range length = size_of(target);
  bool is_list = false;
  const Operand element = element_of(target, is_list);
  if (is_list) size = length * size_of(element);
  if (!args.empty()) {
    const Range gaps{length.min > 0 ? length.min - 1 : 0, length.max > 0 ? length.max - 1 : 0};
    size = size + size_of(args[0]) * gaps;
  }
  return CallEstimate{size.scaled(kTextFactor), size};
}

std::optional<CallEstimate> Estimator::cidr_cost(std::string_view overload, const std::vector<Operand>& args) const {
  constexpr Range kAddress{4, 16};
  Range cost = (kAddress + kAddress).scaled(kTextFactor);
  if (overload.starts_with("cidr_contains_cidr")) cost = cost + kAddress.scaled(kTextFactor) + kOne;
  if (overload.ends_with("_string")) cost = cost + size_of(args[0]).scaled(kTextFactor);
  return costs(cost);
}

/// k8s.io/apiserver/pkg/cel/library EstimateCallCost.
std::optional<CallEstimate> Estimator::kubernetes_cost(std::string_view function, std::string_view overload,
                                                       const Operand* target, const std::vector<Operand>& args) const {
  if (function == "check") return costs(Range::exactly(350'000));
  if (one_of(function, {"isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "includes"})) {
    return target == nullptr ? std::nullopt : traversal_cost(function, *target);
  }
  if (function == "url") return CallEstimate{size_of(args[0]).scaled(kTextFactor), size_of(args[0])};
  if (one_of(function, {"lowerAscii", "upperAscii", "substring", "trim"})) {
    return CallEstimate{size_of(*target).scaled(kTextFactor), size_of(*target)};
  }
  if (function == "replace") {
    const Range text = size_of(*target);
    return CallEstimate{text.scaled(2 * kTextFactor), replaced_size(text, size_of(args[0]), size_of(args[1]))};
  }
  if (function == "split") {
    const Range text = size_of(*target);
    std::uint64_t max = text.max;
    if (args.size() > 1 && args[1].expr->kind == ExprKind::kLiteral && args[1].expr->literal.is(Kind::kInt)) {
      max = args[1].expr->literal.natural;
    }
    return CallEstimate{text.scaled(2 * kTextFactor), Range{0, max}};
  }
  if (function == "join") return join_cost(*target, args);
  if (one_of(function, {"find", "findAll"})) {
    const Range text = size_of(*target);
    return CallEstimate{search_cost(text, size_of(args[0])), Range{0, text.max}};
  }
  if (overload == "cidr_ip") return costs(kOne);
  if (one_of(function, {"cidr", "isIP", "isCIDR", "ip", "quantity", "isQuantity", "semver", "isSemver"})) {
    return costs(size_of(args[0]).scaled(kTextFactor));
  }
  if (function == "ip.isCanonical") return costs(size_of(args[0]).scaled(2 * kTextFactor));
  if (one_of(function, {"containsIP", "containsCIDR"})) return cidr_cost(overload, args);
  if (function == "validate") {
    constexpr double kMaxRegex = 128;
    return costs(size_of(args[0]).scaled(kTextFactor).scaled(kMaxRegex * kRegexFactor));
  }
  if (one_of(function, {"masked",
                        "prefixLength",
                        "family",
                        "isUnspecified",
                        "isLoopback",
                        "isLinkLocalMulticast",
                        "isLinkLocalUnicast",
                        "isGlobalUnicast",
                        "format.named",
                        "sign",
                        "asInteger",
                        "isInteger",
                        "asApproximateFloat",
                        "isGreaterThan",
                        "isLessThan",
                        "compareTo",
                        "add",
                        "sub",
                        "major",
                        "minor",
                        "patch",
                        "getScheme",
                        "getHostname",
                        "getHost",
                        "getPort",
                        "getEscapedPath",
                        "getQuery"})) {
    return costs(kOne);
  }
  if (function != "_==_" || !same_type(*args[0].type, *args[1].type)) return std::nullopt;
  const std::string& type = args[0].type->name;
  if (one_of(type, {"net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.Semver"})) return costs(kOne);
  if (type == "kubernetes.NamedFormat") return costs(Range{1, 64}.scaled(kTextFactor));
  if (type == "kubernetes.URL") {
    const std::uint64_t max = args[1].size ? args[1].size->max : 1;
    return costs(Range{1, max}.scaled(kTextFactor));
  }
  return std::nullopt;
}

CallEstimate Estimator::conditional_cost(const Expr* expr, const std::vector<Operand>& args,
                                         const std::vector<Range>& costs) {
  const Range size = args[1].size.value_or(Range::unknown()).united(args[2].size.value_or(Range::unknown()));
  const auto yes = entries(expr->args[1]);
  const auto no = entries(expr->args[2]);
  if (yes && no) entries_[expr] = {yes->list, yes->key.united(no->key), yes->value.united(no->value)};
  return {costs[0] + costs[1].united(costs[2]), size};
}

CallEstimate Estimator::sum_cost(const Expr* expr, std::string_view overload, const std::vector<Operand>& args,
                                 Range sum) {
  const Range size = args[0].size.value_or(Range::unknown()) + args[1].size.value_or(Range::unknown());
  const auto left = entries(expr->args[0]);
  const auto right = entries(expr->args[1]);
  if (left && right) entries_[expr] = {left->list, left->key.united(right->key), left->value.united(right->value)};
  return {(overload == "add_list" ? kOne : size.scaled(kTextFactor)) + sum, size};
}

/// cel-go checker/cost.go.
CallEstimate Estimator::standard_cost(const Expr* expr, std::string_view overload, const Operand* target,
                                      const std::vector<Operand>& args, const std::vector<Range>& arg_costs,
                                      Range sum) {
  const auto sized = [](const Operand& operand) { return operand.size.value_or(Range::unknown()); };
  if (overload == "string_format") return costs(sized(*target).scaled(kTextFactor) + sum);
  if (one_of(overload, {"string_to_bytes", "bytes_to_string", "strings_quote"})) {
    const Range size = sized(args[0]);
    Range result{size.min, size.max * 4};
    if (overload == "bytes_to_string") result = {size.min / 4, size.max};
    if (overload == "strings_quote") result = {size.min + 2, size.max * 2 + 2};
    return {size.scaled(kTextFactor) + sum, result};
  }
  if (one_of(overload, {"starts_with_string", "ends_with_string"})) {
    return costs(sized(args[0]).scaled(kTextFactor) + sum);
  }
  if (overload == "in_list") return costs(sized(args[1]).scaled(1) + sum);
  if (overload == "matches_string") return costs(search_cost(sized(*target), sized(args[0])) + sum);
  if (overload == "matches") return costs(search_cost(sized(args[0]), sized(args[1])) + sum);
  if (overload == "contains_string") {
    return costs(sized(*target).scaled(kTextFactor) * sized(args[0]).scaled(kTextFactor) + sum);
  }
  if (one_of(overload, {"logical_or", "logical_and"})) {
    return costs({arg_costs[0].min, (arg_costs[0] + arg_costs[1]).max});
  }
  if (overload == "conditional") return conditional_cost(expr, args, arg_costs);
  if (one_of(overload, {"add_string", "add_bytes", "add_list"})) return sum_cost(expr, overload, args, sum);
  const bool ordered =
      one_of(overload, {"less_string", "greater_string", "less_equals_string", "greater_equals_string", "less_bytes",
                        "greater_bytes", "less_equals_bytes", "greater_equals_bytes", "equals", "not_equals"});
  if (ordered) {
    const std::uint64_t max = std::min(sized(args[0]).max, sized(args[1]).max);
    return costs(Range{max > 0 ? 1U : 0U, max}.scaled(kTextFactor) + sum);
  }
  return costs(kOne + sum);
}

}  // namespace gpusched::cel
