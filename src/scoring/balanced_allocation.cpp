#include "gpusched/scoring/balanced_allocation.hpp"

#include <algorithm>
#include <cmath>

#include "gpusched/scoring/node_resources_fit.hpp"
#include "scoring/demand.hpp"

namespace gpusched::scoring {

namespace {

double used_fraction(std::int64_t requested, std::int64_t allocatable) {
  return std::min(1.0, static_cast<double>(requested) / static_cast<double>(allocatable));
}

/// The population standard deviation of the used fractions; `balance_at(i)` gives the i-th of `count` resources and
/// `requested` one of its two amounts. Fractions are worked out twice rather than stored, so nothing is allocated.
template <class BalanceAt>
double deviation(std::size_t count, const BalanceAt& balance_at, std::int64_t ResourceBalance::* requested) {
  const auto for_each_fraction = [&](auto&& use) {
    for (std::size_t i = 0; i < count; ++i) {
      const ResourceBalance balance = balance_at(i);
      if (balance.allocatable > 0) {
        use(used_fraction(balance.*requested, balance.allocatable));
      }
    }
  };
  int fractions = 0;
  double total = 0, previous = 0, last = 0;
  for_each_fraction([&](double fraction) {
    ++fractions;
    total += fraction;
    previous = last;
    last = fraction;
  });
  if (fractions < 2) {
    return 0;
  }
  if (fractions == 2) {  // the same value in exact arithmetic; the scheduler takes this short cut, so roundings agree
    return std::abs((previous - last) / 2);
  }
  const double mean = total / fractions;
  double squares = 0;
  for_each_fraction([&](double fraction) {
    const double square = (fraction - mean) * (fraction - mean);  // apart from the sum: no fused multiply-add
    squares += square;
  });
  return std::sqrt(squares / fractions);
}

template <class BalanceAt>
std::int64_t score(std::size_t count, const BalanceAt& balance_at, BalanceForm form) {
  const auto balance = [&](std::int64_t ResourceBalance::* requested) {
    return static_cast<std::int64_t>((1 - deviation(count, balance_at, requested)) *
                                     static_cast<double>(kMaxNodeScore));
  };
  const std::int64_t with_pod = balance(&ResourceBalance::requested_with);
  if (form == BalanceForm::kAfterPlacement) {
    return with_pod;
  }
  constexpr std::int64_t kHalf = kMaxNodeScore / 2;
  return kHalf + (kHalf + with_pod - balance(&ResourceBalance::requested_without)) / 2;
}

}  // namespace

std::int64_t balanced_allocation_score(std::span<const ResourceBalance> balances, BalanceForm form) {
  return score(balances.size(), [&](std::size_t i) { return balances[i]; }, form);
}

std::optional<std::int64_t> balanced_allocation_score(std::span<const ResourceId> resources, const ClusterUsage& usage,
                                                      NodeId node, const PodClass& pod, BalanceForm form) {
  if (std::ranges::none_of(resources, [&](ResourceId id) { return request_of(pod, id) != 0; })) {
    return std::nullopt;
  }
  const NodeClass& node_class = usage.node_class(node);
  const auto balance_at = [&](std::size_t i) {
    const ResourceId resource = resources[i];
    const std::int64_t request = request_of(pod, resource);
    const std::int64_t allocatable = scored_allocatable(node_class, resource);
    if (allocatable == 0 || (request == 0 && is_scalar(resource))) {
      return ResourceBalance{};
    }
    const std::int64_t used = usage.used(node, resource);
    return ResourceBalance{.requested_with = used + request, .requested_without = used, .allocatable = allocatable};
  };
  return score(resources.size(), balance_at, form);
}

}  // namespace gpusched::scoring
