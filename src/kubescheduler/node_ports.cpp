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
        wanted_(std::move(wanted)),
        taken_(cycle.reasons.unschedulable("node(s) didn't have free ports for the requested pod ports")) {}

  Status filter(const NodeView& view) override {
    const auto conflicts_with = [&](PodIndex index) {
      return std::ranges::any_of(snapshot_.pod(index).ports, [&](const HostPort& used) {
        return std::ranges::any_of(wanted_, [&](const HostPort& port) { return conflicts(port, used); });
      });
    };
    return std::ranges::any_of(view.usage.pods, conflicts_with) ? taken_ : Status();
  }

 private:
  const Snapshot& snapshot_;
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
