#include "gpusched/scoring/balanced_allocation.hpp"

#include <algorithm>

#include "kubescheduler/plugins.hpp"
#include "kubescheduler/profile.hpp"
#include "kubescheduler/resource_score.hpp"

namespace gpusched::kubescheduler {

namespace {

class BalancedAllocation final : public ScorePlugin {
 public:
  BalancedAllocation(Cycle& cycle, std::vector<ScoredResource> resources)
      : cycle_(cycle), resources_(std::move(resources)) {}

  std::int64_t score(NodeIndex node) override {
    balances_.clear();
    for (const ScoredResource& resource : resources_) {
      const auto [allocatable, allocated] = allocatable_and_allocated(cycle_, node, resource, false);
      if (allocatable != 0) {
        balances_.push_back({allocated + resource.requested, allocated, allocatable});
      }
    }
    return scoring::balanced_allocation_score(balances_, cycle_.rules.balance_form);
  }

 private:
  Cycle& cycle_;
  std::vector<ScoredResource> resources_;
  std::vector<scoring::ResourceBalance> balances_;
};

}  // namespace

std::unique_ptr<ScorePlugin> pre_score_balanced_allocation(Cycle& cycle, FeasibleNodes) {
  std::vector<ScoredResource> resources;
  for (const objects::ResourceSpec& spec : profile_of(cycle).balanced_allocation.resources) {
    resources.push_back(scored_resource(cycle, spec, cycle.rules.requests, false));
  }
  if (std::ranges::all_of(resources, [](const ScoredResource& resource) { return resource.requested == 0; })) {
    return nullptr;
  }
  return std::make_unique<BalancedAllocation>(cycle, std::move(resources));
}

}  // namespace gpusched::kubescheduler
