#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace gpusched {

/// Index into one table of the model; a different type per table, so that a node id cannot be used as a GPU id.
/// The default value is "none".
template <class Tag>
struct Id {
  static constexpr std::uint32_t kNone = 0xffff'ffffU;

  std::uint32_t value = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : value(static_cast<std::uint32_t>(index)) {}

  [[nodiscard]] constexpr std::size_t index() const { return value; }
  [[nodiscard]] constexpr bool valid() const { return value != kNone; }
  constexpr auto operator<=>(const Id&) const = default;
};

}  // namespace gpusched
