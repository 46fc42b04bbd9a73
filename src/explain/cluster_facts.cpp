#include "explain/cluster_facts.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "gpusched/model/node_pools.hpp"

namespace gpusched::explain {

namespace {

std::string_view pool_of(const objects::Node& node) {
  for (const std::string_view key : pool_label_keys()) {
    if (const std::string* const value = objects::find(node.meta.labels, key)) {
      return *value;
    }
  }
  return {};
}

/// Nodes on which the GPU operator is at work. Source: labels of NVIDIA gpu-operator and mig-parted: mig.config.state,
/// gpu-driver-upgrade-state, gpu.deploy.* = paused-for-….
class OperatorStates {
 public:
  void look_at(const objects::Node& node) {
    for (const auto& [key, value] : node.meta.labels) {
      if (key.starts_with("nvidia.com/")) {
        look_at(node, std::string_view(key).substr(std::string_view("nvidia.com/").size()), value);
      }
    }
  }
  [[nodiscard]] std::vector<Finding> take() { return std::move(findings_); }

 private:
  void look_at(const objects::Node& node, std::string_view key, const std::string& value) {
    constexpr std::string_view kDeploy = "gpu.deploy.";
    if (key == "mig.config.state" && (value == "pending" || value == "rebooting" || value == "failed")) {
      const std::string* const wanted = objects::find(node.meta.labels, "nvidia.com/mig.config");
      say(fmt::format(
          "{}: the MIG change to {} is {}; it is tried again only when the label nvidia.com/mig.config changes "
          "its value",
          node.meta.name, wanted == nullptr ? "(no label)" : *wanted,
          value == "failed" ? "failed" : "not finished (" + value + ")"));
    } else if (key == "gpu-driver-upgrade-state" && value != "upgrade-done" && !value.empty()) {
      say(fmt::format("{}: driver upgrade: {}", node.meta.name, value));
    } else if (key.starts_with(kDeploy) && value.starts_with("paused-")) {
      say(fmt::format("{}: {} is {}", node.meta.name, key.substr(kDeploy.size()), value));
    }
  }
  void say(std::string text) {
    constexpr std::size_t kMaxLines = 5;
    if (findings_.size() < kMaxLines) {
      findings_.push_back({"operator", "", std::move(text)});
    }
  }

  std::vector<Finding> findings_;
};

}  // namespace

ClusterFacts::ClusterFacts(const kubescheduler::Snapshot& snapshot) : half_placed(snapshot) {
  OperatorStates states;
  std::vector<std::string_view> names;
  std::map<std::string, std::uint32_t> classes;
  for (const kubescheduler::NodeState& state : snapshot.nodes()) {
    const objects::Node& node = *state.object;
    names.push_back(pool_of(node));
    states.look_at(node);
    std::string taints = node.spec.unschedulable ? "cordoned\n" : "";
    for (const objects::Taint& taint : node.spec.taints) {
      taints.append(taint.key).append("=").append(taint.value).append(":").append(taint.effect).append("\n");
    }
    taint_classes.push_back(
        classes.try_emplace(std::move(taints), static_cast<std::uint32_t>(classes.size())).first->second);
  }
  operator_states = states.take();
  pools = names;
  std::ranges::sort(pools);
  pools.erase(std::ranges::unique(pools).begin(), pools.end());
  for (const std::string_view name : names) {
    pool_of_node.push_back(static_cast<std::uint32_t>(std::ranges::lower_bound(pools, name) - pools.begin()));
  }
  for (std::size_t i = 0; i < snapshot.pods().size(); ++i) {
    const kubescheduler::PodIndex pod(i);
    if (snapshot.pod(pod).node.valid() && snapshot.pod(pod).object->meta.deletion_timestamp) {
      terminating.push_back(pod);
    }
  }
}

const std::set<std::string>& ClusterFacts::values_of(const kubescheduler::Snapshot& snapshot, const std::string& key) {
  const auto [known, is_new] = label_values.try_emplace(key);
  for (std::size_t i = 0; is_new && i < snapshot.nodes().size(); ++i) {
    if (const std::string* const value = objects::find(snapshot.nodes()[i].object->meta.labels, key)) {
      known->second.insert(*value);
    }
  }
  return known->second;
}

const std::vector<std::pair<std::int64_t, kubescheduler::NodeIndex>>& ClusterFacts::by_free(
    const kubescheduler::Snapshot& snapshot, kubescheduler::ResourceIndex resource) {
  const auto [known, is_new] = free_lists.try_emplace(resource);
  if (is_new) {
    for (std::size_t i = 0; i < snapshot.nodes().size(); ++i) {
      known->second.emplace_back(free_of(snapshot.nodes()[i], resource), kubescheduler::NodeIndex(i));
    }
    std::ranges::sort(known->second);
  }
  return known->second;
}

}  // namespace gpusched::explain
