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

/// Everything that the answers for all nodes of a cluster share. Spans and references must outlive the Allocator.
struct AllocatorInput {
  Features features;
  std::span<const objects::ResourceSlice> slices;
  std::span<const objects::DeviceClass> classes;
  const InUse& in_use;
  SelectorEvaluator& selectors;
};

/// How the search looks for repetitions. kBest is what to use; the others are for tests.
enum class SearchMethod : std::uint8_t {
  kBest,     ///< the fastest method that is exact for the question
  kOrdered,  ///< remembers failed states without looking for symmetry
  kPlain,    ///< the real recursion, step by step
};

struct AllocateOptions {
  /// Calls of our own search before the answer is "undecided", and half of which count steps.
  std::uint64_t max_calls = 2'000'000;
  /// false: only the answer is asked for, which may be far cheaper.
  bool count_steps = true;
  SearchMethod method = SearchMethod::kBest;
  std::uint64_t seed = 0;  ///< of the share ids
};

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
  /// validated as the API server would.
  [[nodiscard]] AllocationAnswer allocate(const NodeFacts& node, std::span<const objects::ResourceClaim* const> claims,
                                          const AllocateOptions& options = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gpusched::dra
