#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cel/heap.hpp"
#include "cel/map.hpp"
#include "gpusched/base/short_text.hpp"
#include "gpusched/cel/device.hpp"

namespace gpusched::cel {

/// Attributes or capacities of a device by domain and name. An expression that looks up few names by constants needs no
/// maps of them, and a search through the few of them that it observes is faster than any index.
class NameTable {
 public:
  void clear() { entries_.clear(); }
  void add(const QualifiedName& name, const Value& value) { entries_.push_back({name, value}); }
  [[nodiscard]] const Value* find(std::string_view domain, std::string_view name) const {
    for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
      if (same_text(entry->name.name, name) && same_text(entry->name.domain, domain)) return &entry->value;
    }
    return nullptr;
  }
  /// domain -> name -> value. Rule: looking up a domain that is not there gives an empty map.
  [[nodiscard]] Value as_map(Heap& heap) const;

 private:
  struct Entry {
    QualifiedName name;
    Value value;
  };
  std::vector<Entry> entries_;
};

namespace detail {

struct DeviceData {
  Heap heap;          ///< of lists and versions
  std::string error;  ///< of the bad attribute
  std::string_view bad_attribute;
  std::string_view driver;
  bool allow_multiple_allocations = false;
  NameTable attributes, capacities;
};

}  // namespace detail
}  // namespace gpusched::cel
