#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpusched/dra/allocator.hpp"
#include "gpusched/dra/why_not.hpp"

namespace gpusched::dra {

/// Asks what would be if. All questions together have a budget of node checks; when it is used up nothing fits any
/// more, and `exhausted` says so.
class Trials {
 public:
  explicit Trials(const WhyNotInput& input);

  struct Relaxed {
    bool everything_free = false;
    bool taints_ignored = false;
  };
  struct Found {
    std::size_t node = 0;
    std::vector<objects::AllocationResult> allocations;
  };
  using Claims = std::span<const objects::ResourceClaim* const>;

  /// The first node that has the devices.
  [[nodiscard]] std::optional<Found> fits(Claims claims, const Relaxed& relaxed);
  [[nodiscard]] std::optional<Found> fits(Claims claims) { return fits(claims, {}); }
  [[nodiscard]] std::optional<Found> fits_on(std::size_t node, Claims claims, const Relaxed& relaxed);
  /// With something else in use.
  [[nodiscard]] std::optional<Found> fits_with(const InUse& in_use, std::span<const std::size_t> nodes, Claims claims);
  [[nodiscard]] bool exhausted() const { return checks_left_ == 0; }

  [[nodiscard]] const WhyNotInput& input() const { return input_; }

 private:
  Allocator& allocator(const Relaxed& relaxed);
  std::optional<Found> check(Allocator& allocator, std::size_t node, Claims claims);

  const WhyNotInput& input_;
  InUse nothing_;
  std::array<std::unique_ptr<Allocator>, 4> allocators_;
  std::uint64_t checks_left_ = 100'000;
};

}  // namespace gpusched::dra
