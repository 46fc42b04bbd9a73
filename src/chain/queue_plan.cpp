#include "gpusched/chain/queue_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

#include "gpusched/base/text.hpp"
#include "gpusched/chain/flavors.hpp"

namespace gpusched::chain {

namespace {

__extension__ typedef __int128 int128;

constexpr int kRetrySeconds = 30;

struct Problem {
  PlanProblem problem = PlanProblem::kNone;
  std::string detail;
};

Problem check_existing(const PlanWorld& world) {
  std::vector<std::string_view> resources = world.existing_resources;
  std::ranges::sort(resources);
  if (const auto twice = std::ranges::adjacent_find(resources); twice != resources.end()) {
    return {PlanProblem::kDuplicateCoveredResource, fmt::format("{} is in two resource groups", *twice)};
  }
  if (world.has_groups && !world.tas_queue) {
    return {PlanProblem::kUnsupportedExistingObject, "the queue has resource groups that the operator did not write"};
  }
  return {};
}

Problem check_topologies(std::span<const PlanFlavor> flavors, const PlanWorld& world) {
  if (flavors.size() > kMaxFlavorsPerGroup) {
    return {PlanProblem::kTooManyFlavors,
            fmt::format("{} flavors, a resource group takes {}", flavors.size(), kMaxFlavorsPerGroup)};
  }
  for (const PlanFlavor& flavor : flavors) {
    if (flavor.profile.empty() || flavor.topology.empty()) {
      return {PlanProblem::kMissingTopology, fmt::format("flavor {} has no topology", flavor.name)};
    }
    if (!std::ranges::binary_search(world.topologies, flavor.topology)) {
      return {PlanProblem::kMissingTopology,
              fmt::format("flavor {} needs the Topology {}, which does not exist", flavor.name, flavor.topology)};
    }
  }
  return {};
}

/// Each pool node belongs to exactly one flavor, and each flavor's capacity is what its nodes have.
Problem check_selection(std::span<const PlanFlavor> flavors, const PlanWorld& world) {
  std::vector<std::int64_t> selected(flavors.size(), 0);
  std::size_t unselected = 0;
  for (const LabelMap* const labels : world.nodes) {
    const PlanFlavor* owner = nullptr;
    for (std::size_t i = 0; i < flavors.size(); ++i) {
      if (!selects(*flavors[i].node_labels, *labels)) continue;
      if (owner != nullptr) {
        return {PlanProblem::kOverlappingSelectors,
                fmt::format("flavors {} and {} select the same node", owner->name, flavors[i].name)};
      }
      owner = &flavors[i];
      ++selected[i];
    }
    if (owner == nullptr) ++unselected;
  }
  for (std::size_t i = 0; i < flavors.size(); ++i) {
    const int128 expected = static_cast<int128>(selected[i]) * flavors[i].count;
    if (expected != flavors[i].capacity) {
      return {PlanProblem::kNonConservedQuota,
              fmt::format("flavor {} counts {}, its {} nodes have {} each", flavors[i].name, flavors[i].capacity,
                          selected[i], flavors[i].count)};
    }
  }
  if (unselected != 0) {
    return {PlanProblem::kNonConservedQuota,
            fmt::format("{} managed nodes of the pool belong to no flavor", unselected)};
  }
  return {};
}

Problem check_plan(std::span<const PlanFlavor> flavors, const PlanWorld& world) {
  Problem problem = check_existing(world);
  if (problem.problem == PlanProblem::kNone) problem = check_topologies(flavors, world);
  if (problem.problem == PlanProblem::kNone) problem = check_selection(flavors, world);
  if (problem.problem == PlanProblem::kNone && !world.migration_consistent) {
    return {PlanProblem::kInvalidMigrationState, "the migration annotations contradict each other"};
  }
  return problem;
}

}  // namespace

std::string_view name_of(PlanProblem problem) {
  constexpr std::array<std::string_view, 9> kNames = {"",
                                                      "DuplicateCoveredResource",
                                                      "UnsupportedExistingObject",
                                                      "TooManyFlavors",
                                                      "MissingTopology",
                                                      "OverlappingSelectors",
                                                      "NonConservedQuota",
                                                      "InvalidMigrationState",
                                                      "QuotaOverflow"};
  return kNames[static_cast<std::size_t>(problem)];
}

QuotaPlan plan_quota(std::string_view resource, std::int64_t units, std::vector<PlanFlavor> flavors,
                     const PlanWorld& world) {
  std::erase_if(flavors, [](const PlanFlavor& flavor) { return flavor.capacity <= 0; });
  std::ranges::sort(flavors, {}, [](const PlanFlavor& flavor) { return std::tuple(flavor.count, flavor.name); });
  QuotaPlan plan;
  plan.resource = resource;
  if (Problem problem = check_plan(flavors, world); problem.problem != PlanProblem::kNone) {
    plan.problem = problem.problem;
    plan.detail = std::move(problem.detail);
    const bool retried =
        plan.problem == PlanProblem::kMissingTopology || plan.problem == PlanProblem::kNonConservedQuota;
    plan.retry_seconds = retried ? kRetrySeconds : 0;
    return plan;
  }
  for (const PlanFlavor& flavor : flavors) {
    const int128 nominal = static_cast<int128>(flavor.capacity) * units;
    if (nominal > std::numeric_limits<std::int64_t>::max()) {
      plan.problem = PlanProblem::kQuotaOverflow;
      plan.detail =
          fmt::format("flavor {}: {} times {} is more than a quantity can hold", flavor.name, flavor.capacity, units);
      plan.flavors.clear();
      return plan;
    }
    plan.flavors.push_back({std::string(flavor.name), static_cast<std::int64_t>(nominal)});
  }
  return plan;
}

}  // namespace gpusched::chain
