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

  ContentHash& add(std::uint64_t word) {
    hash_ = chained(hash_, word);
    return *this;
  }
  ContentHash& add(const Hash128& hash) {
    hash_ = chained(hash_, hash);
    return *this;
  }
  ContentHash& add(std::string_view text) {
    add(text.size());
    for (std::size_t i = 0; i < text.size(); i += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data() + i, std::min(sizeof(word), text.size() - i));
      add(word);
    }
    return *this;
  }
  ContentHash& add(const Quantity& quantity) {
    const Amount amount = to_amount(quantity);
    return add(static_cast<std::uint64_t>(amount)).add(static_cast<std::uint64_t>(amount >> 64U));
  }

  [[nodiscard]] const Hash128& value() const { return hash_; }

 private:
  Hash128 hash_;
};

/// Of an attribute's type and value.
[[nodiscard]] Hash128 hash_of(const objects::AttributeValue& value);
/// Of all of a device that the allocator looks at, but its name, its attributes and the nodes that it is for.
[[nodiscard]] Hash128 hash_of(const objects::Device& device);
[[nodiscard]] Hash128 hash_of(const objects::CounterSet& counters);

}  // namespace gpusched::dra
