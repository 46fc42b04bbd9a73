#include "gpusched/model/string_table.hpp"

namespace gpusched {

StringTable::StringTable(const StringTable& other) {
  for (const std::string& text : other.texts_) {
    intern(text);
  }
}

StringTable& StringTable::operator=(const StringTable& other) {
  if (this != &other) {
    *this = StringTable(other);
  }
  return *this;
}

StringId StringTable::intern(std::string_view text) {
  if (const auto found = index_.find(text); found != index_.end()) {
    return found->second;
  }
  const StringId id{texts_.size()};
  index_.emplace(texts_.emplace_back(text), id);
  return id;
}

StringId StringTable::find(std::string_view text) const {
  const auto found = index_.find(text);
  return found == index_.end() ? StringId{} : found->second;
}

std::string_view StringTable::operator[](StringId id) const {
  return id.valid() ? std::string_view(texts_[id.index()]) : std::string_view();
}

}  // namespace gpusched
