#pragma once

#include <cstdint>
#include <vector>

#include "dra/block_states.hpp"
#include "dra/memo.hpp"
#include "dra/search.hpp"

namespace gpusched::dra {

/// The search that remembers, for the problems that BlockStates describes: the same walk with the same answer and the
/// same steps as Search, in which a taking is the step of one block to its next state. So neither devices nor counters
/// are looked at while it walks.
class BlockSearch {
 public:
  BlockSearch(const Problem& problem, std::uint64_t max_calls);

  [[nodiscard]] SearchResult run();

 private:
  struct Part {
    SearchOutcome outcome = SearchOutcome::kFailure;
    Steps steps = 0;
  };
  struct Visit {
    Hash128 key;
    Steps steps;
  };
  /// Where the loop of a leaf may go on, and the sum of what its blocks look like.
  struct Place {
    std::uint32_t block = 0, position = 0;
    Hash128 total;
  };

  // Each of these is one call of the real search.
  Part enter_claim(std::uint32_t claim);
  Part enter_request(std::uint32_t claim, std::uint32_t request);
  Part enter_leaf(std::uint32_t leaf, std::uint32_t devices, const Place& place);

  // These are the rest of a call.
  Part go_on(std::uint32_t leaf, std::uint32_t devices, const Place& place);
  Part loop(std::uint32_t leaf, std::uint32_t devices, Place place);
  Part take(std::uint32_t leaf, std::uint32_t devices, const Place& place, std::uint32_t passed);
  [[nodiscard]] Place start_of(std::uint32_t leaf);
  [[nodiscard]] Part finish(std::size_t first_visit, SearchOutcome outcome, Steps tail);

  const Problem& problem_;
  std::uint64_t max_calls_;
  BlockStates states_;
  std::vector<std::uint32_t> now_;  // the state of each block
  Memo<Steps> failures_;
  std::vector<Visit> visits_;  // of all open loops
  std::vector<SearchState::Taking> takings_;
  std::uint64_t calls_ = 0;
};

}  // namespace gpusched::dra
