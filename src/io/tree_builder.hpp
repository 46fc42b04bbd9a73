#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string_view>
#include <vector>

#include "gpusched/io/document.hpp"
#include "io/syntax_error.hpp"

namespace gpusched::io {

/// Collects the children of the containers that are open and moves them into the arena when one is closed, so that
/// every container is one exact block. Shared by the JSON and the YAML reader.
class TreeBuilder {
 public:
  /// With `owns_texts` the tree is to outlive the text that it is read from.
  explicit TreeBuilder(std::pmr::memory_resource& arena, bool owns_texts = false)
      : arena_(arena), owns_texts_(owns_texts) {}

  [[nodiscard]] bool owns_texts() const { return owns_texts_; }

  [[nodiscard]] std::size_t item_mark() const { return items_.size(); }
  void add_item(const Value& value) { items_.push_back(value); }
  /// The array of all items added since `mark`.
  [[nodiscard]] Value finish_array(std::size_t mark, std::uint32_t offset);

  [[nodiscard]] std::size_t member_mark() const { return members_.size(); }
  void add_member(std::string_view key, std::uint32_t key_offset, const Value& value) {
    members_.push_back({key.data(), static_cast<std::uint32_t>(key.size()), key_offset, value});
  }
  /// Adds the members of YAML merge keys: those whose key is not there yet since `mark`; the first one wins.
  void merge_members(std::size_t mark, const std::vector<Member>& merged);
  /// Records every key that stands twice among the members added since `mark`.
  void check_duplicates(std::size_t mark);
  /// The object of all members added since `mark`.
  [[nodiscard]] Value finish_object(std::size_t mark, std::uint32_t offset);

  /// The text, copied into the arena.
  [[nodiscard]] std::string_view keep(std::string_view text);
  /// The same, for texts of which many are equal (keys, units): most of those are copied once.
  [[nodiscard]] std::string_view keep_once(std::string_view text);
  /// Room for `size` bytes in the arena.
  [[nodiscard]] char* allocate_text(std::size_t size) { return static_cast<char*>(arena_.allocate(size, 1)); }

  /// Forgets open containers and duplicates, after an error.
  void reset();

  struct Duplicate {
    std::string_view key;
    std::uint32_t first = 0;  ///< offset of the first one
    std::uint32_t again = 0;
  };
  [[nodiscard]] const std::vector<Duplicate>& duplicates() const { return duplicates_; }

 private:
  std::pmr::memory_resource& arena_;
  bool owns_texts_;
  std::array<std::string_view, 128> kept_{};  // of keep_once, by a cheap hash
  std::vector<Value> items_;
  std::vector<Member> members_;
  std::vector<std::uint32_t> order_;  // scratch of check_duplicates
  std::vector<Duplicate> duplicates_;
};

/// One error for each duplicate, which names both lines if `lines` says so and they differ.
[[nodiscard]] std::vector<SyntaxError> duplicate_errors(const TreeBuilder& builder, std::string_view text, bool lines);

}  // namespace gpusched::io
