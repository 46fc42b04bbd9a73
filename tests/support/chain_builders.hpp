#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpusched/chain/chain.hpp"
#include "gpusched/chain/names.hpp"
#include "gpusched/chain/units.hpp"
#include "gpusched/objects/kueue_workload.hpp"

/// Small inputs of GPUStack's chain: nodes with T4 accelerators that slice 128 times.
namespace gpusched::chain {

inline objects::Node cpu_node(const std::string& name, std::int64_t cores = 8) {
  objects::Node node;
  node.meta.name = name;
  node.meta.labels.edit() = {
      {std::string(kOs), "linux"}, {std::string(kArch), "amd64"}, {std::string(kHostname), name}};
  node.status.capacity = {{"cpu", Quantity::from_int64(cores)}, {"pods", Quantity::from_int64(110)}};
  node.status.conditions = {{"Ready", "True", ""}};
  node.status.allocatable = node.status.capacity;
  return node;
}

/// All accelerators free.
inline objects::Devices t4_devices(const std::string& node, int cards) {
  objects::Devices devices;
  devices.meta.name = node;
  objects::AcceleratorGroup& group = devices.groups.emplace_back();
  group.id = "tesla-t4";
  group.manufacturer = "nvidia";
  group.name = "Tesla T4";
  group.memory_mib = 15360;
  for (int i = 0; i < cards; ++i) {
    objects::Accelerator& card = group.accelerators.emplace_back();
    card.id = node + "-" + std::to_string(i);
    card.index = i;
    card.logical_count = 128;
    card.cores_overcommit = true;
  }
  devices.ledger = free_ledger(devices);
  return devices;
}

/// `cpu` nodes without accelerators and one node for each number of T4 in `t4`.
inline ChainInput cluster(int cpu, const std::vector<int>& t4) {
  ChainInput input;
  for (int i = 0; i < cpu; ++i) input.nodes.push_back(cpu_node("cpu-" + std::to_string(i)));
  for (std::size_t i = 0; i < t4.size(); ++i) {
    const std::string name = "t4-" + std::to_string(i);
    input.nodes.push_back(cpu_node(name));
    input.devices.push_back(t4_devices(name, t4[i]));
  }
  return input;
}

inline const Pool* find_pool(const Chain& chain, const std::string& name) {
  for (const Pool& pool : chain.pools) {
    if (pool.name == name) return &pool;
  }
  return nullptr;
}

inline const std::string kT4Pool = "gpustack--nvidia-tesla-t4-linux-amd64";

/// A container with limits.
inline objects::PodSpec pod_with(const std::vector<std::pair<std::string, std::int64_t>>& limits) {
  objects::PodSpec pod;
  objects::Container& container = pod.containers.emplace_back();
  container.name = "main";
  for (const auto& [key, amount] : limits) container.resources.limits.emplace_back(key, Quantity::from_int64(amount));
  return pod;
}

inline objects::Workload workload(const std::string& name, objects::PodSpec spec, std::int32_t pods,
                                  const std::string& pool = kT4Pool) {
  objects::Workload object;
  object.meta.name = name;
  object.meta.namespace_name = "default";
  object.queue_name = local_queue_name(pool);
  object.pod_sets.push_back({"main", pods, {}, std::move(spec), {}});
  return object;
}

}  // namespace gpusched::chain
