#include "gpusched/chain/chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>

#include "chain/pool_builder.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/chain/names.hpp"
#include "gpusched/chain/topology.hpp"
#include "gpusched/chain/units.hpp"

namespace gpusched::chain {

namespace {

Diagnostic note_of(Severity severity, std::string code, std::string message) {
  Diagnostic note;
  note.severity = severity;
  note.code = std::move(code);
  note.message = std::move(message);
  return note;
}

template <class Objects>
void check_unique(const Objects& list, std::string_view kind, Diagnostics& errors) {
  std::set<std::string_view> seen;
  for (const auto& object : list) {
    if (!seen.insert(object.meta.name).second) {
      errors.push_back(note_of(Severity::kError, "duplicate-object",
                               fmt::format("{} {} is there twice", kind, quote(object.meta.name))));
    }
  }
}

Diagnostics check_input(const ChainInput& input) {
  Diagnostics errors;
  check_unique(input.nodes, "Node", errors);
  check_unique(input.devices, "Devices", errors);
  check_unique(input.types, "InstanceType", errors);
  check_unique(input.queues, "ClusterQueue", errors);
  for (const objects::TopologySource& source : input.topology_sources) {
    if (const Result<bool> good = check_source(source); !good) {
      errors.insert(errors.end(), good.error().begin(), good.error().end());
    }
  }
  return errors;
}

/// The sources with the operator's verdict on their levels, which a dump may be too old to carry.
std::vector<objects::TopologySource> judged_sources(const ChainInput& input, Diagnostics& notes) {
  std::vector<objects::TopologySource> sources = input.topology_sources;
  for (objects::TopologySource& source : sources) {
    if (const std::optional<std::string> problem = hierarchy_problem(source, input.nodes); problem && source.ready) {
      source.ready = false;
      Diagnostic& note = notes.emplace_back();
      note.severity = Severity::kWarning;
      note.code = "invalid-hierarchy";
      note.object = fmt::format("TopologySource {}", source.meta.name);
      note.message = *problem;
      note.hint = "the operator leaves such a source out (InvalidHierarchy): its nodes have no levels above the host";
    }
  }
  return sources;
}

void read_nodes(const ChainInput& input, Chain& chain) {
  const std::vector<objects::TopologySource> sources = judged_sources(input, chain.notes);
  std::unordered_map<std::string_view, const objects::Devices*> devices;
  for (const objects::Devices& object : input.devices) devices.emplace(object.meta.name, &object);
  chain.nodes.reserve(input.nodes.size());
  for (const objects::Node& node : input.nodes) {
    const auto found = devices.find(node.meta.name);
    const objects::Devices* const own = found == devices.end() ? nullptr : found->second;
    chain.nodes.push_back(node_facts(node, own, sources, input.settings, chain.notes));
    if (found != devices.end()) devices.erase(found);
  }
  std::ranges::sort(chain.nodes, {}, &NodeFacts::name);
  for (const objects::Devices& object : input.devices) {
    if (devices.contains(object.meta.name)) {
      chain.notes.push_back(note_of(Severity::kWarning, "devices-without-node",
                                    fmt::format("Devices {} have no Node of that name", quote(object.meta.name))));
    }
  }
}

void collect_topologies(const ChainInput& input, Chain& chain) {
  std::map<std::string, std::vector<std::string>> levels;
  for (const NodeFacts& node : chain.nodes) {
    if (!node.managed) continue;
    std::vector<std::string>& known = levels[node.profile];
    if (known.empty()) known = node.levels;
  }
  for (auto& [profile, known] : levels) {
    TopologyPlan topology{profile, std::move(known)};
    if (topology.levels.empty()) {
      if (const auto existing = input.topologies.find(topology.name()); existing != input.topologies.end()) {
        topology.levels = existing->second;
      }
    }
    chain.topologies.push_back(std::move(topology));
  }
}

/// The two checks that the operator refers to, as the dump has them; both active when the dump has no AdmissionCheck.
void collect_checks(const ChainInput& input, Chain& chain) {
  chain.checks = input.checks;
  if (!input.checks.empty()) return;
  chain.checks.push_back({std::string(kNodeDevicesCheck), "worker.gpustack.ai/node-devices", true});
  chain.checks.push_back({std::string(kJointCheck), "", true});
  chain.notes.push_back(note_of(Severity::kNote, "checks-assumed",
                                "the input has no AdmissionChecks; the operator's two are taken as Active"));
}

void collect_namespaces(const ChainInput& input, Chain& chain) {
  chain.namespaces = input.namespaces;
  if (chain.namespaces.empty()) {
    chain.namespaces.emplace_back("default");
    chain.notes.push_back(note_of(Severity::kNote, "namespaces-assumed",
                                  "the input has no Namespaces; LocalQueues are shown in default"));
  }
  std::erase_if(chain.namespaces, [&](const std::string& name) {
    return name == input.settings.system_namespace || name == "kube-system";
  });
  std::ranges::sort(chain.namespaces);
}

/// A name that the API server refuses stops the chain there: the object can never exist.
void check_names(const Chain& chain, Diagnostics& notes) {
  constexpr std::size_t kMaxName = 253;
  const auto check = [&](std::string_view kind, const std::string& name) {
    const bool fits = name.size() <= kMaxName && std::ranges::all_of(name, [](char c) {
                        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
                      });
    if (fits) return;
    notes.push_back(note_of(Severity::kWarning, "invalid-name",
                            fmt::format("{} {} has a name that no API server takes: at most {} of a-z, 0-9, '-', '.'",
                                        kind, quote(name), kMaxName)));
  };
  const auto check_label = [&](const std::string& owner, const LabelMap& labels) {
    for (const auto& [key, value] : labels) {
      if (is_qualified_name(key) && is_label_value(value)) continue;
      notes.push_back(note_of(Severity::kWarning, "invalid-label",
                              fmt::format("{} would carry the label {}={}, which no API server takes", owner,
                                          quote(key, 100), quote(value))));
    }
  };
  for (const Flavor& flavor : chain.flavors) {
    check("ResourceFlavor", flavor.name);
    check_label("ResourceFlavor " + flavor.name, flavor_labels(flavor));
  }
  for (const Pool& pool : chain.pools) check("ClusterQueue", pool.name);
}

void collect_catalog(const ChainInput& input, Chain& chain) {
  std::map<std::string, CatalogEntry> entries;
  for (const Flavor& flavor : chain.flavors) {
    const PoolIdentity identity = pool_of(flavor.key, input.settings.aware_cpu_manufacturer);
    const auto [entry, added] = entries.try_emplace(catalog_name(identity));
    if (added) {
      entry->second.name = entry->first;
      entry->second.identity = identity;
      entry->second.model = flavor.model;
    }
    for (const std::uint32_t index : flavor.members) {
      const NodeFacts& node = chain.nodes[index];
      for (const CardGroup& group : node.groups) {
        if (group.key == identity.accelerator_group && std::ranges::any_of(group.cards, is_sliceable)) {
          entry->second.sliceable = true;
        }
      }
    }
  }
  for (auto& [name, entry] : entries) chain.catalog.push_back(std::move(entry));
}

}  // namespace

Result<Chain> compute(const ChainInput& input) {
  if (Diagnostics errors = check_input(input); !errors.empty()) return std::unexpected(std::move(errors));
  Chain chain;
  read_nodes(input, chain);
  collect_topologies(input, chain);
  collect_checks(input, chain);
  collect_namespaces(input, chain);
  chain.flavors = make_flavors(chain.nodes, input.settings);
  build_pools(input, chain);
  collect_catalog(input, chain);
  check_names(chain, chain.notes);
  return chain;
}

const Pool* pool_of_queue(const Chain& chain, std::string_view local_queue) {
  const auto found = std::ranges::find(chain.pools, local_queue, &Pool::local_queue);
  return found == chain.pools.end() ? nullptr : &*found;
}

std::vector<objects::InstanceType> live_types(const Chain& chain) {
  std::vector<objects::InstanceType> types;
  for (const Pool& pool : chain.pools) {
    if (!pool.type_exists || pool.state.type_deleting) continue;
    objects::InstanceType& type = types.emplace_back();
    type.meta.name = pool.name;
    if (pool.authored) type.meta.labels.edit().emplace_back(kDerivedFromNode, "true");
    type.acceleratable = pool.identity.acceleratable();
    type.accelerator_group = pool.identity.accelerator_group;
    type.general_group = pool.identity.general_group;
    type.os = pool.identity.os;
    type.arch = pool.identity.arch;
    type.display_name = pool.display_name;
    type.cpu = pool.cpu;
    type.ram = pool.ram;
    type.local_storage = pool.local_storage;
    type.inactive = pool.state.inactive;
    type.memory = pool.memory;
  }
  return types;
}

std::vector<LiveQueue> live_queues(const Chain& chain, const std::vector<std::string>& reserved) {
  std::vector<LiveQueue> queues;
  for (const Pool& pool : chain.pools) {
    LiveQueue& queue = queues.emplace_back();
    queue.meta.name = pool.name;
    for (const auto& [key, value] : schedule_labels(pool.identity)) queue.meta.labels.edit().emplace_back(key, value);
    queue.meta.labels.edit().emplace_back(kObjectType, "instancetypes");
    queue.state = pool.state;
    queue.state.reserved = std::ranges::find(reserved, pool.name) != reserved.end();
    queue.tas_queue = true;
    if (!pool.groups.empty()) queue.resources.push_back(pool.covered_resource);
    queue.flavors = pool.groups;
    for (const FlavorQuota& flavor : pool.groups) {
      queue.reported.push_back(flavor.flavor);
      if (queue.state.reserved) queue.busy.push_back(flavor.flavor);
    }
  }
  return queues;
}

}  // namespace gpusched::chain
