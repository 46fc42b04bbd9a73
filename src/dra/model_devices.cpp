#include "gpusched/dra/model_devices.hpp"

#include <cstddef>
#include <string>

namespace gpusched::dra {

namespace {

/// What the devices of a node's pool stand for, in the order in which slices_of publishes them.
std::vector<ModelDevice> parts_of(const NodeClass& node_class) {
  std::vector<ModelDevice> parts;
  for (std::size_t gpu = 0; gpu < node_class.gpus.size(); ++gpu) {
    ModelDevice part;
    part.gpu = static_cast<std::uint16_t>(gpu);
    if (!node_class.gpus[gpu].mig) {
      parts.push_back(part);
      continue;
    }
    for (std::size_t i = 0; i < node_class.instances.size(); ++i) {
      if (node_class.instances[i].gpu != gpu) continue;
      part.instance = static_cast<std::uint16_t>(i);
      parts.push_back(part);
    }
  }
  return parts;
}

bool is_held(const ClusterUsage& usage, const ModelDevice& device) {
  if (device.instance != GpuShare::kNoInstance) {
    return usage.instance_holders(device.node)[device.instance].valid();
  }
  const Gpu& gpu = usage.node_class(device.node).gpus[device.gpu];
  return usage.free_milli(device.node)[device.gpu] < kWholeGpuMilli * gpu.replicas;
}

}  // namespace

std::vector<ModelDevice> model_devices(const ClusterShape& shape, std::span<const objects::ResourceSlice> slices) {
  std::vector<ModelDevice> devices;
  std::vector<ModelDevice> parts;
  std::size_t next = 0;
  NodeId node;
  for (const objects::ResourceSlice& slice : slices) {
    const NodeId owner = shape.find_node(slice.spec.node_name.value_or(""));
    if (!owner.valid()) continue;
    if (owner != node) {
      node = owner;
      parts = parts_of(shape.node_classes[shape.nodes[node.index()].node_class.index()]);
      next = 0;
    }
    for (const objects::Device& device : slice.spec.devices) {
      if (next == parts.size()) break;
      ModelDevice& linked = devices.emplace_back(parts[next++]);
      linked.node = node;
      linked.id = {slice.spec.driver, slice.spec.pool.name, device.name};
    }
  }
  return devices;
}

InUse held_devices(const ClusterUsage& usage, std::span<const ModelDevice> devices) {
  InUse held;
  for (const ModelDevice& device : devices) {
    if (is_held(usage, device)) held.devices.insert(device.id);
  }
  return held;
}

std::vector<NodeFacts> node_facts(const ClusterShape& shape) {
  std::vector<NodeFacts> nodes;
  for (const Node& node : shape.nodes) {
    NodeFacts& facts = nodes.emplace_back();
    facts.name = shape.text(node.name);
    const NodeClass& node_class = shape.node_classes[node.node_class.index()];
    for (const auto& [key, value] : shape.label_sets[node_class.labels.index()]) {
      facts.labels.emplace_back(shape.text(key), value.valid() ? shape.text(value) : "");
    }
  }
  return nodes;
}

}  // namespace gpusched::dra
