#include "io/tree_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <unordered_set>

#include "io/excerpt.hpp"

namespace gpusched::io {

namespace {

/// Up to here comparing every pair is faster than sorting.
constexpr std::size_t kPairwiseKeys = 24;

/// A source with millions of duplicates is one mistake; the first ones tell it.
constexpr std::size_t kMaxDuplicates = 1000;

template <class T>
std::span<const T> move_to_arena(std::pmr::memory_resource& arena, std::vector<T>& stack, std::size_t mark) {
  const std::size_t count = stack.size() - mark;
  if (count == 0) return {};
  T* block = static_cast<T*>(arena.allocate(count * sizeof(T), alignof(T)));
  std::uninitialized_copy(stack.begin() + static_cast<std::ptrdiff_t>(mark), stack.end(), block);
  stack.resize(mark);
  return {block, count};
}

}  // namespace

Value TreeBuilder::finish_array(std::size_t mark, std::uint32_t offset) {
  return {move_to_arena(arena_, items_, mark), offset};
}

Value TreeBuilder::finish_object(std::size_t mark, std::uint32_t offset) {
  return {move_to_arena(arena_, members_, mark), offset};
}

void TreeBuilder::merge_members(std::size_t mark, const std::vector<Member>& merged) {
  std::unordered_set<std::string_view> present;
  for (std::size_t i = mark; i < members_.size(); ++i) present.insert(members_[i].key());
  for (const Member& member : merged) {
    if (present.insert(member.key()).second) members_.push_back(member);
  }
}

void TreeBuilder::check_duplicates(std::size_t mark) {
  const std::size_t count = members_.size() - mark;
  const Member* members = members_.data() + mark;
  const auto record = [this](const Member& first, const Member& again) {
    if (duplicates_.size() < kMaxDuplicates) duplicates_.push_back({first.key(), first.key_offset, again.key_offset});
  };
  if (count <= kPairwiseKeys) {
    for (std::size_t i = 1; i < count; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (members[i].key_size != members[j].key_size || members[i].key() != members[j].key()) continue;
        record(members[j], members[i]);
        break;
      }
    }
    return;
  }
  order_.resize(count);
  std::iota(order_.begin(), order_.end(), 0U);
  std::sort(order_.begin(), order_.end(), [members](std::uint32_t a, std::uint32_t b) {
    const int order = members[a].key().compare(members[b].key());
    return order != 0 ? order < 0 : a < b;
  });
  std::size_t first = 0;
  for (std::size_t i = 1; i < count; ++i) {
    if (members[order_[i]].key() == members[order_[first]].key()) {
      record(members[order_[first]], members[order_[i]]);
    } else {
      first = i;
    }
  }
}

std::string_view TreeBuilder::keep(std::string_view text) {
  if (text.empty()) return {};
  char* copy = allocate_text(text.size());
  std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

std::string_view TreeBuilder::keep_once(std::string_view text) {
  constexpr std::size_t kShort = 40;
  if (text.empty() || text.size() > kShort) return keep(text);
  const auto at = [text](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(text[i])); };
  const std::size_t hash = text.size() * 29 + at(0) * 5 + at(text.size() / 2) * 11 + at(text.size() - 1) * 3;
  std::string_view& kept = kept_[hash % kept_.size()];
  if (kept != text) kept = keep(text);
  return kept;
}

void TreeBuilder::reset() {
  items_.clear();
  members_.clear();
  duplicates_.clear();
}

std::vector<SyntaxError> duplicate_errors(const TreeBuilder& builder, std::string_view text, bool lines) {
  std::vector<SyntaxError> errors;
  for (const TreeBuilder::Duplicate& duplicate : builder.duplicates()) {
    const std::uint32_t first = position_of(text, duplicate.first).line;
    const std::uint32_t again = position_of(text, duplicate.again).line;
    const std::string places =
        !lines || first == again ? std::string() : fmt::format(": first on line {}, again on line {}", first, again);
    errors.push_back(
        {.offset = duplicate.again,
         .code = "duplicate-key",
         .message = fmt::format("the key {} stands twice in one object{}", quote(duplicate.key, 80), places),
         .hint = "remove one of the two"});
  }
  return errors;
}

}  // namespace gpusched::io
