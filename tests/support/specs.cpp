#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "support/builders.hpp"

// The words that describe nodes and pods, and what they look like as documents.
namespace gpusched::testing {

using Json = nlohmann::ordered_json;

NodeSpec& NodeSpec::gpus(int count, std::string_view model, int memory_gib) {
  GpuBlock block;
  block.count = count;
  block.model = model;
  block.memory_gib = memory_gib;
  blocks_.push_back(std::move(block));
  return *this;
}
NodeSpec& NodeSpec::islands(std::vector<std::vector<int>> groups) {
  blocks_.back().islands = std::move(groups);
  return *this;
}
NodeSpec& NodeSpec::one_island() {
  std::vector<int> all(static_cast<std::size_t>(blocks_.back().count));
  std::iota(all.begin(), all.end(), 0);
  return islands({std::move(all)});
}
NodeSpec& NodeSpec::links(int nvlink_gbps, int pcie_gbps) {
  blocks_.back().nvlink_gbps = nvlink_gbps;
  blocks_.back().pcie_gbps = pcie_gbps;
  return *this;
}
NodeSpec& NodeSpec::time_slicing(int replicas) {
  blocks_.back().replicas = replicas;
  return *this;
}
NodeSpec& NodeSpec::mig(std::vector<std::vector<std::string>> layouts) {
  blocks_.back().mig = std::move(layouts);
  return *this;
}
NodeSpec& NodeSpec::gpu_resource(std::string_view name) {
  resource_ = name;
  return *this;
}
NodeSpec& NodeSpec::allocatable(std::string_view resource, std::int64_t amount) {
  allocatable_.emplace_back(resource, amount);
  return *this;
}
NodeSpec& NodeSpec::label(std::string_view key, std::string_view value) {
  labels_.emplace_back(key, value);
  return *this;
}
NodeSpec& NodeSpec::taint(std::string_view key, std::string_view value, TaintEffect effect) {
  taints_.push_back({{std::string(key), std::string(value)}, effect});
  return *this;
}
NodeSpec& NodeSpec::cordoned() {
  cordoned_ = true;
  return *this;
}

PodSpec& PodSpec::gpus(int count) {
  facts_.gpus = count;
  return *this;
}
PodSpec& PodSpec::model(std::string_view model) {
  model_ = model;
  return *this;
}
PodSpec& PodSpec::memory_gib(int gib) {
  facts_.gpu_memory_bytes = std::int64_t{gib} << 30;
  return *this;
}
PodSpec& PodSpec::gradient_gb(int gb) {
  facts_.gradient_bytes = gb * std::int64_t{1'000'000'000};
  return *this;
}
PodSpec& PodSpec::nvlink() {
  facts_.nvlink = true;
  return *this;
}
PodSpec& PodSpec::shared() {
  facts_.shared = true;
  return *this;
}
PodSpec& PodSpec::milli(int of_a_gpu) {
  facts_.gpu_milli = of_a_gpu;
  return *this;
}
PodSpec& PodSpec::mig(std::string_view profile, int count) {
  mig_.emplace_back(profile, count);
  return *this;
}
PodSpec& PodSpec::requests(std::string_view resource, std::int64_t amount) {
  requests_.emplace_back(resource, amount);
  return *this;
}
PodSpec& PodSpec::priority(int priority) {
  facts_.priority = priority;
  return *this;
}
PodSpec& PodSpec::never_preempts() {
  facts_.preempts = false;
  return *this;
}
PodSpec& PodSpec::fixed() {
  facts_.fixed = true;
  return *this;
}
PodSpec& PodSpec::tolerates(std::string_view key, std::string_view value) {
  tolerations_.emplace_back(key, value);
  return *this;
}
PodSpec& PodSpec::tolerates_all() {
  return tolerates("");
}
PodSpec& PodSpec::selects(std::string_view key, std::string_view value) {
  selector_.emplace_back(key, value);
  return *this;
}

namespace {

Json amounts(const std::vector<std::pair<std::string, std::int64_t>>& list) {
  Json object = Json::object();
  for (const auto& [resource, amount] : list) {
    object[resource] = std::to_string(amount) + (resource == "cpu" ? "m" : "");
  }
  return object;
}

Json block_json(const GpuBlock& block, const std::string& resource) {
  Json json{{"model", block.model},           {"count", block.count},
            {"memory_gib", block.memory_gib}, {"nvlink_gbps", block.nvlink_gbps},
            {"pcie_gbps", block.pcie_gbps},   {"islands", block.islands},
            {"time_slicing", block.replicas}, {"resource", resource}};
  if (!block.mig.empty()) {
    json["mig"] = block.mig;
  }
  return json;
}

}  // namespace

std::string cluster_json(const std::vector<NodeSpec>& nodes) {
  Json list = Json::array();
  for (const NodeSpec& node : nodes) {
    Json json{{"name", node.name_}, {"unschedulable", node.cordoned_}, {"allocatable", amounts(node.allocatable_)}};
    for (const auto& [key, value] : node.labels_) {
      json["labels"][key] = value;
    }
    for (const auto& [pair, effect] : node.taints_) {
      static constexpr const char* kEffects[] = {"NoSchedule", "PreferNoSchedule", "NoExecute"};
      json["taints"].push_back(
          {{"key", pair.first}, {"value", pair.second}, {"effect", kEffects[static_cast<std::size_t>(effect)]}});
    }
    for (const GpuBlock& block : node.blocks_) {
      json["gpu"].push_back(block_json(block, node.resource_));
    }
    list.push_back(std::move(json));
  }
  return Json{{"nodes", std::move(list)}}.dump(1);
}

std::string pods_json(const std::vector<PodSpec>& pods) {
  Json list = Json::array();
  for (const PodSpec& pod : pods) {
    Json json{{"name", pod.name_},
              {"gpus", pod.facts_.gpus},
              {"memory_gib", pod.facts_.gpu_memory_bytes >> 30},
              {"gradient_gb", pod.facts_.gradient_bytes / 1'000'000'000},
              {"nvlink", pod.facts_.nvlink},
              {"shared", pod.facts_.shared},
              {"priority", pod.facts_.priority},
              {"preemptionPolicy", pod.facts_.preempts ? "PreemptLowerPriority" : "Never"},
              {"requests", amounts(pod.requests_)}};
    if (!pod.model_.empty()) {
      json["model"] = pod.model_;
    }
    for (const auto& [profile, count] : pod.mig_) {
      json["mig"][profile] = count;
    }
    for (const auto& [key, value] : pod.selector_) {
      json["node_selector"][key] = value;
    }
    for (const auto& [key, value] : pod.tolerations_) {
      json["tolerations"].push_back(key.empty() ? Json{{"operator", "Exists"}} : Json{{"key", key}, {"value", value}});
    }
    list.push_back(std::move(json));
  }
  return Json{{"pods", std::move(list)}}.dump(1);
}

}  // namespace gpusched::testing
