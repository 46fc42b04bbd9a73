#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gpusched/mig/board.hpp"

namespace gpusched::mig {

/// A set of profiles of one board, iterated in table order. Small, so that it can be made once per node.
class ProfileSet {
 public:
  class Iterator {
   public:
    explicit constexpr Iterator(std::uint16_t bits) : bits_(bits) {}
    constexpr ProfileIndex operator*() const { return static_cast<ProfileIndex>(std::countr_zero(bits_)); }
    constexpr Iterator& operator++() {
      bits_ = static_cast<std::uint16_t>(bits_ & (bits_ - 1));
      return *this;
    }
    constexpr bool operator==(const Iterator&) const = default;

   private:
    std::uint16_t bits_;
  };

  constexpr ProfileSet() = default;
  explicit constexpr ProfileSet(std::uint16_t bits) : bits_(bits) {}

  constexpr void insert(ProfileIndex profile) { bits_ = static_cast<std::uint16_t>(bits_ | (1U << profile)); }
  [[nodiscard]] constexpr bool contains(ProfileIndex profile) const { return ((bits_ >> profile) & 1U) != 0; }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  [[nodiscard]] constexpr std::size_t size() const { return static_cast<std::size_t>(std::popcount(bits_)); }
  [[nodiscard]] constexpr std::uint16_t bits() const { return bits_; }
  [[nodiscard]] constexpr Iterator begin() const { return Iterator(bits_); }
  [[nodiscard]] constexpr Iterator end() const { return Iterator(0); }
  constexpr bool operator==(const ProfileSet&) const = default;

 private:
  std::uint16_t bits_ = 0;
};

[[nodiscard]] ProfileSet all_profiles(const Board& board);

/// The plain 1g, 2g, 3g, 4g, 7g of the board.
[[nodiscard]] ProfileSet base_profiles(const Board& board);

/// The profile that a name means on this board. Read are NVIDIA's spelling ("1g.10gb+me"), the spelling of resource
/// names and labels ("1g.10gb.me"), both with "mig-" or "nvidia.com/mig-" in front, and names that other drivers give
/// the same profile (A100 80GB: "7g.79gb", "3g.39gb"; A100 40GB: "3g.21gb"; the early GB200 names). The same name can
/// mean different profiles on different boards: 1g.10gb is the plain 1g on 80 GB and the double-memory 1g on 40 GB.
/// Compute instances ("1c.3g.40gb") are no profiles.
[[nodiscard]] std::optional<ProfileIndex> find_profile(const Board& board, std::string_view name);

/// The profile's spelling in resource names and labels, where "+" becomes ".": "1g.10gb.me", "1g.24gb-me".
/// Source: k8s-device-plugin v0.20.
[[nodiscard]] std::string resource_suffix(const Profile& profile);

/// The extended resource that the device plugin advertises under the mixed strategy: "nvidia.com/mig-1g.10gb.me".
[[nodiscard]] std::string resource_name(const Profile& profile);

/// The names of a set, in table order: "1g.10gb, 2g.20gb"; "none" for the empty set.
[[nodiscard]] std::string join_names(const Board& board, ProfileSet profiles);

/// The GB figure that a driver puts into a profile's name, from the memory of the instance and of the GPU:
/// round half up(ceil(8 * slice / total) / 8 * ceil(total / 1024)). 0 if total_mib is 0. Source: go-nvlib.
[[nodiscard]] std::uint32_t name_gb(std::uint64_t slice_mib, std::uint64_t total_mib);

}  // namespace gpusched::mig
