#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "gpusched/model/ids.hpp"

namespace gpusched {

/// Interned texts: equal texts have equal ids, so the engines compare integers. Ids follow the order of first use.
class StringTable {
 public:
  StringTable() = default;
  StringTable(const StringTable& other);
  StringTable& operator=(const StringTable& other);
  StringTable(StringTable&&) = default;
  StringTable& operator=(StringTable&&) = default;
  ~StringTable() = default;

  StringId intern(std::string_view text);
  /// The id of a text that may be absent; invalid when it is.
  [[nodiscard]] StringId find(std::string_view text) const;
  /// The text of an id; "" for the invalid id.
  [[nodiscard]] std::string_view operator[](StringId id) const;
  [[nodiscard]] std::size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;  // a deque never moves its elements, so the keys of index_ stay valid
  std::unordered_map<std::string_view, StringId> index_;
};

}  // namespace gpusched
