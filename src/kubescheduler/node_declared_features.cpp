#include <algorithm>

#include "kubescheduler/plugins.hpp"

namespace gpusched::kubescheduler {

namespace {

/// The features of a node that the pod cannot run without. Source: k8s.io/component-helpers v0.37.2,
/// nodedeclaredfeatures/features.
std::vector<std::string_view> required_features(const objects::PodSpec& spec) {
  const auto any_container = [&](const auto& holds) {
    return std::ranges::any_of(spec.containers, holds) || std::ranges::any_of(spec.init_containers, holds);
  };
  std::vector<std::string_view> features;
  if (any_container([](const objects::Container& container) {
        return std::ranges::find(container.restart_rule_actions, "RestartAllContainers") !=
               container.restart_rule_actions.end();
      })) {
    features.emplace_back("RestartAllContainersOnContainerExits");
  }
  if (spec.host_network && spec.host_users == false) {
    features.emplace_back("UserNamespacesHostNetworkSupport");
  }
  if (any_container([](const objects::Container& container) { return container.has_bind_mount_options; })) {
    features.emplace_back("VolumeBindMountOptions");
  }
  return features;
}

class NodeDeclaredFeatures final : public FilterPlugin {
 public:
  NodeDeclaredFeatures(Cycle& cycle, std::vector<std::string_view> required)
      : required_(std::move(required)),
        missing_(cycle.reasons.unresolvable("node(s) didn't match Pod's required features")) {}

  Status filter(const NodeView& view) override {
    const std::vector<std::string>& declared = view.object().status.declared_features;
    const bool all = std::ranges::all_of(
        required_, [&](std::string_view feature) { return std::ranges::find(declared, feature) != declared.end(); });
    return all ? Status() : missing_;
  }

 private:
  std::vector<std::string_view> required_;
  Status missing_;
};

}  // namespace

PreFiltered pre_filter_node_declared_features(Cycle& cycle) {
  std::vector<std::string_view> required = required_features(cycle.pod.spec);
  if (!cycle.rules.node_declared_features || required.empty()) {
    return {};
  }
  return {{}, std::make_unique<NodeDeclaredFeatures>(cycle, std::move(required)), false, {}};
}

}  // namespace gpusched::kubescheduler
