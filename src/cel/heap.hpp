#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cel/value.hpp"

namespace gpusched::cel {

/// Memory for the parts of values. Nothing is freed before reset(), which keeps the first block for the next use.
class Heap {
 public:
  /// What one evaluation may hold; the original has no such limit but the machine's memory.
  static constexpr std::size_t kLimit = std::size_t{256} << 20;

  Heap() = default;
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  void reset() {
    if (used_ == 0 && quantities_.empty()) return;  // as most evaluations leave it
    if (blocks_.size() > 1) blocks_.resize(1);
    next_ = blocks_.empty() ? nullptr : blocks_[0].get();
    end_ = next_ == nullptr ? nullptr : next_ + kBlock;
    used_ = 0;
    if (!quantities_.empty()) quantities_.clear();
  }

  /// Whether so many bytes more stay within the limit.
  [[nodiscard]] bool has_room(std::size_t bytes) const { return bytes < kLimit && used_ + bytes < kLimit; }

  template <class T>
  [[nodiscard]] T* array(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    T* first = static_cast<T*>(bytes(count * sizeof(T)));
    for (std::size_t i = 0; i < count; ++i) new (first + i) T();
    return first;
  }
  template <class T>
  [[nodiscard]] T* make(const T& value) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (bytes(sizeof(T))) T(value);
  }

  [[nodiscard]] std::string_view keep(std::string_view text) {
    if (text.empty()) return {};
    auto* copy = static_cast<char*>(bytes(text.size()));
    std::memcpy(copy, text.data(), text.size());
    return {copy, text.size()};
  }
  [[nodiscard]] char* characters(std::size_t count) { return static_cast<char*>(bytes(count)); }

  [[nodiscard]] Value string(std::string_view text) { return Value::string(keep(text)); }
  [[nodiscard]] Value error(std::string_view text) { return Value::error(keep(text)); }
  [[nodiscard]] Value list(std::span<const Value> items) {
    Value* copy = array<Value>(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) copy[i] = items[i];
    return Value::list({copy, items.size()});
  }
  [[nodiscard]] Value optional(const Value& value) { return Value::optional(make(value)); }
  [[nodiscard]] Value quantity(Quantity amount, bool computed) {
    return Value::of_quantity(&quantities_.emplace_back(std::move(amount)), computed);
  }

 private:
  static constexpr std::size_t kBlock = std::size_t{16} << 10;
  static constexpr std::size_t kAlignment = alignof(std::max_align_t);

  void* bytes(std::size_t count) {
    count = (count + kAlignment - 1) / kAlignment * kAlignment;
    used_ += count;
    if (static_cast<std::size_t>(end_ - next_) < count) grow(count);
    std::byte* result = next_;
    next_ += count;
    return result;
  }
  void grow(std::size_t count);

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* next_ = nullptr;
  std::byte* end_ = nullptr;
  std::size_t used_ = 0;
  std::deque<Quantity> quantities_;
};

}  // namespace gpusched::cel
