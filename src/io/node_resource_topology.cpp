#include "io/node_resource_topology.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "gpusched/base/quantity.hpp"
#include "gpusched/io/gpu_inventory.hpp"

namespace gpusched::io {

namespace {

std::string_view text_of(const Value& object, std::string_view key) {
  const Value* const value = object.find(key);
  return value != nullptr ? value->text() : std::string_view();
}

std::span<const Value> items_of(const Value& object, std::string_view key) {
  const Value* const value = object.find(key);
  return value != nullptr ? value->items() : std::span<const Value>();
}

struct PolicyName {
  std::string_view name;
  TopologyPolicy policy;
};

// "restricted" of v1alpha2's attribute topologyManagerPolicy; "SingleNUMANodePodLevel" of topologyPolicies, without its
// scope. Source: k8stopologyawareschedwg/noderesourcetopology-api.
constexpr PolicyName kPolicies[] = {
    {"none", TopologyPolicy::kNone},
    {"best-effort", TopologyPolicy::kBestEffort},
    {"restricted", TopologyPolicy::kRestricted},
    {"single-numa-node", TopologyPolicy::kSingleNumaNode},
    {"None", TopologyPolicy::kNone},
    {"BestEffort", TopologyPolicy::kBestEffort},
    {"Restricted", TopologyPolicy::kRestricted},
    {"SingleNUMANode", TopologyPolicy::kSingleNumaNode},
};

std::optional<TopologyPolicy> policy_named(std::string_view text) {
  for (const std::string_view scope : {std::string_view("ContainerLevel"), std::string_view("PodLevel")}) {
    if (text.ends_with(scope)) text.remove_suffix(scope.size());
  }
  const auto row = std::ranges::find(kPolicies, text, &PolicyName::name);
  return row == std::end(kPolicies) ? std::nullopt : std::optional(row->policy);
}

std::optional<TopologyPolicy> policy_of(const Value& root) {
  for (const Value& attribute : items_of(root, "attributes")) {
    if (text_of(attribute, "name") == "topologyManagerPolicy") return policy_named(text_of(attribute, "value"));
  }
  const std::span<const Value> policies = items_of(root, "topologyPolicies");
  return policies.empty() ? std::nullopt : policy_named(policies.front().text());
}

/// GPUs of the zones of type Node, which are named "node-0".
std::vector<std::pair<int, std::int64_t>> gpus_of(const Value& root) {
  std::vector<std::pair<int, std::int64_t>> gpus;
  for (const Value& zone : items_of(root, "zones")) {
    const std::string_view name = text_of(zone, "name");
    int node = -1;
    if (text_of(zone, "type") == "Node" && name.starts_with("node-")) {
      std::from_chars(name.data() + 5, name.data() + name.size(), node);
    }
    std::int64_t count = 0;
    for (const Value& resource : items_of(zone, "resources")) {
      if (classify_resource(text_of(resource, "name")).role != ResourceRole::kDevice) continue;
      const auto capacity = try_parse_quantity(text_of(resource, "capacity"));
      if (capacity && capacity->sign() > 0 && capacity->value() <= static_cast<std::int64_t>(kMaxGpusPerNode)) {
        count += capacity->value();
      }
    }
    if (node >= 0 && node < static_cast<int>(kMaxGpusPerNode) && count > 0) gpus.emplace_back(node, count);
  }
  std::ranges::sort(gpus);
  return gpus;
}

template <class Body>
void each_of_kind(const ClusterDump& dump, std::string_view kind, std::string_view group, Body&& body) {
  for (const Document& document : dump.others) {
    if (text_of(document.root, "kind") == kind && text_of(document.root, "apiVersion").starts_with(group)) {
      body(document.root);
    }
  }
}

}  // namespace

std::map<std::string, NumaFacts, std::less<>> numa_facts(const ClusterDump& dump) {
  std::map<std::string, NumaFacts, std::less<>> facts;
  each_of_kind(dump, "NodeResourceTopology", "topology.node.k8s.io/", [&](const Value& root) {
    const Value* const metadata = root.find("metadata");
    const std::string_view name = metadata == nullptr ? std::string_view() : text_of(*metadata, "name");
    if (!name.empty()) facts.emplace(name, NumaFacts{policy_of(root), gpus_of(root)});
  });
  return facts;
}

bool apply_numa_counts(NodeClass& node_class, const NumaFacts& facts) {
  std::int64_t sum = 0;
  for (const auto& [node, count] : facts.gpus) sum += count;
  const bool unknown = std::ranges::all_of(node_class.gpus, [](const Gpu& gpu) { return gpu.numa_node < 0; });
  if (!unknown || sum == 0 || sum != static_cast<std::int64_t>(node_class.gpus.size())) return false;
  std::size_t gpu = 0;
  for (const auto& [node, count] : facts.gpus) {
    for (std::int64_t i = 0; i < count; ++i) node_class.gpus[gpu++].numa_node = static_cast<std::int16_t>(node);
  }
  return true;
}

std::map<std::string, std::string, std::less<>> compute_domain_cliques(const ClusterDump& dump) {
  std::map<std::string, std::string, std::less<>> cliques;
  each_of_kind(dump, "ComputeDomain", "resource.nvidia.com/", [&](const Value& root) {
    const Value* const status = root.find("status");
    for (const Value& node : status == nullptr ? std::span<const Value>() : items_of(*status, "nodes")) {
      const std::string_view name = text_of(node, "name");
      const std::string_view clique = text_of(node, "cliqueID");
      if (!name.empty() && !clique.empty()) cliques.emplace(name, clique);
    }
  });
  return cliques;
}

}  // namespace gpusched::io
