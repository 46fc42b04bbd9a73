#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dra/hash128.hpp"
#include "dra/memo.hpp"
#include "dra/search_state.hpp"

namespace gpusched::dra {

/// Hashes of what the rest of the search can still observe, so that states whose remaining searches are alike have the
/// same key. A device that nothing can take any more is left out; one that can be taken is known by the leaves that can
/// take it, its values of open constraints and its counters, not by its number.
///
/// Keys are worth most when they say little: equal GPUs in equal states are one multiset of blocks, and values of one
/// constraint are only told apart as groups. They must say enough: where the order of devices shows in an answer (the
/// limit of devices per claim ends a loop, list values pass a constraint only as the first, sets and groups run along)
/// `ordered` keys are right, which number the devices and hold the state of the constraints.
class StateKeys {
 public:
  StateKeys(const Problem& problem, const SearchState& state, bool ordered);

  /// A frame stands for one loop of the search, or one moment. `start` is the first device that the loop may take.
  void open_leaf(std::uint32_t leaf, std::uint32_t start);
  /// Inside the loop of the same leaf, after `device` has been taken.
  void open_next(std::uint32_t device);
  void open_request(std::uint32_t request);
  void close() { --depth_; }

  /// Of the top frame: the loop may not take devices up to this one any more.
  void pass(std::uint32_t device);
  /// Of the top frame; `remaining` devices are still to choose for the leaf.
  [[nodiscard]] Hash128 key(std::uint32_t remaining) const;

 private:
  static constexpr std::uint32_t kNone = Problem::kNone;
  struct StageCheck {
    std::uint32_t constraint = 0, table = 0;
    std::uint64_t slots = 0;  // bit 0: the current leaf, bit k + 1: later_classes[k]
  };
  struct Stage {
    std::uint32_t current = kNone;  // leaf
    std::uint32_t claim = 0;
    std::vector<std::uint32_t> later;          // leaves with a count
    std::vector<std::uint32_t> later_classes;  // one leaf of each kind
    std::vector<std::uint32_t> later_all;
    std::vector<StageCheck> checks;
  };
  struct Frame {
    std::uint32_t stage = 0, start = 0;
    std::uint32_t grouping = kNone;  // value table
    Hash128 constraints, total;
    std::vector<Hash128> blocks, groups;
  };
  struct Label {
    Hash128 hash;
    bool alive = false;
  };

  void add_stage(std::uint32_t current, std::uint32_t claim, std::uint32_t first_later);
  void find_groupings();
  Frame& push();
  void compute(Frame& frame);
  void look_ahead(const Stage& stage);
  [[nodiscard]] std::uint32_t grouping(const Stage& stage) const;
  void set_block(Frame& frame, std::uint32_t block);
  [[nodiscard]] Hash128 block_hash(const Frame& frame, std::uint32_t block);
  [[nodiscard]] Hash128 compute_block(const Frame& frame, std::uint32_t block);
  [[nodiscard]] Label label(const Frame& frame, std::uint32_t device) const;
  void add_values(const Frame& frame, std::uint32_t device, std::uint64_t slots, Hash128& hash) const;
  void add_capacity(const Frame& frame, std::uint32_t device, Hash128& hash) const;
  [[nodiscard]] bool is_open(std::uint32_t constraint) const {
    return problem_.constraints[constraint].distinct || !state_.has_value(constraint);
  }

  const Problem& problem_;
  const SearchState& state_;
  bool ordered_;
  std::vector<Stage> stages_;  // of leaves, then of requests
  std::vector<Frame> frames_;
  std::size_t depth_ = 0;
  std::vector<std::uint32_t> single_table_;              // by constraint: the table of all its leaves, or kNone
  std::vector<std::vector<std::int32_t>> block_values_;  // by table: by block; empty: blocks have several values
  std::vector<std::uint32_t> need_classes_;              // by device: devices with the same needs of all leaves
  std::vector<Hash128> all_labels_;                      // by device
  Memo<Hash128> block_cache_;
  std::vector<Amount> demand_;
};

}  // namespace gpusched::dra
