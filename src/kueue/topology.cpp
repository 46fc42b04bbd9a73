#include "gpusched/kueue/topology.hpp"

#include <algorithm>

#include "kueue/flavor_topology.hpp"

namespace gpusched::kueue {

FlavorTopology::FlavorTopology(std::string topology_name, std::vector<std::string> levels, objects::Labels node_labels,
                               std::vector<objects::Toleration> tolerations, TopologyFeatures features,
                               StringTable& resource_names)
    : data_(std::make_unique<Data>(std::move(topology_name), std::move(levels), std::move(node_labels),
                                   std::move(tolerations), features, resource_names)) {}

FlavorTopology::~FlavorTopology() = default;
FlavorTopology::FlavorTopology(FlavorTopology&&) noexcept = default;
FlavorTopology& FlavorTopology::operator=(FlavorTopology&&) noexcept = default;

void FlavorTopology::set_nodes(std::span<const TopologyNode> nodes) {
  data_->set_nodes(nodes);
}

bool FlavorTopology::has_level(const objects::PodSetTopologyRequest& request) const {
  return has_levels(request, data_->levels(), data_->features());
}

std::span<const std::string> FlavorTopology::assignment_levels() const {
  return data_->assignment_levels();
}

DomainId FlavorTopology::domain(std::span<const std::string> values) {
  return data_->names().intern(values);
}

std::span<const std::string> FlavorTopology::values(DomainId domain) const {
  return data_->names().values(domain);
}

objects::TopologyAssignment FlavorTopology::to_object(const DomainAssignment& assignment) const {
  objects::TopologyAssignment object;
  object.levels.assign(assignment_levels().begin(), assignment_levels().end());
  for (const DomainPods& entry : assignment) {
    const auto names = values(entry.domain);
    object.domains.push_back({{names.begin(), names.end()}, entry.pods});
  }
  return object;
}

void FlavorTopology::add_usage(const DomainUsage& usage) {
  data_->change_usage(usage, 1);
}
void FlavorTopology::remove_usage(const DomainUsage& usage) {
  data_->change_usage(usage, -1);
}
bool FlavorTopology::fits(const DomainUsage& usage) const {
  return data_->fits(usage);
}

PodSetClass FlavorTopology::pod_set_class(const PodSetNeeds& needs) {
  return data_->pod_set_class(needs);
}

TopologyPlacement FlavorTopology::place(std::span<const PodSetRequest> requests, bool simulate_empty) {
  return data_->place(requests, simulate_empty);
}

bool is_schedulable(const objects::Node& node) {
  const auto ready = std::ranges::find(node.status.conditions, "Ready", &objects::NodeCondition::type);
  return !node.spec.unschedulable && ready != node.status.conditions.end() && ready->status == "True";
}

bool is_other_pod(const objects::Labels& annotations, std::string_view node_name, std::string_view phase) {
  if (node_name.empty() || phase == "Succeeded" || phase == "Failed") return false;
  return std::ranges::none_of(annotations, [](const auto& annotation) {
    return annotation.first == "kueue.x-k8s.io/podset-preferred-topology" ||
           annotation.first == "kueue.x-k8s.io/podset-required-topology" ||
           annotation.first == "kueue.x-k8s.io/podset-unconstrained-topology";
  });
}

bool asks_topology(const std::optional<objects::PodSetTopologyRequest>& request) {
  return request && (request->unconstrained || request->required || request->preferred || request->slice_topology ||
                     request->slice_size || !request->slice_constraints.empty());
}

}  // namespace gpusched::kueue
