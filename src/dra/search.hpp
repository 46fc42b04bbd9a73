#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "dra/memo.hpp"
#include "dra/search_state.hpp"
#include "dra/state_keys.hpp"
#include "gpusched/dra/steps.hpp"

namespace gpusched::dra {

enum class SearchOutcome : std::uint8_t {
  kFailure,
  kTooMany,  ///< the claim would pass the limit of devices
  kSuccess,
  kError,
  kExhausted,  ///< of our own budget
};

struct SearchResult {
  SearchOutcome outcome = SearchOutcome::kFailure;
  Steps steps = 0;  ///< calls of the real search; those counted so far when exhausted
  std::uint64_t calls = 0;
  /// After a success.
  std::vector<SearchState::Taking> takings;
  /// After an error: where, and whether a constraint of an All request is violated.
  SearchState::Taking failed;
  bool violation = false;
};

struct SearchOptions {
  std::uint64_t max_calls = 0;
  bool remember = true;  ///< false: the real recursion, step by step
  bool ordered = false;  ///< see StateKeys
  bool bounds = false;   ///< fail early where devices are too few; steps are then not those of the real search
};

/// The real depth-first search in its order, which skips a state only if one with the same future has failed before,
/// and then adds the steps that the failure took. So the first solution and the number of steps are those of the real
/// search. Rule: structured/internal/{incubating,stable} allocateOne of k8s.io/dynamic-resource-allocation v0.37.2.
class Search {
 public:
  Search(const Problem& problem, const SearchOptions& options);

  /// May run again, also after the use of devices has changed in the problem, unless it remembers.
  [[nodiscard]] SearchResult run();
  [[nodiscard]] std::size_t remembered() const { return memo_.size(); }

 private:
  struct Part {
    SearchOutcome outcome = SearchOutcome::kFailure;
    Steps steps = 0;
  };
  struct Failure {
    Part part;
  };

  // Each of these is one call of the real search.
  Part enter_claim(std::uint32_t claim);
  Part enter_request(std::uint32_t claim, std::uint32_t request);
  Part enter_leaf(std::uint32_t leaf, std::uint32_t devices, std::uint32_t start);

  // These are the rest of a call.
  Part try_request(std::uint32_t request);
  Part try_subrequests(const Problem::Request& request);
  Part go_on(std::uint32_t leaf, std::uint32_t devices, std::uint32_t start);
  Part take_all(std::uint32_t leaf, std::uint32_t index);
  Part loop(std::uint32_t leaf, std::uint32_t devices, std::uint32_t start);
  Part loop_remembering(std::uint32_t leaf, std::uint32_t devices, std::uint32_t start);
  Part permute(std::uint32_t leaf, std::uint32_t devices);
  Part take(std::uint32_t leaf, std::uint32_t device, std::uint32_t devices);
  Part fail_at(std::uint32_t leaf, std::uint32_t device, bool violation);
  [[nodiscard]] bool hopeless(std::uint32_t leaf, std::uint32_t needed, std::uint32_t start) const;
  [[nodiscard]] bool has_alive(std::uint32_t leaf, std::uint32_t needed, std::uint32_t start) const;
  void open(std::uint32_t leaf, std::uint32_t devices, std::uint32_t start);

  const Problem& problem_;
  SearchOptions options_;
  SearchState state_;
  std::optional<StateKeys> keys_;
  Memo<Failure> memo_;
  std::vector<std::vector<std::uint32_t>> eligible_;  // by leaf: devices that may ever be taken, or fail
  struct Visit {
    Hash128 key;
    Steps steps;
  };
  std::vector<Visit> visits_;  // of all open loops
  std::uint64_t calls_ = 0;
  SearchState::Taking failed_;
  bool violation_ = false;
};

}  // namespace gpusched::dra
