#include "kubescheduler/dynamic_resources.hpp"

#include "kubescheduler/plugins.hpp"

namespace gpusched::kubescheduler {

namespace {
class Stub final : public DynamicResources {
 public:
  PostFilter post_filter() override { return {}; }
  std::vector<ClaimAllocation> allocations(NodeIndex) override { return {}; }
  bool undecided() const override { return false; }
};
}  // namespace
std::string claim_error(const Cycle&) {
  return {};
}
PreFiltered pre_filter_dynamic_resources(Cycle& cycle) {
  cycle.dynamic_resources = std::make_shared<Stub>();
  return {};
}
class ZeroScore final : public ScorePlugin {
 public:
  std::int64_t score(NodeIndex) override { return 0; }
};
std::unique_ptr<ScorePlugin> pre_score_dynamic_resources(Cycle& cycle, FeasibleNodes) {
  return cycle.rules.dra_scores ? std::make_unique<ZeroScore>() : nullptr;
}
}  // namespace gpusched::kubescheduler
