#include <algorithm>

#include "kubescheduler/plugins.hpp"

namespace gpusched::kubescheduler {

namespace {

constexpr std::string_view kAnyAddress = "0.0.0.0";

bool conflicts(const HostPort& a, const HostPort& b) {
  return a.port == b.port && a.protocol == b.protocol && (a.ip == b.ip || a.ip == kAnyAddress || b.ip == kAnyAddress);
}

class NodePorts final : public FilterPlugin {
 public:
  NodePorts(Cycle& cycle, std::vector<HostPort> wanted)
      : snapshot_(cycle.snapshot),
        priority_(cycle.pod.priority()),
        wanted_(std::move(wanted)),
        taken_(cycle.reasons.unschedulable("node(s) didn't have free ports for the requested pod ports")) {}

  Status filter(const NodeView& view) override {
    const auto conflicts_with = [&](PodIndex index) {
      const PodState& pod = snapshot_.pod(index);
      return std::ranges::any_of(pod.ports, [&](const HostPort& used) {
        return std::ranges::any_of(wanted_, [&](const HostPort& port) { return conflicts(port, used); }) &&
               !forgotten(view, pod, used);
      });
    };
    return std::ranges::any_of(view.usage.pods, conflicts_with) ? taken_ : Status();
  }

 private:
  /// The scheduler keeps a set of a node's ports, not who uses them: with a pod that preemption takes off the node its
  /// port is free, even if another pod has the same one. Lower pods that stay were taken off and put back after that.
  /// Source: kube-scheduler 1.37.2, framework/types.go, NodeInfo.updateUsedPorts.
  [[nodiscard]] bool forgotten(const NodeView& view, const PodState& pod, const HostPort& used) const {
    return pod.object->priority() >= priority_ && std::ranges::any_of(view.changes, [&](const PodChange& change) {
             return change.count < 0 && std::ranges::find(change.pod->ports, used) != change.pod->ports.end();
           });
  }

  const Snapshot& snapshot_;
  std::int32_t priority_;
  std::vector<HostPort> wanted_;
  Status taken_;
};

}  // namespace

PreFiltered pre_filter_node_ports(Cycle& cycle) {
  std::vector<HostPort> wanted = cycle.state.ports;
  if (wanted.empty()) {
    return {};
  }
  return {{}, std::make_unique<NodePorts>(cycle, std::move(wanted)), false, {}};
}

}  // namespace gpusched::kubescheduler
