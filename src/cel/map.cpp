#include "cel/map.hpp"

#include <bit>
#include <functional>

#include "cel/numbers.hpp"

namespace gpusched::cel {
namespace {

constexpr std::uint32_t kIndexFrom = 9;

std::uint64_t mix(std::uint64_t value) {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdULL;
  value ^= value >> 33;
  return value;
}

/// Keys of the same type and the same content; others than the simple types are only equal to themselves.
bool same_key(const Value& a, const Value& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kType:
      return a.view() == b.view();
    case Kind::kDouble:
      return a.real == b.real;
    case Kind::kBool:
      return a.truth == b.truth;
    case Kind::kNull:
      return true;
    case Kind::kTimestamp:
      return a.integer == b.integer && a.size == b.size;
    case Kind::kIp:
    case Kind::kCidr:
      return equal(a, b);
    default:
      return a.natural == b.natural;
  }
}

std::uint64_t hash_of(const Value& key) {
  const auto kind = static_cast<std::uint64_t>(key.kind) << 56;
  switch (key.kind) {
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kType:
      return mix(kind ^ std::hash<std::string_view>{}(key.view()));
    case Kind::kDouble:
      return mix(kind ^ std::bit_cast<std::uint64_t>(key.real + 0.0));
    case Kind::kBool:
      return mix(kind ^ (key.truth ? 1U : 0U));
    case Kind::kNull:
    case Kind::kIp:
    case Kind::kCidr:
      return mix(kind);
    default:
      return mix(kind ^ key.natural);
  }
}

std::uint32_t slot_of(const MapValue& map, const Value& key) {
  auto slot = static_cast<std::uint32_t>(hash_of(key)) & (map.slots - 1);
  while (map.index[slot] != 0 && !same_key(map.entries[map.index[slot] - 1].key, key))
    slot = (slot + 1) & (map.slots - 1);
  return slot;
}

MapEntry* find_exact(const MapValue& map, const Value& key) {
  if (map.index != nullptr) {
    const std::uint32_t entry = map.index[slot_of(map, key)];
    return entry == 0 ? nullptr : &map.entries[entry - 1];
  }
  for (std::uint32_t i = 0; i < map.size; ++i) {
    if (same_key(map.entries[i].key, key)) return &map.entries[i];
  }
  return nullptr;
}

void rebuild_index(Heap& heap, MapValue& map) {
  if (map.size < kIndexFrom) {
    map.index = nullptr;
    return;
  }
  if (map.index == nullptr || map.slots < map.size * 2) {
    map.slots = std::bit_ceil(map.size * 4);
    map.index = heap.array<std::uint32_t>(map.slots);
  } else {
    for (std::uint32_t i = 0; i < map.slots; ++i) map.index[i] = 0;
  }
  for (std::uint32_t i = 0; i < map.size; ++i) map.index[slot_of(map, map.entries[i].key)] = i + 1;
}

const Value* value_of(const MapEntry* entry) {
  return entry == nullptr ? nullptr : &entry->value;
}

}  // namespace

const Value* find_own(const MapValue& map, const Value& key) {
  if (map.size == 0) return nullptr;
  if (const MapEntry* entry = find_exact(map, key)) return &entry->value;
  switch (key.kind) {
    case Kind::kDouble: {
      if (const auto whole = exact_int(key.real)) {
        if (const Value* found = value_of(find_exact(map, Value::of_int(*whole)))) return found;
      }
      const auto natural = exact_uint(key.real);
      return natural ? value_of(find_exact(map, Value::of_uint(*natural))) : nullptr;
    }
    case Kind::kInt:
      return key.integer < 0 ? nullptr : value_of(find_exact(map, Value::of_uint(key.natural)));
    case Kind::kUint:
      return key.integer < 0 ? nullptr : value_of(find_exact(map, Value::of_int(key.integer)));
    default:
      return nullptr;
  }
}

std::optional<Value> find(const MapValue& map, const Value& key) {
  if (const Value* own = find_own(map, key)) return *own;
  if (map.fallback != nullptr) return Value::of_map(map.fallback);
  return std::nullopt;
}

bool has_key(const MapValue& map, const Value& key) {
  return find_exact(map, key) != nullptr;
}

bool is_hashable(const Value& key) {
  return !key.is(Kind::kBytes) && !key.is(Kind::kSemver) && !key.is(Kind::kFormat);
}

void put(Heap& heap, MapValue& map, const Value& key, const Value& value) {
  const bool not_a_number = key.is(Kind::kDouble) && key.real != key.real;
  if (MapEntry* entry = not_a_number ? nullptr : find_exact(map, key)) {
    entry->value = value;
    return;
  }
  if (map.size == map.capacity) {
    map.capacity = map.capacity == 0 ? 4 : map.capacity * 2;
    auto* entries = heap.array<MapEntry>(map.capacity);
    for (std::uint32_t i = 0; i < map.size; ++i) entries[i] = map.entries[i];
    map.entries = entries;
  }
  map.entries[map.size++] = {key, value};
  if (map.index != nullptr && map.slots >= map.size * 2) {
    map.index[slot_of(map, key)] = map.size;
  } else {
    rebuild_index(heap, map);
  }
}

void erase(Heap& heap, MapValue& map, const Value& key) {
  MapEntry* entry = find_exact(map, key);
  if (entry == nullptr) return;
  for (MapEntry* next = entry + 1; next != map.entries + map.size; ++next) next[-1] = *next;
  --map.size;
  rebuild_index(heap, map);
}

MapValue* copy(Heap& heap, const MapValue& map) {
  MapValue result;
  for (const MapEntry& entry : map.all()) put(heap, result, entry.key, entry.value);
  return heap.make(result);
}

}  // namespace gpusched::cel
