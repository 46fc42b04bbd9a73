// size, matches and the searches of the standard library; what the macros for maps call (cel-go ext/comprehensions).

#include <string>

#include <fmt/format.h>

#include "cel/evaluation.hpp"
#include "cel/function.hpp"
#include "cel/map.hpp"
#include "cel/regex.hpp"

#include <re2/re2.h>

namespace gpusched::cel {
namespace {

using Args = std::span<const Value>;

Value size(Evaluation&, Args args) {
  return Value::of_int(static_cast<std::int64_t>(size_of(args[0])));
}

Value matches(Evaluation& e, Args args) {
  if (!args[1].is(Kind::kString)) return no_such_overload();
  std::string error;
  const re2::RE2* regex = e.regexes().get(args[1].view(), error);
  if (regex == nullptr) return e.error(error);
  const Value text[] = {args[0]};
  return call_regex(e, "matches", *regex, text);
}

bool both_strings(Args args) {
  return args[0].is(Kind::kString) && args[1].is(Kind::kString);
}

Value contains(Evaluation&, Args args) {
  if (!both_strings(args)) return no_such_overload();
  return Value::boolean(args[0].view().find(args[1].view()) != std::string_view::npos);
}
Value starts_with(Evaluation&, Args args) {
  return both_strings(args) ? Value::boolean(args[0].view().starts_with(args[1].view())) : no_such_overload();
}
Value ends_with(Evaluation&, Args args) {
  return both_strings(args) ? Value::boolean(args[0].view().ends_with(args[1].view())) : no_such_overload();
}

/// Adds an entry: in place to the map of a macro, else to a copy.
Value insert(Evaluation& e, const Value& map, const Value& key, const Value& value) {
  if (!is_hashable(key)) return e.unhashable(key);
  if (find_own(*map.map, key) != nullptr) {
    return e.error(fmt::format("insert failed: key {} already exists", go_text(key)));
  }
  if (!e.room_for((std::size_t{map.map->size} + 1) * sizeof(MapEntry) * 4)) return no_such_overload();
  MapValue* target = map.map->growing ? const_cast<MapValue*>(map.map) : copy(e.heap(), *map.map);
  put(e.heap(), *target, key, value);
  return Value::of_map(target);
}

Value map_insert(Evaluation& e, Args args) {
  return insert(e, args[0], args[1], args[2]);
}

Value map_insert_all(Evaluation& e, Args args) {
  Value map = args[0];
  const std::size_t count = args[1].map->size;
  for (std::size_t i = 0; i < count && !map.is_error(); ++i) {
    const MapEntry entry = args[1].map->entries[i];
    map = insert(e, map, entry.key, entry.value);
  }
  return map;
}

constexpr OverloadRow kRows[] = {
    {"size", "size_bytes", "(bytes) int"},
    {"size", "bytes_size", "bytes.() int"},
    {"size", "size_list", "(list(A)) int"},
    {"size", "list_size", "list(A).() int"},
    {"size", "size_map", "(map(A, B)) int"},
    {"size", "map_size", "map(A, B).() int"},
    {"size", "size_string", "(string) int"},
    {"size", "string_size", "string.() int"},
    {"contains", "contains_string", "string.(string) bool", contains},
    {"endsWith", "ends_with_string", "string.(string) bool", ends_with},
    {"startsWith", "starts_with_string", "string.(string) bool", starts_with},
    {"matches", "matches", "(string, string) bool"},
    {"matches", "matches_string", "string.(string) bool"},
    {"cel.@mapInsert", "@mapInsert_map_key_value", "(map(K, V), K, V) map(K, V)", map_insert},
    {"cel.@mapInsert", "@mapInsert_map_map", "(map(K, V), map(K, V)) map(K, V)", map_insert_all},
};

constexpr FunctionRow kShared[] = {{"size", size, Trait::kSizer}, {"matches", matches, Trait::kMatcher}};

}  // namespace

Library core_library() {
  return {kRows, kShared};
}

}  // namespace gpusched::cel
