#pragma once

#include <cstdint>
#include <vector>

#include "dra/hash128.hpp"
#include "dra/problem.hpp"

namespace gpusched::dra {

/// What has been taken at a moment of the search, and what that leaves.
class SearchState {
 public:
  explicit SearchState(const Problem& problem);

  /// What a look at one device for one leaf says.
  enum class Look : std::uint8_t {
    kNo,
    kTake,   ///< it can be taken
    kError,  ///< the device is in reach, and asking about it ends the search
  };
  /// For leaves with a count.
  [[nodiscard]] Look look(const Problem::Leaf& leaf, std::uint32_t device) const;
  /// The same without capacity, counters and constraints: whether the device is in use for the leaf.
  [[nodiscard]] bool in_use(const Problem::Leaf& leaf, std::uint32_t device) const;

  /// For leaves with mode All, whose devices are all needed.
  enum class AllLook : std::uint8_t {
    kNo,
    kTake,
    kViolation,  ///< a constraint forbids it, which ends the search
    kError,      ///< a value of a constraint cannot be computed, which ends the search
  };
  [[nodiscard]] AllLook look_all(const Problem::Leaf& leaf, std::uint32_t index) const;

  void take(std::uint32_t leaf, std::uint32_t device);
  /// Undoes the last take.
  void give_back();

  [[nodiscard]] std::uint32_t chosen(std::uint32_t claim) const { return chosen_[claim]; }
  struct Taking {
    std::uint32_t leaf = 0, device = 0;
  };
  /// In order, of all claims.
  [[nodiscard]] const std::vector<Taking>& takings() const { return takings_; }

  [[nodiscard]] bool is_shared(std::uint32_t device) const {
    return problem_.devices[device].shared || shares_[device] != 0;
  }
  [[nodiscard]] Amount counter_left(std::uint32_t counter) const { return counter_left_[counter]; }
  [[nodiscard]] Amount capacity_left(std::uint32_t index) const { return capacity_left_[index]; }
  /// Whether a matchAttribute has a value already.
  [[nodiscard]] bool has_value(std::uint32_t constraint) const { return constraints_[constraint].count != 0; }
  /// Sum over the takings in a block, by position: which, for which leaf.
  [[nodiscard]] const Hash128& block_takings(std::uint32_t block) const { return block_takings_[block]; }
  /// Sum over all constraints.
  [[nodiscard]] const Hash128& constraint_hash() const { return constraint_hash_; }
  /// What orders of takings can tell apart beside devices: running sets of constraints, and groups.
  [[nodiscard]] Hash128 order_hash() const;

  /// The constraint at which a kError of a constraint value comes from; for messages.
  [[nodiscard]] std::uint32_t failing_table(const Problem::Leaf& leaf, std::uint32_t device) const;

 private:
  enum class Passed : std::uint8_t { kNo, kYes, kError };
  struct ConstraintState {
    std::uint32_t count = 0;                          // devices that it applied to
    std::int32_t value = 0;                           // of a match
    std::vector<std::uint8_t> used;                   // by value, of a distinct
    std::vector<std::vector<std::uint32_t>> running;  // with sets: after each device
  };

  [[nodiscard]] bool counters_allow(std::uint32_t device) const;
  [[nodiscard]] bool capacity_allows(const Problem::Leaf& leaf, std::uint32_t device) const;
  [[nodiscard]] Passed constraints_allow(const Problem::Leaf& leaf, std::uint32_t device) const;
  [[nodiscard]] Passed constraint_allows(const Problem::Check& check, std::uint32_t device) const;
  [[nodiscard]] bool groups_allow(const Problem::Device& device) const;
  void add_to_constraint(const Problem::Check& check, std::uint32_t device, bool add);
  void add_groups(const Problem::Device& device);
  void move_amounts(std::uint32_t leaf, std::uint32_t device, bool take);

  const Problem& problem_;
  std::vector<std::uint8_t> taken_by_;  // [claim * devices + device]
  std::vector<std::uint32_t> takers_;   // by device
  std::vector<std::uint32_t> shares_;   // by device, in this search
  std::vector<Amount> counter_left_, capacity_left_;
  std::vector<ConstraintState> constraints_;
  std::vector<std::uint32_t> chosen_;
  std::vector<Taking> takings_;
  std::vector<Problem::GroupState> groups_;
  struct GroupUndo {
    std::size_t takings;
    std::uint32_t set;
    Problem::GroupState state;
  };
  std::vector<GroupUndo> group_undo_;
  std::vector<Hash128> block_takings_;
  Hash128 constraint_hash_;
};

}  // namespace gpusched::dra
