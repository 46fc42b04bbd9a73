// Lists, version 3 (cel-go ext/lists.go), and sets (ext/sets.go).

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <range/v3/algorithm/stable_sort.hpp>

#include "cel/evaluation.hpp"
#include "cel/function.hpp"

namespace gpusched::cel {
namespace {

using Args = std::span<const Value>;

Value slice(Evaluation& e, Args args) {
  const auto items = items_of(args[0]);
  const std::int64_t begin = args[1].integer;
  const std::int64_t end = args[2].integer;
  const auto fail = [&](std::string_view why) {
    return e.error(fmt::format("cannot slice({}, {}), {}", begin, end, why));
  };
  if (begin < 0 || end < 0) return fail("negative indexes not supported");
  if (begin > end) return fail("start index must be less than or equal to end index");
  const auto length = static_cast<std::int64_t>(items.size());
  if (length < end) return fail(fmt::format("list is length {}", length));
  return e.heap().list(items.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
}

void flatten_into(std::vector<Value>& result, std::span<const Value> items, std::int64_t depth) {
  for (const Value& item : items) {
    if (item.is(Kind::kList) && depth > 0) {
      flatten_into(result, items_of(item), depth - 1);
    } else {
      result.push_back(item);
    }
  }
}

Value flatten(Evaluation& e, Args args) {
  const bool good = args[0].is(Kind::kList) && (args.size() == 1 || args[1].is(Kind::kInt));
  if (!good) {
    const bool has_parameters = args[0].is(Kind::kMap) || args[0].is(Kind::kOptional);
    const std::string_view parameters = args[0].is(Kind::kMap) ? "(dyn, dyn)" : "(dyn)";
    return e.error(fmt::format("no such overload: {}{}.flatten({})", type_name(args[0]),
                               has_parameters ? parameters : std::string_view(),
                               args.size() == 1 ? std::string_view() : type_name(args[1])));
  }
  const std::int64_t depth = args.size() == 2 ? args[1].integer : 1;
  if (depth < 0) return Value::error("level must be non-negative");
  std::vector<Value> result;
  flatten_into(result, items_of(args[0]), depth);
  return e.room_for(result.size() * sizeof(Value)) ? e.heap().list(result) : no_such_overload();
}

/// The elements in the order of their keys. The original sorts with a sort that is not stable; equal keys are rare
/// enough to keep their order here for up to twelve elements, where both agree.
Value sorted_by(Evaluation& e, const Value& list, const Value& keys) {
  const auto items = items_of(list);
  const auto by = items_of(keys);
  if (items.size() != by.size()) {
    return e.error(
        fmt::format("@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but "
                    "got {} and {} elements respectively",
                    items.size(), by.size()));
  }
  if (items.empty()) return list;
  if (!is_comparable(by[0])) return Value::error("list elements must be comparable");
  if (by.size() > 1 && std::ranges::any_of(by, [&](const Value& key) { return key.kind != by[0].kind; })) {
    return Value::error("list elements must have the same type");
  }
  std::vector<std::size_t> order(items.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const Value result = compare(by[a], by[b]);
    return !result.is_error() && result.integer < 0;
  });
  auto* sorted = e.heap().array<Value>(items.size());
  for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = items[order[i]];
  return Value::list({sorted, items.size()});
}

Value sort(Evaluation& e, Args args) {
  return sorted_by(e, args[0], args[0]);
}

Value sort_by(Evaluation& e, Args args) {
  if (!args[1].is(Kind::kList)) return no_such_overload();
  return sorted_by(e, args[0], args[1]);
}

Value range(Evaluation& e, Args args) {
  const std::int64_t size = args[0].integer;
  if (size < 0) return e.error(fmt::format("lists.range: size must be non-negative, got {}", size));
  constexpr std::int64_t kMax = 1'000'000;
  if (size > kMax) return e.error(fmt::format("lists.range: size {} exceeds maximum allowed ({})", size, kMax));
  constexpr std::uint64_t kBase = 11;
  const auto count = static_cast<std::uint64_t>(size);
  // Too long for the limit: what it costs is known before it is made.
  if (count + kBase > e.remaining_cost()) return e.stop_at_cost_limit(count + kBase);
  if (!e.room_for(count * sizeof(Value))) return no_such_overload();
  auto* items = e.heap().array<Value>(count);
  for (std::size_t i = 0; i < count; ++i) items[i] = Value::of_int(static_cast<std::int64_t>(i));
  return Value::list({items, count});
}

Value reverse(Evaluation& e, Args args) {
  const auto items = items_of(args[0]);
  auto* reversed = e.heap().array<Value>(items.size());
  std::reverse_copy(items.begin(), items.end(), reversed);
  return Value::list({reversed, items.size()});
}

Value distinct(Evaluation& e, Args args) {
  const auto items = items_of(args[0]);
  // It costs as much as comparing all with all: too long lists end here.
  const bool texts = !items.empty() && (items[0].is(Kind::kString) || items[0].is(Kind::kBytes));
  const double pairs = static_cast<double>(items.size() * items.size()) * (texts ? 2.1 : 2.0);
  const auto cost = static_cast<std::uint64_t>(pairs) + 11;
  if (cost > e.remaining_cost()) return e.stop_at_cost_limit(cost);
  auto* unique = e.heap().array<Value>(items.size());
  std::size_t count = 0;
  for (const Value& item : items) {
    const bool seen = std::any_of(unique, unique + count, [&](const Value& other) { return equal(item, other); });
    if (!seen) unique[count++] = item;
  }
  return Value::list({unique, count});
}

bool contains(std::span<const Value> items, const Value& sought) {
  return std::ranges::any_of(items, [&](const Value& item) { return equal(sought, item); });
}

bool contains_all(const Value& list, const Value& part) {
  return std::ranges::all_of(items_of(part), [&](const Value& item) { return contains(items_of(list), item); });
}

Value sets_contains(Evaluation&, Args args) {
  return Value::boolean(contains_all(args[0], args[1]));
}
Value sets_equivalent(Evaluation&, Args args) {
  return Value::boolean(contains_all(args[0], args[1]) && contains_all(args[1], args[0]));
}
Value sets_intersects(Evaluation&, Args args) {
  return Value::boolean(
      std::ranges::any_of(items_of(args[0]), [&](const Value& item) { return contains(items_of(args[1]), item); }));
}

constexpr OverloadRow kRows[] = {
    {"slice", "list_slice", "list(T).(int, int) list(T)", slice},
    {"flatten", "list_flatten", "list(list(T)).() list(T)", flatten},
    {"flatten", "list_flatten_int", "list(dyn).(int) list(dyn)", flatten},
    {"sort", "list_int_sort", "list(int).() list(int)"},
    {"sort", "list_uint_sort", "list(uint).() list(uint)"},
    {"sort", "list_double_sort", "list(double).() list(double)"},
    {"sort", "list_bool_sort", "list(bool).() list(bool)"},
    {"sort", "list_google.protobuf.Duration_sort", "list(duration).() list(duration)"},
    {"sort", "list_google.protobuf.Timestamp_sort", "list(timestamp).() list(timestamp)"},
    {"sort", "list_string_sort", "list(string).() list(string)"},
    {"sort", "list_bytes_sort", "list(bytes).() list(bytes)"},
    {"@sortByAssociatedKeys", "list_int_sortByAssociatedKeys", "list(T).(list(int)) list(T)"},
    {"@sortByAssociatedKeys", "list_uint_sortByAssociatedKeys", "list(T).(list(uint)) list(T)"},
    {"@sortByAssociatedKeys", "list_double_sortByAssociatedKeys", "list(T).(list(double)) list(T)"},
    {"@sortByAssociatedKeys", "list_bool_sortByAssociatedKeys", "list(T).(list(bool)) list(T)"},
    {"@sortByAssociatedKeys", "list_google.protobuf.Duration_sortByAssociatedKeys", "list(T).(list(duration)) list(T)"},
    {"@sortByAssociatedKeys", "list_google.protobuf.Timestamp_sortByAssociatedKeys",
     "list(T).(list(timestamp)) list(T)"},
    {"@sortByAssociatedKeys", "list_string_sortByAssociatedKeys", "list(T).(list(string)) list(T)"},
    {"@sortByAssociatedKeys", "list_bytes_sortByAssociatedKeys", "list(T).(list(bytes)) list(T)"},
    {"lists.range", "lists_range", "(int) list(int)", range},
    {"reverse", "list_reverse", "list(T).() list(T)", reverse},
    {"distinct", "list_distinct", "list(T).() list(T)", distinct},
};

constexpr FunctionRow kShared[] = {{"sort", sort, Trait::kLister}, {"@sortByAssociatedKeys", sort_by, Trait::kLister}};

constexpr OverloadRow kSets[] = {
    {"sets.contains", "list_sets_contains_list", "(list(T), list(T)) bool", sets_contains},
    {"sets.equivalent", "list_sets_equivalent_list", "(list(T), list(T)) bool", sets_equivalent},
    {"sets.intersects", "list_sets_intersects_list", "(list(T), list(T)) bool", sets_intersects},
};

}  // namespace

Library list_library() {
  return {kRows, kShared};
}
Library set_library() {
  return {kSets};
}

}  // namespace gpusched::cel
