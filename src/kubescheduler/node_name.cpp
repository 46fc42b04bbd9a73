#include "kubescheduler/plugins.hpp"

namespace gpusched::kubescheduler {

namespace {

class NodeName final : public FilterPlugin {
 public:
  explicit NodeName(Cycle& cycle)
      : wanted_(cycle.pod.node_name),
        other_(cycle.reasons.unresolvable("node(s) didn't match the requested node name")) {}

  Status filter(const NodeView& view) override { return view.node.name() == wanted_ ? Status() : other_; }

 private:
  const std::string& wanted_;
  Status other_;
};

}  // namespace

PreFiltered pre_filter_node_name(Cycle& cycle) {
  return cycle.pod.node_name.empty() ? PreFiltered() : PreFiltered{{}, std::make_unique<NodeName>(cycle), false, {}};
}

}  // namespace gpusched::kubescheduler
