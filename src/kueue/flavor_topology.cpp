#include "kueue/flavor_topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "gpusched/base/text.hpp"
#include "kueue/topology_keys.hpp"
#include "kueue/wrapping.hpp"

namespace gpusched::kueue {

namespace {

constexpr std::string_view kHostname = "kubernetes.io/hostname";
// Some hundred megabytes of counts; beyond, they are computed anew.
constexpr std::size_t kMostCached = 8'000'000;

bool matches_flavor(const objects::Labels& labels, const objects::Labels& wanted, std::span<const std::string> levels) {
  return std::ranges::all_of(wanted,
                             [&](const auto& label) {
                               const std::string* const value = objects::find(labels, label.first);
                               return value == nullptr ? label.second.empty() : *value == label.second;
                             }) &&
         std::ranges::all_of(levels, [&](const auto& level) { return objects::find(labels, level) != nullptr; });
}

}  // namespace

DomainId DomainNames::intern(std::span<const std::string> values) {
  const auto [entry, added] = ids_.try_emplace(join(values, ","), DomainId(values_.size()));
  if (added) values_.emplace_back(values.begin(), values.end());
  return entry->second;
}

void add_amount(ResourceRow& row, StringId resource, std::int64_t amount) {
  const auto at = std::ranges::lower_bound(row, resource, {}, &ResourceAmount::resource);
  if (at != row.end() && at->resource == resource) {
    at->amount = wrap_add(at->amount, amount);
  } else {
    row.insert(at, {resource, amount});
  }
}

FlavorTopology::Data::Data(std::string topology_name, std::vector<std::string> levels, objects::Labels node_labels,
                           std::vector<objects::Toleration> tolerations, TopologyFeatures features,
                           StringTable& resource_names)
    : topology_name_(std::move(topology_name)),
      levels_(std::move(levels)),
      node_labels_(std::move(node_labels)),
      tolerations_(std::move(tolerations)),
      features_(features),
      resource_names_(resource_names),
      pods_(resource_names.intern("pods")) {
  set_nodes({});
}

bool FlavorTopology::Data::lowest_is_node() const {
  return levels_.back() == kHostname;
}

std::span<const std::string> FlavorTopology::Data::assignment_levels() const {
  return std::span(levels_).last(lowest_is_node() ? 1 : levels_.size());
}

void FlavorTopology::Data::set_nodes(std::span<const TopologyNode> nodes) {
  std::vector<Leaf> leaves = leaves_of(nodes);
  std::ranges::sort(leaves, {}, &Leaf::values);
  std::vector<std::vector<std::string>> values;
  std::vector<ResourceRow> free;
  std::vector<DomainId> domains;
  nodes_.clear();
  for (Leaf& leaf : leaves) {
    domains.push_back(names_.intern(std::span(leaf.values).last(assignment_levels().size())));
    values.push_back(std::move(leaf.values));
    free.push_back(std::move(leaf.free));
    if (lowest_is_node()) nodes_.push_back(leaf.node);
  }
  tree_ = build_tree(values, levels_.size());
  capacity_.set_leaves(std::move(free), std::move(domains));
}

// A host is known by its hostname alone, other domains by the values of all levels. Of nodes that claim the same
// hostname the first says where it is, and all give their room.
std::vector<FlavorTopology::Data::Leaf> FlavorTopology::Data::leaves_of(std::span<const TopologyNode> nodes) {
  std::vector<Leaf> leaves;
  std::unordered_map<std::string, std::size_t> known;
  for (const TopologyNode& node : nodes) {
    const objects::Labels& labels = node.node->meta.labels;
    if (!is_schedulable(*node.node) || !matches_flavor(labels, node_labels_, levels_)) continue;
    std::vector<std::string> values;
    for (const std::string& level : levels_) values.push_back(*objects::find(labels, level));
    const auto [entry, added] = known.try_emplace(lowest_is_node() ? values.back() : join(values, ","), leaves.size());
    if (added) leaves.push_back({std::move(values), node.node, {}});
    ResourceRow& free = leaves[entry->second].free;
    for (const auto& [name, quantity] : node.node->status.allocatable) {
      add_amount(free, resource_names_.intern(name), name == "cpu" ? quantity.milli_value() : quantity.value());
    }
    for (const ResourceAmount& used : node.other_pods) {
      add_amount(free, used.resource, wrap_sub(std::int64_t{0}, used.amount));
    }
  }
  return leaves;
}

bool FlavorTopology::Data::fits(const DomainUsage& usage) {
  const std::uint32_t leaf = capacity_.leaf(usage.domain);
  if (leaf == TopologyCapacity::kNoLeaf) return false;
  PodDemand demand;
  std::vector<std::int64_t> room;
  for (const ResourceAmount& entry : *usage.per_pod) {
    demand.entries.push_back({entry.resource, entry.amount, capacity_.column(entry.resource)});
    room.push_back(capacity_.room(demand.entries.back().column)[leaf]);
  }
  return count_pods(demand, room).pods >= usage.pods;
}

PodSetClass FlavorTopology::Data::pod_set_class(const PodSetNeeds& needs) {
  const auto [entry, added] = class_ids_.try_emplace(needs_key(needs), PodSetClass(classes_.size()));
  if (!added) return entry->second;
  NodeFilter rules{needs.tolerations, needs.node_selector, {}, {}};
  std::ranges::copy(tolerations_, std::back_inserter(rules.tolerations));
  if (needs.affinity) rules.affinity = needs.affinity->required;
  if (needs.affinity && features_.preferred_affinity) rules.preferred = needs.affinity->preferred;
  classes_.push_back({.rules = search_rules(needs, levels_, features_),
                      .group = needs.request ? needs.request->pod_set_group : std::nullopt,
                      .per_pod = needs.per_pod,
                      .demand = pod_demand(needs.per_pod, pods_, resource_names_),
                      .filter = filter(std::move(rules)),
                      .counts = {}});
  for (PodDemand::Entry& request : classes_.back().demand.entries) request.column = capacity_.column(request.resource);
  return entry->second;
}

std::size_t FlavorTopology::Data::filter(NodeFilter filter) {
  const auto [entry, added] = filter_ids_.try_emplace(filter_key(filter), filters_.size());
  if (added) filters_.push_back({std::move(filter), {}});
  return entry->second;
}

const Verdicts& FlavorTopology::Data::verdicts(std::size_t index) {
  Filter& filter = filters_[index];
  if (filter.verdicts.epoch != capacity_.leaves_epoch()) {
    filter.verdicts = judge(filter.rules, nodes_, capacity_.leaves());
    filter.verdicts.epoch = capacity_.leaves_epoch();
    cached_ += capacity_.leaves() / sizeof(DomainState);
  }
  return filter.verdicts;
}

void FlavorTopology::Data::forget_counts() {
  if (cached_ <= kMostCached) return;
  for (Class& known : classes_) known.counts = {};
  for (Filter& known : filters_) known.verdicts = {};
  cached_ = 0;
}

}  // namespace gpusched::kueue
