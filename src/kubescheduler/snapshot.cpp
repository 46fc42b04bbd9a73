#include "gpusched/kubescheduler/snapshot.hpp"

#include <algorithm>

namespace gpusched::kubescheduler {

namespace {

std::string key_of(std::string_view namespace_name, std::string_view name) {
  return std::string(namespace_name).append("/").append(name);
}

bool has_pod_affinity(const objects::Pod& pod) {
  return pod.spec->affinity.pod || pod.spec->affinity.pod_anti;
}

bool has_required_anti_affinity(const objects::Pod& pod) {
  return pod.spec->affinity.pod_anti && !pod.spec->affinity.pod_anti->required.empty();
}

/// Host ports of containers and sidecars. Source: pkg/scheduler/util, GetHostPorts.
std::vector<HostPort> host_ports(const objects::Pod& pod) {
  std::vector<HostPort> ports;
  const auto collect = [&](const objects::Container& container) {
    for (const objects::ContainerPort& port : container.ports) {
      if (port.host_port > 0) {
        ports.push_back({port.host_ip.empty() ? "0.0.0.0" : port.host_ip, port.protocol.empty() ? "TCP" : port.protocol,
                         port.host_port});
      }
    }
  };
  std::ranges::for_each(pod.spec->containers, collect);
  for (const objects::Container& container : pod.spec->init_containers) {
    if (container.is_sidecar()) {
      collect(container);
    }
  }
  return ports;
}

template <class T>
const T* find_in(const std::unordered_map<std::string, std::size_t>& lookup, const std::vector<T>& objects,
                 const std::string& key) {
  const auto found = lookup.find(key);
  return found == lookup.end() ? nullptr : &objects[found->second];
}

void erase_value(std::vector<PodIndex>& list, PodIndex value) {
  std::erase(list, value);
}

}  // namespace

void NodeUsage::add(PodIndex index, const PodState& pod) {
  for (const auto& [resource, amount] : pod.requests) {
    if (resource.index() >= requested.size()) {
      requested.resize(resource.index() + 1);
    }
    requested[resource.index()] += amount;
  }
  non_zero_milli_cpu += pod.non_zero_milli_cpu;
  non_zero_memory += pod.non_zero_memory;
  // Ascending, so that a pod that left and came back stands where it stood.
  pods.insert(std::ranges::upper_bound(pods, index), index);
}

void NodeUsage::remove(PodIndex index, const PodState& pod) {
  for (const auto& [resource, amount] : pod.requests) {
    requested[resource.index()] -= amount;
  }
  non_zero_milli_cpu -= pod.non_zero_milli_cpu;
  non_zero_memory -= pod.non_zero_memory;
  erase_value(pods, index);
}

Snapshot::Snapshot(ClusterObjects objects, const objects::PodRequestRules& rules)
    : objects_(std::make_shared<const ClusterObjects>(std::move(objects))), rules_(rules) {
  for (const char* const name : {"cpu", "memory", "ephemeral-storage"}) {
    intern_resource(name);
  }
  nodes_.reserve(objects_->nodes.size());
  for (const objects::Node& node : objects_->nodes) {
    add_node(node);
  }
  index_objects();
  pods_.reserve(objects_->pods.size());
  for (const objects::Pod& pod : objects_->pods) {
    if (!pod.finished()) {
      add_pod(pod);
    }
  }
}

ResourceIndex Snapshot::intern_resource(const std::string& name) {
  const auto [entry, is_new] = resource_lookup_.try_emplace(name, resources_.size());
  if (is_new) {
    resources_.push_back(name);
  }
  return ResourceIndex(entry->second);
}

std::vector<ResourceAmount> Snapshot::to_amounts(const objects::ResourceAmounts& amounts) {
  std::vector<ResourceAmount> result;
  const auto add = [&](ResourceIndex resource, std::int64_t amount) {
    if (amount != 0) {
      result.push_back({resource, amount});
    }
  };
  add(kCpu, amounts.milli_cpu);
  add(kMemory, amounts.memory);
  add(kEphemeralStorage, amounts.ephemeral_storage);
  for (const auto& [name, amount] : amounts.scalars) {
    result.push_back({intern_resource(name), amount});
  }
  return result;
}

NodeState Snapshot::make_node_state(const objects::Node& object) {
  NodeState node;
  node.object = &object;
  const objects::ResourceAmounts amounts = objects::resource_amounts(object.status.allocatable);
  node.allowed_pods = amounts.pods;
  for (const auto& [resource, amount] : to_amounts(amounts)) {
    if (resource.index() >= node.allocatable.size()) {
      node.allocatable.resize(resource.index() + 1);
      node.offers_resource.resize(resource.index() + 1);
    }
    node.allocatable[resource.index()] = amount;
    node.offers_resource[resource.index()] = true;
  }
  return node;
}

void Snapshot::add_node(const objects::Node& object) {
  node_lookup_.try_emplace(object.meta.name, nodes_.size());
  const NodeIndex index(nodes_.size());
  for (const objects::ContainerImage& image : object.status.images) {
    for (const std::string& name : image.names) {
      const auto [known, is_new] = images_.try_emplace(name, ImageState{image.size_bytes, {}});
      if (is_new || known->second.nodes.back() != index) {
        known->second.nodes.push_back(index);
      }
    }
  }
  nodes_.push_back(make_node_state(object));
}

void Snapshot::replace_node(NodeIndex index, std::shared_ptr<const objects::Node> object) {
  NodeState node = make_node_state(*object);
  node.usage = std::move(nodes_[index.index()].usage);
  nodes_[index.index()] = std::move(node);
  own_nodes_.push_back(std::move(object));
}

NodeIndex Snapshot::append_node(std::shared_ptr<const objects::Node> object) {
  node_lookup_.try_emplace(object->meta.name, nodes_.size());
  nodes_.push_back(make_node_state(*object));
  own_nodes_.push_back(std::move(object));
  return NodeIndex(nodes_.size() - 1);
}

void Snapshot::remove_last_node() {
  const auto found = node_lookup_.find(nodes_.back().name());
  if (found->second == nodes_.size() - 1) {
    node_lookup_.erase(found);
  }
  nodes_.pop_back();
}

void Snapshot::replace_claims(std::shared_ptr<const std::vector<objects::ResourceClaim>> claims) {
  own_claims_ = std::move(claims);
}

PodState Snapshot::to_state(const objects::Pod& pod, const objects::PodDemand& demand) const {
  PodState state;
  state.object = &pod;
  state.non_zero_milli_cpu = demand.non_zero_milli_cpu;
  state.non_zero_memory = demand.non_zero_memory;
  state.ports = host_ports(pod);
  state.requests = {{kCpu, demand.requests.milli_cpu},
                    {kMemory, demand.requests.memory},
                    {kEphemeralStorage, demand.requests.ephemeral_storage}};
  for (const auto& [name, amount] : demand.requests.scalars) {
    // A resource that neither a node nor a bound pod names has no index and can never be there.
    if (const ResourceIndex resource = find_resource(name); resource.valid()) {
      state.requests.push_back({resource, amount});
    }
  }
  return state;
}

PodState Snapshot::make_pod_state(const objects::Pod& pod) const {
  return to_state(pod, objects::pod_demand(pod, rules_));
}

void Snapshot::add_pod(const objects::Pod& pod) {
  const PodIndex index(pods_.size());
  const objects::PodDemand demand = objects::pod_demand(pod, rules_);
  for (const auto& [name, amount] : demand.requests.scalars) {
    intern_resource(name);
  }
  pods_.push_back(to_state(pod, demand));
  if (!pod.node_name.empty()) {
    if (const NodeIndex node = find_node(pod.node_name); node.valid()) {
      bind(index, node);
    }
  } else if (find_node(pod.nominated_node_name).valid()) {
    nominated_pods_.push_back(index);
  }
}

void Snapshot::bind(PodIndex index, NodeIndex node) {
  PodState& pod = pods_[index.index()];
  pod.node = node;
  lowest_priority_ = std::min(lowest_priority_, pod.object->priority());
  nodes_[node.index()].usage.add(index, pod);
  if (has_pod_affinity(*pod.object)) {
    affinity_pods_.push_back(index);
  }
  if (has_required_anti_affinity(*pod.object)) {
    anti_affinity_pods_.push_back(index);
  }
  erase_value(nominated_pods_, index);
}

void Snapshot::unbind(PodIndex index) {
  PodState& pod = pods_[index.index()];
  nodes_[pod.node.index()].usage.remove(index, pod);
  pod.node = NodeIndex();
  erase_value(affinity_pods_, index);
  erase_value(anti_affinity_pods_, index);
}

void Snapshot::index_objects() {
  const auto index = [](Lookup& lookup, const auto& list, const auto& key) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      lookup.try_emplace(key(list[i]), i);
    }
  };
  const auto by_name = [](const auto& object) { return object.meta.name; };
  index(namespace_lookup_, objects_->namespaces, by_name);
  index(volume_lookup_, objects_->volumes, by_name);
  index(storage_class_lookup_, objects_->storage_classes, by_name);
  index(csi_node_lookup_, objects_->csi_nodes, by_name);
  index(volume_claim_lookup_, objects_->volume_claims,
        [](const auto& claim) { return key_of(claim.meta.namespace_name, claim.meta.name); });
  index(resource_claim_lookup_, objects_->resource_claims,
        [](const auto& claim) { return key_of(claim.namespace_name, claim.name); });
}

NodeIndex Snapshot::find_node(std::string_view name) const {
  const auto found = node_lookup_.find(std::string(name));
  return found == node_lookup_.end() ? NodeIndex() : NodeIndex(found->second);
}

ResourceIndex Snapshot::find_resource(std::string_view name) const {
  const auto found = resource_lookup_.find(std::string(name));
  return found == resource_lookup_.end() ? ResourceIndex() : ResourceIndex(found->second);
}

const objects::Labels& Snapshot::namespace_labels(std::string_view name) const {
  static const objects::Labels kNone;
  const auto* const found = find_in(namespace_lookup_, objects_->namespaces, std::string(name));
  return found == nullptr ? kNone : *found->meta.labels;
}

const ImageState* Snapshot::find_image(const std::string& name) const {
  const auto found = images_.find(name);
  return found == images_.end() ? nullptr : &found->second;
}

const objects::PersistentVolumeClaim* Snapshot::find_volume_claim(std::string_view namespace_name,
                                                                  std::string_view name) const {
  return find_in(volume_claim_lookup_, objects_->volume_claims, key_of(namespace_name, name));
}

const objects::PersistentVolume* Snapshot::find_volume(std::string_view name) const {
  return find_in(volume_lookup_, objects_->volumes, std::string(name));
}

const objects::StorageClass* Snapshot::find_storage_class(std::string_view name) const {
  return find_in(storage_class_lookup_, objects_->storage_classes, std::string(name));
}

const objects::CsiNode* Snapshot::find_csi_node(std::string_view name) const {
  return find_in(csi_node_lookup_, objects_->csi_nodes, std::string(name));
}

const objects::ResourceClaim* Snapshot::find_resource_claim(std::string_view namespace_name,
                                                            std::string_view name) const {
  return find_in(resource_claim_lookup_, resource_claims(), key_of(namespace_name, name));
}

}  // namespace gpusched::kubescheduler
