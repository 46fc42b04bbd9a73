#include "kueue/eligibility.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gpusched/objects/node_match.hpp"
#include "kueue/amounts.hpp"

namespace gpusched::kueue {

namespace {

bool allowed(const GroupState& group, const std::string& key) {
  return std::ranges::binary_search(group.label_keys, key);
}

/// nodeSelector and required node affinity, of both only the keys that a flavor of the group has.
bool matches_labels(const objects::PodSpec& spec, const GroupState& group, const objects::Labels& labels) {
  for (const auto& [key, value] : spec.node_selector) {
    const std::string* const label = objects::find(labels, key);
    if (allowed(group, key) && (label == nullptr || *label != value)) {
      return false;
    }
  }
  if (!spec.affinity.node || !spec.affinity.node->required) {
    return true;
  }
  objects::NodeSelector known;
  for (const objects::NodeSelectorTerm& term : spec.affinity.node->required->terms) {
    objects::NodeSelectorTerm kept;
    std::ranges::copy_if(term.match_expressions, std::back_inserter(kept.match_expressions),
                         [&](const auto& expression) { return allowed(group, expression.key); });
    if (kept.match_expressions.empty()) {
      return true;  // terms are alternatives, and this one says nothing about flavors
    }
    known.terms.push_back(std::move(kept));
  }
  return known.terms.empty() || objects::matches(known, labels, "");
}

}  // namespace

const std::string& Eligibility::reason(QueueId queue, std::size_t group, std::size_t flavor,
                                       const PodSetState& pod_set) {
  constexpr unsigned kShift = 32;
  const QueueState& where = state_.queues[queue.index()];
  std::size_t slot = flavor;
  for (std::size_t g = 0; g < group; ++g) {
    slot += where.groups[g].flavors.size();
  }
  auto& known = answers_[(std::uint64_t{queue.value} << kShift) | pod_set.pod_class.value];
  if (known.size() <= slot) {
    known.resize(slot + 1);
  }
  if (!known[slot]) {
    const GroupState& flavors = where.groups[group];
    known[slot] = find_reason(where, flavors, flavors.flavors[flavor], pod_set);
  }
  return *known[slot];
}

std::string Eligibility::find_reason(const QueueState& queue, const GroupState& group, FlavorId id,
                                     const PodSetState& pod_set) const {
  const FlavorState& flavor = state_.flavors[id.index()];
  if (flavor.object == nullptr) {
    return fmt::format("flavor {} not found", flavor.name);
  }
  if (state_.features().topology_aware_scheduling) {
    if (std::string reason = topology_reason(queue, group, flavor, pod_set); !reason.empty()) {
      return reason;
    }
  }
  const objects::PodSpec& spec = state_.pods[pod_set.pod_class].spec;
  std::vector<objects::Toleration> tolerations = spec.tolerations;
  tolerations.insert(tolerations.end(), flavor.object->tolerations.begin(), flavor.object->tolerations.end());
  if (const objects::Taint* const taint = objects::find_untolerated(flavor.object->node_taints, tolerations, true)) {
    return fmt::format("untolerated taint {{{} {} {} <nil>}} in flavor {}", taint->key, taint->value, taint->effect,
                       flavor.name);
  }
  if (!matches_labels(spec, group, flavor.object->node_labels)) {
    return fmt::format("flavor {} doesn't match node affinity", flavor.name);
  }
  return {};
}

std::string Eligibility::topology_reason(const QueueState& queue, const GroupState& group, const FlavorState& flavor,
                                         const PodSetState& pod_set) const {
  if (topologies_.is_implied(queue, pod_set)) {
    return {};
  }
  if (!topologies_.is_explicit(pod_set)) {
    return flavor.names_topology() ? fmt::format("Flavor \"{}\" supports only TopologyAwareScheduling", flavor.name)
                                   : std::string();
  }
  if (!flavor.names_topology()) {
    // A flavor that only counts quota (of transformed resources) may stand beside the one with the topology.
    const ResourceRow& requests = state_.pods[pod_set.pod_class].requests;
    const bool overlaps = std::ranges::any_of(requests, [&](const auto& r) { return group.covers(r.resource); });
    return overlaps ? fmt::format("Flavor \"{}\" does not support TopologyAwareScheduling", flavor.name)
                    : std::string();
  }
  if (flavor.topology == nullptr) {
    return fmt::format("Flavor \"{}\" information missing in TAS cache", flavor.name);
  }
  return flavor.topology->has_level(*pod_set.object->topology)
             ? std::string()
             : fmt::format("Flavor \"{}\" does not contain the requested level", flavor.name);
}

}  // namespace gpusched::kueue
