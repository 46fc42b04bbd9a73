#include "dra/trials.hpp"

#include <utility>

namespace gpusched::dra {

Trials::Trials(const WhyNotInput& input) : input_(input) {}

Allocator& Trials::allocator(const Relaxed& relaxed) {
  std::unique_ptr<Allocator>& known =
      allocators_[(relaxed.everything_free ? 1U : 0U) + (relaxed.taints_ignored ? 2U : 0U)];
  if (!known) {
    Features features = input_.features;
    if (relaxed.taints_ignored) features.device_taints = false;
    known = std::make_unique<Allocator>(AllocatorInput{
        features, input_.slices, input_.classes, relaxed.everything_free ? nothing_ : input_.in_use, input_.selectors});
  }
  return *known;
}

std::optional<Trials::Found> Trials::check(Allocator& allocator, std::size_t node, Claims claims) {
  if (checks_left_ == 0) return std::nullopt;
  --checks_left_;
  AllocateOptions options = input_.search;
  options.count_steps = false;
  options.timeout_steps = 0;
  AllocationAnswer answer = allocator.allocate(input_.nodes[node], claims, options);
  if (answer.outcome != AllocationOutcome::kAllocated) return std::nullopt;
  return Found{node, std::move(answer.allocations)};
}

std::optional<Trials::Found> Trials::fits(Claims claims, const Relaxed& relaxed) {
  Allocator& chosen = allocator(relaxed);
  for (std::size_t n = 0; n < input_.nodes.size(); ++n) {
    if (std::optional<Found> found = check(chosen, n, claims)) return found;
  }
  return std::nullopt;
}

std::optional<Trials::Found> Trials::fits_on(std::size_t node, Claims claims, const Relaxed& relaxed) {
  return check(allocator(relaxed), node, claims);
}

std::optional<Trials::Found> Trials::fits_with(const InUse& in_use, std::span<const std::size_t> nodes, Claims claims) {
  Allocator other({input_.features, input_.slices, input_.classes, in_use, input_.selectors});
  for (const std::size_t n : nodes) {
    if (std::optional<Found> found = check(other, n, claims)) return found;
  }
  return std::nullopt;
}

}  // namespace gpusched::dra
