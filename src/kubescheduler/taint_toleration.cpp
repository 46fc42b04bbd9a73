#include <fmt/format.h>

#include <algorithm>

#include "kubescheduler/node_selection.hpp"
#include "kubescheduler/plugins.hpp"

namespace gpusched::kubescheduler {

namespace {

class TaintTolerationFilter final : public FilterPlugin {
 public:
  explicit TaintTolerationFilter(Cycle& cycle)
      : cycle_(cycle), untolerated_(cycle.reasons.unresolvable("node(s) had untolerated taint(s)")) {}

  Status filter(const NodeView& view) override {
    const objects::Taint* const taint = find_untolerated(view.object(), cycle_.pod, cycle_.rules.compare_tolerations);
    if (taint == nullptr) {
      return {};
    }
    return cycle_.rules.taint_in_message ? cycle_.reasons.unresolvable(fmt::format(
                                               "node(s) had untolerated taint {{{}: {}}}", taint->key, taint->value))
                                         : untolerated_;
  }

 private:
  Cycle& cycle_;
  Status untolerated_;
};

class TaintTolerationScore final : public ScorePlugin {
 public:
  explicit TaintTolerationScore(Cycle& cycle) : cycle_(cycle) {
    for (const objects::Toleration& toleration : cycle.pod.spec->tolerations) {
      if (toleration.effect.empty() || toleration.effect == "PreferNoSchedule") {
        tolerations_.push_back(&toleration);
      }
    }
  }

  std::int64_t score(NodeIndex node) override {
    return std::ranges::count_if(cycle_.snapshot.node(node).object->spec.taints, [&](const objects::Taint& taint) {
      return taint.effect == "PreferNoSchedule" &&
             std::ranges::none_of(tolerations_, [&](const objects::Toleration* toleration) {
               return tolerates(*toleration, taint, cycle_.rules.compare_tolerations);
             });
    });
  }

  void normalize(std::span<const NodeIndex>, std::span<std::int64_t> scores) override {
    normalize_by_maximum(scores, true);
  }

 private:
  Cycle& cycle_;
  std::vector<const objects::Toleration*> tolerations_;
};

}  // namespace

PreFiltered pre_filter_taint_toleration(Cycle& cycle) {
  return {{}, std::make_unique<TaintTolerationFilter>(cycle), false, {}};
}

std::unique_ptr<ScorePlugin> pre_score_taint_toleration(Cycle& cycle, FeasibleNodes) {
  return std::make_unique<TaintTolerationScore>(cycle);
}

}  // namespace gpusched::kubescheduler
