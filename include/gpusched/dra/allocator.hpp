#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/dra/features.hpp"
#include "gpusched/dra/in_use.hpp"
#include "gpusched/dra/node_facts.hpp"
#include "gpusched/dra/selector_evaluator.hpp"
#include "gpusched/dra/steps.hpp"
#include "gpusched/objects/resource_claim.hpp"
#include "gpusched/objects/resource_slice.hpp"

namespace gpusched::dra {

/// Everything that the answers for all nodes of a cluster share. Spans and references must outlive the Allocator; when
/// `in_use` changes, tell it by refresh().
struct AllocatorInput {
  Features features;
  std::span<const objects::ResourceSlice> slices;
  std::span<const objects::DeviceClass> classes;
  const InUse& in_use;
  SelectorEvaluator& selectors;
};

/// How the search looks for repetitions. kBest is what to use; the others are for tests.
enum class SearchMethod : std::uint8_t {
  kBest,       ///< the fastest method that is exact for the question
  kRemember,   ///< the same without trying first whether the real recursion soon ends
  kSymmetric,  ///< the same without the states of blocks
  kOrdered,    ///< remembers failed states without looking for symmetry
  kPlain,      ///< the real recursion, step by step
};

struct AllocateOptions {
  /// Calls of our own search before the answer is "undecided", and half of which count steps.
  std::uint64_t max_calls = 2'000'000;
  /// false: only the answer is asked for, which may be far cheaper.
  bool count_steps = true;
  /// More steps than these take the real search longer than its filter timeout; 0: it has none. Without count_steps
  /// they are counted where a quick bound says that they could be so many.
  std::uint64_t timeout_steps = 0;
  SearchMethod method = SearchMethod::kBest;
  std::uint64_t seed = 0;  ///< of the share ids
  /// false: an answer of kAllocated comes without its allocations, for callers that only filter nodes.
  bool allocations = true;
};

/// What kube-scheduler's 10 s per node are good for, at 2.2 microseconds a step as measured with 1.37.
inline constexpr std::uint64_t kTimeoutSteps = 4'500'000;

enum class AllocationOutcome : std::uint8_t {
  kAllocated,
  kDoesNotFit,
  kNodeError,  ///< rules out this node only
  kError,      ///< ends the scheduling attempt
  kUndecided,  ///< max_calls reached
};
/// "allocated", "does-not-fit", "node-error", "error", "undecided".
[[nodiscard]] std::string_view name_of(AllocationOutcome outcome);

struct AllocationAnswer {
  AllocationOutcome outcome = AllocationOutcome::kDoesNotFit;
  std::string error;                                   ///< in the words of the real allocator
  std::vector<objects::AllocationResult> allocations;  ///< one per claim when allocated
  Steps steps = 0;                                     ///< calls of the real recursive search
  bool steps_at_least = false;                         ///< it is a lower bound
  bool times_out = false;                              ///< the real search passes timeout_steps
  std::uint64_t calls = 0;                             ///< calls of our own search
};

/// Allocates the devices of claims as kube-scheduler does: same devices, same errors, and the number of steps that the
/// real search takes, however many. Not for several threads at once.
///
/// Rule: k8s.io/dynamic-resource-allocation v0.37.2, structured/internal/{stable,incubating,experimental}. The stable
/// one takes pools in random order; here they come sorted.
class Allocator {
 public:
  explicit Allocator(const AllocatorInput& input);
  ~Allocator();
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  [[nodiscard]] Implementation implementation() const;

  /// The claims of one pod, all or nothing, on one node. Claims are taken as they are: nothing is defaulted or
  /// validated as the API server would. A node is known by its name. What was found out about a node holds for all that
  /// look the same to claims that want the same, and as long as nothing that they can reach changes hands.
  [[nodiscard]] AllocationAnswer allocate(const NodeFacts& node, std::span<const objects::ResourceClaim* const> claims,
                                          const AllocateOptions& options = {});

  /// in_use has changed for the devices of this allocation.
  void refresh(const objects::AllocationResult& allocation);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gpusched::dra
