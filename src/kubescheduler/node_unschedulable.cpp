#include <algorithm>

#include "kubescheduler/plugins.hpp"

namespace gpusched::kubescheduler {

namespace {

class NodeUnschedulable final : public FilterPlugin {
 public:
  explicit NodeUnschedulable(Cycle& cycle) : cordoned_(cycle.reasons.unresolvable("node(s) were unschedulable")) {}

  Status filter(const NodeView& view) override { return view.object().spec.unschedulable ? cordoned_ : Status(); }

 private:
  Status cordoned_;
};

}  // namespace

PreFiltered pre_filter_node_unschedulable(Cycle& cycle) {
  const objects::Taint taint{"node.kubernetes.io/unschedulable", "", "NoSchedule"};
  const bool tolerated = std::ranges::any_of(cycle.pod.spec->tolerations, [&](const objects::Toleration& toleration) {
    return tolerates(toleration, taint, cycle.rules.compare_tolerations);
  });
  return tolerated ? PreFiltered() : PreFiltered{{}, std::make_unique<NodeUnschedulable>(cycle), false, {}};
}

}  // namespace gpusched::kubescheduler
