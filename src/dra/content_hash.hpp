#pragma once

#include <cstring>
#include <string_view>

#include "dra/amount.hpp"
#include "dra/hash128.hpp"
#include "gpusched/objects/resource_slice.hpp"

namespace gpusched::dra {

/// The hash of a sequence of texts, numbers and amounts; each part says where it ends.
class ContentHash {
 public:
  explicit ContentHash(std::uint64_t seed) : hash_{mix_a(seed), mix_b(seed)} {}
  /// Goes on from there.
  explicit ContentHash(const Hash128& start) : hash_(start) {}

  ContentHash& add(std::uint64_t word) {
    hash_ = chained(hash_, word);
    return *this;
  }
  ContentHash& add(const Hash128& hash) { return add(hash.a, hash.b); }
  ContentHash& add(std::string_view text) {
    add(text.size(), word_at(text, 0));
    for (std::size_t i = kWord; i < text.size(); i += 2 * kWord) add(word_at(text, i), word_at(text, i + kWord));
    return *this;
  }
  ContentHash& add(const Quantity& quantity) {
    const Amount amount = to_amount(quantity);
    return add(static_cast<std::uint64_t>(amount), static_cast<std::uint64_t>(amount >> 64U));
  }

  [[nodiscard]] const Hash128& value() const { return hash_; }

 private:
  static constexpr std::size_t kWord = sizeof(std::uint64_t);

  /// Two words in the time of one.
  ContentHash& add(std::uint64_t first, std::uint64_t second) {
    hash_ = {folded(hash_.a ^ first ^ 0x9fb2'1c65'1e98'df25U, hash_.b ^ second ^ 0xa076'1d64'78bd'642fU),
             folded(hash_.b + first + 0xe703'7ed1'a0b4'28dbU, hash_.a + second + 0xc2b2'ae3d'27d4'eb4fU)};
    return *this;
  }
  /// The bytes from there on, zeros behind the text.
  static std::uint64_t word_at(std::string_view text, std::size_t begin) {
    std::uint64_t word = 0;
    if (begin + kWord <= text.size()) {
      std::memcpy(&word, text.data() + begin, kWord);
    } else if (begin < text.size()) {
      std::memcpy(&word, text.data() + begin, text.size() - begin);
    }
    return word;
  }

  Hash128 hash_;
};

/// Of an attribute's type and value.
[[nodiscard]] Hash128 hash_of(const objects::AttributeValue& value);
/// Of all of a device that the allocator looks at, but its name, its attributes and the nodes that it is for; without
/// its capacity for those who know that it does not count.
[[nodiscard]] Hash128 hash_of(const objects::Device& device, bool with_capacity);
[[nodiscard]] Hash128 hash_of(const objects::CounterSet& counters);

}  // namespace gpusched::dra
