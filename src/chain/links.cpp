#include "gpusched/chain/links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gpusched/base/text.hpp"
#include "gpusched/chain/units.hpp"

namespace gpusched::chain {

namespace {

std::optional<BrokenLink> broken_ledger(const NodeFacts& node) {
  const std::string object = "node " + node.name;
  if (node.accelerated() && !node.has_devices) {
    return BrokenLink{Link::kDeviceLedger, object, "no Devices object of that name, labels alone tell of accelerators",
                      "the device manager writes it; --derive-devices fills it in for a what-if"};
  }
  for (const Model& model : node.models) {
    const CardGroup& group = node.groups[static_cast<std::size_t>(model.cards)];
    const auto unknown = std::ranges::count_if(group.cards, [](const Card& card) { return card.ledger == nullptr; });
    if (unknown == 0) continue;
    return BrokenLink{
        Link::kDeviceLedger, object,
        fmt::format("the ledger has no row for {} of {} accelerators {}", unknown, group.cards.size(), model.key),
        "Gate 3 holds workloads until the device plugin has published it"};
  }
  return std::nullopt;
}

/// Capability without the pool key that opens its family.
std::optional<BrokenLink> broken_capacity(const NodeFacts& node) {
  for (const Model& model : node.models) {
    const CardGroup& group = node.groups[static_cast<std::size_t>(model.cards)];
    constexpr std::array kFamilies = {std::pair(".sliced", &is_sliceable), std::pair(".partitioned", &is_partitioned)};
    for (const auto& [suffix, belongs] : kFamilies) {
      const auto cards = std::ranges::count_if(group.cards, *belongs);
      const std::string key = std::string(model.manufacturer->resource) + suffix;
      const auto amount = node.bare.find(key);
      if (cards == 0 || (amount != node.bare.end() && amount->second > 0)) continue;
      return BrokenLink{Link::kCapacity, "node " + node.name,
                        fmt::format("status.capacity has {} {}, though {} accelerators {} could serve it",
                                    amount == node.bare.end() ? "no" : "0", key, cards, model.key),
                        "the device plugin advertises it; without it the worker writes no counting keys"};
    }
  }
  return std::nullopt;
}

std::optional<BrokenLink> broken_node(const NodeFacts& node, const Settings& settings) {
  const std::string object = "node " + node.name;
  if (!node.managed) {
    const auto label = node.labels.find(kManaged);
    const std::string found = label == node.labels.end() ? "is missing" : fmt::format("is {}", quote(label->second));
    return BrokenLink{Link::kNode, object, fmt::format("the label {} {}", kManaged, found),
                      settings.node_management_manual ? "an admin sets it to true (node-management-manual is on)"
                                                      : "an admin sets it to true or removes it"};
  }
  if (node.os.empty() || node.arch.empty()) {
    return BrokenLink{Link::kNode, object, fmt::format("the label {} is missing", node.os.empty() ? kOs : kArch),
                      "the kubelet writes it"};
  }
  if (auto ledger = broken_ledger(node)) return ledger;
  return broken_capacity(node);
}

}  // namespace

std::string_view name_of(Link link) {
  constexpr std::array<std::string_view, 7> kNames = {"node",         "device ledger", "capacity",    "flavor",
                                                      "ClusterQueue", "LocalQueue",    "InstanceType"};
  return kNames[static_cast<std::size_t>(link)];
}

std::optional<BrokenLink> broken_pool(const Pool& pool) {
  const std::string object = "pool " + pool.name;
  if (!pool.type_exists) {
    return BrokenLink{Link::kInstanceType, object, "the ClusterQueue has no InstanceType of its name",
                      "requests cannot be folded into credits without it"};
  }
  if (pool.plan.problem != PlanProblem::kNone) {
    return BrokenLink{Link::kClusterQueue, object, fmt::format("{}: {}", name_of(pool.plan.problem), pool.plan.detail),
                      "the queue keeps the groups that it has, a new one stays on Hold"};
  }
  if (pool.flavors.empty()) {
    return BrokenLink{Link::kFlavor, object, "no managed node contributes a ResourceFlavor",
                      "a node with this model, platform and a profile label brings one"};
  }
  if (pool.state.policy == StopPolicy::kHold || pool.state.policy == StopPolicy::kHoldAndDrain) {
    return BrokenLink{Link::kClusterQueue, object, fmt::format("stopPolicy is {}", name_of(pool.state.policy)),
                      pool.state.inactive ? "spec.inactive of the InstanceType is true" : ""};
  }
  return std::nullopt;
}

std::vector<BrokenLink> broken_links(const Chain& chain, const Settings& settings) {
  std::vector<BrokenLink> links;
  for (const NodeFacts& node : chain.nodes) {
    if (auto link = broken_node(node, settings)) links.push_back(*std::move(link));
  }
  for (const Pool& pool : chain.pools) {
    if (auto link = broken_pool(pool)) links.push_back(*std::move(link));
  }
  return links;
}

}  // namespace gpusched::chain
