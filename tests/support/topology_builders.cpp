#include "support/topology_builders.hpp"

#include <fmt/format.h>

namespace gpusched::testing {

using objects::PodSetTopologyRequest;

TopologyFixture::TopologyFixture(std::vector<std::string> levels, kueue::TopologyFeatures features,
                                 std::vector<objects::Toleration> flavor_tolerations)
    : topology_("dc", std::move(levels), {}, std::move(flavor_tolerations), features, names_) {}

objects::Node& TopologyFixture::host(const std::string& block, const std::string& rack, const std::string& name,
                                     int gpus) {
  objects::Node& node = nodes_.emplace_back();
  node.meta.name = name;
  node.meta.labels.edit() = {{kBlock, block}, {kRack, rack}, {kHost, name}};
  node.status.allocatable = {{"nvidia.com/gpu", Quantity::from_int64(gpus)}, {"pods", Quantity::from_int64(110)}};
  node.status.conditions = {{"Ready", "True", ""}};
  other_.emplace_back();
  changed_ = true;
  return node;
}

void TopologyFixture::other_pods(const std::string& name, int gpus) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].meta.name == name) {
      other_[i] = {{names_.intern("nvidia.com/gpu"), gpus}, {names_.intern("pods"), 1}};
    }
  }
  changed_ = true;
}

kueue::FlavorTopology& TopologyFixture::topology() {
  if (std::exchange(changed_, false)) {
    std::vector<kueue::TopologyNode> nodes;
    for (std::size_t i = 0; i < nodes_.size(); ++i) nodes.push_back({&nodes_[i], other_[i]});
    topology_.set_nodes(nodes);
  }
  return topology_;
}

kueue::ResourceRow TopologyFixture::gpus(int count) {
  return {{names_.intern("nvidia.com/gpu"), count}};
}

kueue::PodSetNeeds TopologyFixture::needs(int gpus_per_pod, PodSetTopologyRequest request) {
  kueue::PodSetNeeds needs;
  needs.request = std::move(request);
  needs.per_pod = gpus(gpus_per_pod);
  return needs;
}

std::string TopologyFixture::place(const kueue::PodSetNeeds& needs, int count, bool simulate_empty) {
  return place({{needs, count}}, simulate_empty);
}

std::string TopologyFixture::place(const std::vector<std::pair<kueue::PodSetNeeds, int>>& pod_sets,
                                   bool simulate_empty) {
  std::vector<kueue::PodSetRequest> requests;
  for (std::size_t i = 0; i < pod_sets.size(); ++i) {
    requests.push_back({i, topology().pod_set_class(pod_sets[i].first), pod_sets[i].second});
  }
  const kueue::TopologyPlacement placement = topology().place(requests, simulate_empty);
  if (placement.failure) return placement.failure->reason;
  std::vector<std::string> texts;
  for (const kueue::PodSetPlacement& placed : placement.placed) {
    std::vector<std::string> domains;
    for (const objects::TopologyDomain& domain : topology().to_object(placed.domains).domains) {
      domains.push_back(fmt::format("{}={}", fmt::join(domain.values, ","), domain.count));
    }
    texts.push_back(fmt::format("{}", fmt::join(domains, " ")));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

void TopologyFixture::hold(const std::string& domain, int pods, int gpus_per_pod) {
  const kueue::ResourceRow row = gpus(gpus_per_pod);
  topology().add_usage({topology().domain(std::vector{domain}), pods, &row});
}

void TopologyFixture::release(const std::string& domain, int pods, int gpus_per_pod) {
  const kueue::ResourceRow row = gpus(gpus_per_pod);
  topology().remove_usage({topology().domain(std::vector{domain}), pods, &row});
}

PodSetTopologyRequest required(std::string level) {
  PodSetTopologyRequest request;
  request.required = std::move(level);
  return request;
}

PodSetTopologyRequest preferred(std::string level) {
  PodSetTopologyRequest request;
  request.preferred = std::move(level);
  return request;
}

PodSetTopologyRequest unconstrained() {
  PodSetTopologyRequest request;
  request.unconstrained = true;
  return request;
}

PodSetTopologyRequest sliced(PodSetTopologyRequest request, std::string level, int size) {
  request.slice_topology = std::move(level);
  request.slice_size = size;
  return request;
}

}  // namespace gpusched::testing
