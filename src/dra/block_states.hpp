#pragma once

#include <cstdint>
#include <vector>

#include "dra/hash128.hpp"
#include "dra/memo.hpp"
#include "dra/problem.hpp"

namespace gpusched::dra {

/// The states that the blocks of a problem can be in, numbered, for problems in which a taking shows in its own block
/// only: which devices can still be taken, and what the rest of the search can observe of the block. Blocks that
/// nothing tells apart from the start share their states, so eight GPUs alike need those of one.
class BlockStates {
 public:
  /// Whether a problem is of this kind: no constraints, shares, groups, admin access, errors, requests for all devices
  /// or with subrequests, and blocks of at most 64 devices that follow each other in the order of the search.
  [[nodiscard]] static bool describe(const Problem& problem);

  explicit BlockStates(const Problem& problem);

  /// A block in a state, looked at from inside the request of a leaf.
  struct View {
    std::uint64_t takeable = 0;     ///< by position: devices that the leaf can take
    std::uint32_t first_hash = 0;   ///< of hash()
    std::uint32_t first_count = 0;  ///< of takeable_before()
  };

  /// The state of each block while nothing is taken.
  [[nodiscard]] const std::vector<std::uint32_t>& initial() const { return initial_; }
  [[nodiscard]] std::uint32_t after_taking(std::uint32_t state, std::uint32_t position);
  [[nodiscard]] const View& view(std::uint32_t state, std::uint32_t leaf) {
    const std::uint32_t known = views_of_[state * leaf_count_ + leaf];
    return views_[known != 0 ? known : add_view(state, leaf)];
  }
  /// How many devices the leaf can take at positions before this one, which may be one past the last.
  [[nodiscard]] std::uint32_t takeable_before(const View& view, std::uint32_t position) const {
    return counts_[view.first_count + position];
  }
  /// What the rest of the search can observe when the leaf may no longer take the first `passed` of the devices that it
  /// could; equal for equal futures. Sums of them stand for several blocks.
  [[nodiscard]] const Hash128& hash(const View& view, std::uint32_t passed) const {
    return hashes_[view.first_hash + passed];
  }

 private:
  struct State {
    std::uint32_t block = 0;       // the first one of its kind
    std::uint64_t taken = 0;       // by position
    std::uint64_t free = 0;        // not taken, and the counters have enough
    std::uint32_t first_left = 0;  // of left_: of each counter of the block
  };

  std::uint32_t add_state(std::uint32_t block, std::uint64_t taken);
  std::uint32_t add_view(std::uint32_t state, std::uint32_t leaf);
  [[nodiscard]] Hash128 observed(const State& state, std::uint32_t leaf, std::uint64_t takeable);
  [[nodiscard]] Hash128 content_of(const Problem::Block& block) const;

  const Problem& problem_;
  std::uint32_t leaf_count_;
  std::vector<std::vector<std::uint64_t>> possible_;  // by leaf class, by block: devices that may ever be taken
  std::vector<std::vector<std::uint32_t>> later_;     // by leaf: classes of the leaves of later requests
  std::vector<std::uint32_t> initial_;
  std::vector<State> states_;
  std::vector<Amount> left_;
  std::vector<std::uint32_t> next_;      // [next_of_[state] + position], 0: unknown
  std::vector<std::uint32_t> next_of_;   // by state
  std::vector<std::uint32_t> views_of_;  // [state * leaves + leaf], 0: unknown
  std::vector<View> views_;
  std::vector<Hash128> hashes_;
  std::vector<std::uint8_t> counts_;
  Memo<std::uint32_t> by_content_;  // block content and takings -> state
  std::vector<Amount> demand_;
};

}  // namespace gpusched::dra
