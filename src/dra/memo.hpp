#pragma once

#include <cstddef>
#include <vector>

#include "dra/hash128.hpp"

namespace gpusched::dra {

/// A map from hashes of states, trusted to be different for different states. Keys must not be zero.
template <class T>
class Memo {
 public:
  [[nodiscard]] const T* find(const Hash128& key) const {
    if (slots_.empty()) return nullptr;
    for (std::size_t i = key.a & mask_;; i = (i + 1) & mask_) {
      if (slots_[i].key == key) return &slots_[i].value;
      if (slots_[i].key == Hash128{}) return nullptr;
    }
  }

  void insert(const Hash128& key, const T& value) {
    if ((size_ + 1) * 2 > slots_.size()) grow();
    std::size_t i = key.a & mask_;
    while (slots_[i].key != Hash128{} && slots_[i].key != key) i = (i + 1) & mask_;
    if (slots_[i].key == Hash128{}) ++size_;
    slots_[i] = {key, value};
  }

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Slot {
    Hash128 key;
    T value{};
  };

  void grow() {
    std::vector<Slot> old = std::move(slots_);
    slots_ = std::vector<Slot>(old.empty() ? 256 : old.size() * 2);
    mask_ = slots_.size() - 1;
    size_ = 0;
    for (const Slot& slot : old) {
      if (slot.key != Hash128{}) insert(slot.key, slot.value);
    }
  }

  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  std::size_t size_ = 0;
};

}  // namespace gpusched::dra
