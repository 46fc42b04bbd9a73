#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "cel/heap.hpp"
#include "cel/value.hpp"

namespace gpusched::cel {

struct MapEntry {
  Value key, value;
};

/// A map: entries in order of insertion, an index by hash from some size on.
struct MapValue {
  MapEntry* entries = nullptr;
  std::uint32_t size = 0, capacity = 0;
  std::uint32_t* index = nullptr;  ///< entry + 1 per slot, 0 is free
  std::uint32_t slots = 0;         ///< a power of two
  /// The maps of domains: looking up what is not there gives this map.
  const MapValue* fallback = nullptr;
  bool strings_only = false;  ///< a map of the device: other keys are never there
  bool growing = false;       ///< cel.@mapInsert() extends it in place

  [[nodiscard]] std::span<const MapEntry> all() const { return {entries, size}; }
};

/// The value of a key that is there itself; numbers find the keys of other number types as well.
[[nodiscard]] const Value* find_own(const MapValue& map, const Value& key);
/// The same, with the map's fallback.
[[nodiscard]] std::optional<Value> find(const MapValue& map, const Value& key);

/// Whether a key of exactly this type and value is there.
[[nodiscard]] bool has_key(const MapValue& map, const Value& key);
/// Whether the original can use the value as a key at all.
[[nodiscard]] bool is_hashable(const Value& key);
/// Whether the original can look the key up in this map.
[[nodiscard]] inline bool can_look_up(const MapValue& map, const Value& key) {
  return map.size == 0 || map.strings_only || is_hashable(key);
}

/// Sets a key of exactly this type and value.
void put(Heap& heap, MapValue& map, const Value& key, const Value& value);
void erase(Heap& heap, MapValue& map, const Value& key);
[[nodiscard]] MapValue* copy(Heap& heap, const MapValue& map);

}  // namespace gpusched::cel
