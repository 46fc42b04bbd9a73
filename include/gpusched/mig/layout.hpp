#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/mig/board.hpp"
#include "gpusched/mig/profile.hpp"

namespace gpusched::mig {

/// One GPU instance: it occupies the memory slices [start, start + memory_slices of its profile).
struct Instance {
  ProfileIndex profile = 0;
  std::uint8_t start = 0;

  bool operator==(const Instance&) const = default;
};

/// "3g.40gb@4".
[[nodiscard]] std::string to_string(const Board& board, Instance instance);

/// What the instances of one GPU take, kept as a bit mask of memory slices and a few sums: 48 bytes, never allocates.
///
/// A set of instances is legal when (1) each start is one of its profile's and no two ranges overlap, (2) the compute
/// slices do not sum to more than the board's, (3) no profile exceeds its count, (4) the engines do not sum to more
/// than the whole GPU's, where both numbers are known. Rules 1 to 3 are documented by NVIDIA; rule 4 is inferred, and
/// gives every documented count of the +me and +me.all profiles. Nothing fits on a board whose starts are unknown.
class Occupancy {
 public:
  explicit Occupancy(const Board& board) : board_(&board) {}
  Occupancy(const Board& board, std::span<const Instance> instances);

  /// Whether the instance may be created beside the present ones.
  [[nodiscard]] bool fits(Instance instance) const;
  /// The lowest start at which the profile fits.
  [[nodiscard]] std::optional<std::uint8_t> lowest_start(ProfileIndex profile) const;
  /// The profiles that fit at some start.
  [[nodiscard]] ProfileSet fitting() const;

  /// Takes what the instance names, also when it does not fit: a dump's instances are facts. An instance of no profile
  /// of the board is ignored.
  void add(Instance instance);

  /// Bit i: memory slice i is taken.
  [[nodiscard]] std::uint32_t memory_mask() const { return memory_mask_; }
  [[nodiscard]] std::uint32_t compute_slices() const { return compute_slices_; }

 private:
  [[nodiscard]] bool budget_allows(const Profile& profile, ProfileIndex index) const;

  const Board* board_;
  std::uint32_t memory_mask_ = 0;
  std::uint32_t compute_slices_ = 0;
  std::array<std::int16_t, 5> engines_{};
  std::array<std::uint8_t, 16> counts_{};
};

/// Whether the instances can exist together; see Occupancy for the rules. Their order does not matter.
[[nodiscard]] bool legal(const Board& board, std::span<const Instance> instances);

/// The lowest start at which one more instance of the profile fits beside the existing ones.
[[nodiscard]] std::optional<std::uint8_t> lowest_start(const Board& board, std::span<const Instance> existing,
                                                       ProfileIndex profile);

/// How many instances of one profile fit beside the existing ones. With no existing ones: the documented maximum.
[[nodiscard]] std::uint32_t remaining(const Board& board, std::span<const Instance> existing, ProfileIndex profile);

/// An entry of a wanted layout: a profile, and its start if that is fixed.
struct LayoutEntry {
  ProfileIndex profile = 0;
  std::optional<std::uint8_t> start = std::nullopt;

  bool operator==(const LayoutEntry&) const = default;
};

/// Starts for a list of profiles, in list order: each at its lowest start, going back only when a later one finds no
/// place. In other words the legal layout whose list of starts is lexicographically first. On an A100 80GB the list
/// 1g, 1g, 2g, 3g gives starts 0, 1, 2, 4, and 3g, 4g gives 4, 0.
///
/// The driver's own choice, when it is asked for instances one at a time without a start, can differ and can fail.
///
/// Errors: "mig-geometry-unknown"; "mig-layout-impossible" for the first entry that does not fit with those before it,
/// with the profiles that would still fit in its place; "mig-start-illegal" for a fixed start that its profile lacks.
[[nodiscard]] Result<std::vector<Instance>> place_layout(const Board& board, std::span<const LayoutEntry> entries);
[[nodiscard]] Result<std::vector<Instance>> place_layout(const Board& board, std::span<const ProfileIndex> profiles);

/// Which profiles a repartition of one GPU could add without touching its busy instances; its free ones may go.
struct CouldAdd {
  ProfileSet base;   ///< plain 1g, 2g, ...
  ProfileSet other;  ///< double-memory, +me, +gfx, ...
};

/// Two busy 1g at 0 and 4 of an A100 80GB leave 1g and 2g: a 3g needs the slices 0-3 or 4-7.
[[nodiscard]] CouldAdd could_add(const Board& board, std::span<const Instance> busy);

}  // namespace gpusched::mig
