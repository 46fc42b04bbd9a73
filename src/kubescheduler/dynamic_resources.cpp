#include "kubescheduler/dynamic_resources.hpp"

#include "kubescheduler/claim_state.hpp"
#include "kubescheduler/plugins.hpp"

namespace gpusched::kubescheduler {

namespace {

class DynamicResourcesFilter final : public FilterPlugin {
 public:
  explicit DynamicResourcesFilter(std::shared_ptr<ClaimState> state) : state_(std::move(state)) {}
  Status filter(const NodeView& view) override { return state_->filter(view.index); }

 private:
  std::shared_ptr<ClaimState> state_;
};

class DynamicResourcesScore final : public ScorePlugin {
 public:
  explicit DynamicResourcesScore(ClaimState* state) : state_(state) {}
  std::int64_t score(NodeIndex node) override { return state_ == nullptr ? 0 : state_->score(node); }
  void normalize(std::span<const NodeIndex>, std::span<std::int64_t> scores) override {
    normalize_by_maximum(scores, false);
  }

 private:
  ClaimState* state_;
};

}  // namespace

PreFiltered pre_filter_dynamic_resources(Cycle& cycle) {
  if (!cycle.rules.dynamic_resources) {
    return {};
  }
  auto state = std::make_shared<ClaimState>(cycle);
  cycle.dynamic_resources = state;
  if (const Status status = state->prepare(); !status.ok()) {
    return {status, nullptr, false, {}};
  }
  if (state->empty()) {
    return {};
  }
  return {{}, std::make_unique<DynamicResourcesFilter>(std::move(state)), false, {}};
}

std::unique_ptr<ScorePlugin> pre_score_dynamic_resources(Cycle& cycle, FeasibleNodes) {
  if (!cycle.rules.dra_scores || !cycle.rules.dynamic_resources) {
    return nullptr;
  }
  return std::make_unique<DynamicResourcesScore>(static_cast<ClaimState*>(cycle.dynamic_resources.get()));
}

}  // namespace gpusched::kubescheduler
