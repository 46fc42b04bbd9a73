#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cel/heap.hpp"
#include "cel/map.hpp"

namespace gpusched::cel {

/// Hash of a domain and a name; programs hold those of their constant names.
[[nodiscard]] std::uint64_t name_hash(std::string_view domain, std::string_view name);

/// Attributes or capacities of a device, found by hash.
class NameTable {
 public:
  struct Entry {
    std::uint64_t hash = 0;
    std::string_view domain, name;
    Value value;
  };

  void build(std::vector<Entry> entries);
  [[nodiscard]] const Value* find(std::uint64_t hash, std::string_view domain, std::string_view name) const {
    if (slots_.empty()) return nullptr;
    for (std::size_t slot = hash & mask_; slots_[slot] != 0; slot = (slot + 1) & mask_) {
      const Entry& entry = entries_[slots_[slot] - 1];
      if (entry.hash == hash && entry.name == name && entry.domain == domain) return &entry.value;
    }
    return nullptr;
  }
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;  ///< entry + 1, 0 is free
  std::size_t mask_ = 0;
};

namespace detail {

struct DeviceData {
  Heap heap;
  std::string error;
  Value driver;
  Value allow_multiple_allocations;
  NameTable attributes, capacities;
  Value attribute_map, capacity_map;  ///< domain -> name -> value
  Value map;                          ///< the variable itself
};

}  // namespace detail
}  // namespace gpusched::cel
