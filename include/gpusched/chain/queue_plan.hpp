#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/chain/node_labels.hpp"

/// Stage 4: the quota that a ClusterQueue gets from its pool's flavors.
namespace gpusched::chain {

/// Kueue's limit on the flavors of one resource group.
inline constexpr std::size_t kMaxFlavorsPerGroup = 64;

/// A flavor as the plan sees it. `node_labels` and the names point to whoever made it.
struct PlanFlavor {
  std::string_view name;
  std::int64_t count = 0;              ///< per node
  std::int64_t capacity = 0;           ///< nodes x count
  std::string_view profile, topology;  ///< "" when it has none
  const LabelMap* node_labels = nullptr;
};

/// Why a queue keeps its groups as they are: the TopologyReady condition's reasons, in the order of the checks.
enum class PlanProblem : std::uint8_t {
  kNone,
  kDuplicateCoveredResource,
  kUnsupportedExistingObject,
  kTooManyFlavors,
  kMissingTopology,
  kOverlappingSelectors,
  kNonConservedQuota,
  kInvalidMigrationState,
  kQuotaOverflow,  ///< ours: the quota is no int64, which no API server would store
};
[[nodiscard]] std::string_view name_of(PlanProblem problem);

struct FlavorQuota {
  std::string flavor;
  std::int64_t nominal = 0;

  bool operator==(const FlavorQuota&) const = default;
};

/// One resource group, or the reason for none.
struct QuotaPlan {
  std::string resource;              ///< "cpu" or "credits.gpustack.ai/nvidia"
  std::vector<FlavorQuota> flavors;  ///< smallest count per node first, then by name
  PlanProblem problem = PlanProblem::kNone;
  std::string detail;     ///< what exactly, for people
  int retry_seconds = 0;  ///< when the operator looks again; 0: on the next change
  bool operator==(const QuotaPlan&) const = default;
};

/// What the plan is checked against.
struct PlanWorld {
  std::vector<std::string_view> topologies;          ///< names that exist, sorted
  std::vector<const LabelMap*> nodes;                ///< labels of the managed, profiled nodes of the pool
  std::vector<std::string_view> existing_resources;  ///< resources of every existing group, a repetition is a problem
  bool has_groups = false;                           ///< the queue has groups already
  bool tas_queue = true;                             ///< and carries the mark of a topology-aware queue
  bool migration_consistent = true;
};

/// `units` is the quota of one counted thing: 1 core, or 1,600,000 credits of an accelerator. Flavors without capacity
/// are left out.
[[nodiscard]] QuotaPlan plan_quota(std::string_view resource, std::int64_t units, std::vector<PlanFlavor> flavors,
                                   const PlanWorld& world);

}  // namespace gpusched::chain
