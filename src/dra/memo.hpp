#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "dra/hash128.hpp"

namespace gpusched::dra {

/// A map from hashes of states, trusted to be different for different states. Entries stay where they are, and only
/// their numbers are hashed: most searches are short, and fresh memory is what costs the long ones most.
template <class T>
class Memo {
 public:
  [[nodiscard]] const T* find(const Hash128& key) const {
    if (size_ == 0) return nullptr;
    for (std::size_t i = key.a & mask_; slots_[i] != 0; i = (i + 1) & mask_) {
      const Entry& entry = at(slots_[i] - 1);
      if (entry.key == key) return &entry.value;
    }
    return nullptr;
  }

  void insert(const Hash128& key, const T& value) {
    if ((size_ + 1) * 2 > slots_.size()) grow();
    std::size_t i = key.a & mask_;
    for (; slots_[i] != 0; i = (i + 1) & mask_) {
      Entry& entry = at(slots_[i] - 1);
      if (entry.key != key) continue;
      entry.value = value;
      return;
    }
    if (size_ == chunks_.size() * kChunk) chunks_.push_back(std::make_unique_for_overwrite<Entry[]>(kChunk));
    at(static_cast<std::uint32_t>(size_)) = {key, value};
    slots_[i] = static_cast<std::uint32_t>(++size_);
  }

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kChunk = 128, kFirstSlots = 64;
  struct Entry {
    Hash128 key;
    T value;
  };

  [[nodiscard]] Entry& at(std::uint32_t number) { return chunks_[number / kChunk][number % kChunk]; }
  [[nodiscard]] const Entry& at(std::uint32_t number) const { return chunks_[number / kChunk][number % kChunk]; }

  void grow() {
    slots_.assign(slots_.empty() ? kFirstSlots : slots_.size() * 4, 0);
    mask_ = slots_.size() - 1;
    for (std::uint32_t n = 0; n < size_; ++n) {
      std::size_t i = at(n).key.a & mask_;
      while (slots_[i] != 0) i = (i + 1) & mask_;
      slots_[i] = n + 1;
    }
  }

  std::vector<std::uint32_t> slots_;  // number of the entry + 1, 0 is free
  std::vector<std::unique_ptr<Entry[]>> chunks_;
  std::size_t mask_ = 0;
  std::size_t size_ = 0;
};

}  // namespace gpusched::dra
