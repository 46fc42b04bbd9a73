// Layouts for many instances: what is chosen for runs of GPUs is what one GPU after another would be given.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include "support/random_cluster.hpp"
#include "whatif/mix_search.hpp"

namespace gpusched::whatif {
namespace {

using testing::Random;

/// Too much is wanted for the exact search.
MixProblem random_problem(Random& random) {
  MixProblem problem;
  problem.wanted = {5'000'000, random.between(0, 40), random.between(0, 40)};
  problem.slices = {1, 2, 3};
  for (int groups = random.between(1, 3); groups > 0; --groups) {
    MixGroup& group = problem.groups.emplace_back();
    group.gpus = random.between(1, 12);
    group.enable_mig = random.one_in(3);
    for (int offers = random.between(1, 4); offers > 0; --offers) {
      mig::Offer offer;
      for (std::size_t i = 0; i < problem.wanted.size(); ++i) {
        offer.counts.push_back(static_cast<std::uint8_t>(random.between(0, 4)));
      }
      offer.destroyed = static_cast<std::uint8_t>(random.between(0, 2));
      offer.created = static_cast<std::uint8_t>(random.between(0, 4));
      group.offers.push_back(std::move(offer));
    }
  }
  return problem;
}

std::vector<std::vector<std::size_t>> one_by_one(const MixProblem& problem, std::vector<std::int64_t> free) {
  std::vector<std::vector<std::size_t>> choices(problem.groups.size());
  for (;;) {
    std::tuple<std::int64_t, std::int64_t, int, int, int> best{};
    std::pair<std::size_t, std::size_t> chosen;
    for (std::size_t g = 0; g < problem.groups.size(); ++g) {
      const MixGroup& group = problem.groups[g];
      for (std::size_t o = 1; o < group.offers.size() && std::ssize(choices[g]) < group.gpus; ++o) {
        std::int64_t served = 0;
        std::int64_t slices = 0;
        for (std::size_t i = 0; i < free.size(); ++i) {
          const std::int64_t after = free[i] + group.offers[o].counts[i] - group.offers[0].counts[i];
          const std::int64_t more = std::min(after, problem.wanted[i]) - std::min(free[i], problem.wanted[i]);
          served += more;
          slices += more * problem.slices[i];
        }
        const std::tuple gain{served, slices, group.enable_mig ? 0 : 1, -group.offers[o].destroyed,
                              -group.offers[o].created};
        if (served > 0 && gain > best) {
          best = gain;
          chosen = {g, o};
        }
      }
    }
    if (std::get<0>(best) == 0) {
      return choices;
    }
    const auto [g, o] = chosen;
    choices[g].push_back(o);
    for (std::size_t i = 0; i < free.size(); ++i) {
      free[i] += problem.groups[g].offers[o].counts[i] - problem.groups[g].offers[0].counts[i];
    }
  }
}

TEST_CASE("a mix that is too large to search gets what one GPU after another would") {
  std::size_t changed = 0;
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    const MixProblem problem = random_problem(random);
    const MixSolution solution = solve_mix(problem);
    CHECK_FALSE(solution.optimal);
    CHECK(solution.choices == one_by_one(problem, solution.before));
    changed += solution.choices[0].size();
  }
  CHECK(changed > 1'000);
}

}  // namespace
}  // namespace gpusched::whatif
