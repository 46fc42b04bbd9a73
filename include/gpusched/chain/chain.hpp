#pragma once

#include <map>
#include <string>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/chain/flavors.hpp"
#include "gpusched/chain/node_facts.hpp"
#include "gpusched/chain/pools.hpp"
#include "gpusched/chain/settings.hpp"
#include "gpusched/objects/gpustack.hpp"
#include "gpusched/objects/node.hpp"

/// The whole chain: Nodes and Devices to capacity keys, flavors, pools and their queues. Everything is what the
/// operator's controllers arrive at once nothing changes any more.
namespace gpusched::chain {

/// An AdmissionCheck of a dump.
struct LiveCheck {
  std::string name;
  std::string controller;
  bool active = true;
};

/// What the chain starts from. The result points into it.
struct ChainInput {
  Settings settings;
  std::vector<objects::Node> nodes;
  std::vector<objects::Devices> devices;
  std::vector<objects::TopologySource> topology_sources;
  std::vector<objects::InstanceType> types;
  std::vector<LiveQueue> queues;
  std::vector<LiveCheck> checks;
  std::vector<std::string> namespaces;                         ///< that are not terminating
  std::map<std::string, std::vector<std::string>> topologies;  ///< levels of existing Topology objects by name
};

/// A Kueue Topology of a profile. Its levels are empty when only its name is known.
struct TopologyPlan {
  std::string profile;
  std::vector<std::string> levels;

  [[nodiscard]] std::string name() const { return "gpustack-" + profile; }
  bool operator==(const TopologyPlan&) const = default;
};

/// A row of the catalog: models regardless of the platform.
struct CatalogEntry {
  std::string name;
  PoolIdentity identity;
  Model model;
  bool sliceable = false;
};

struct Chain {
  std::vector<NodeFacts> nodes;  ///< by name
  std::vector<TopologyPlan> topologies;
  std::vector<Flavor> flavors;  ///< by name
  std::vector<Pool> pools;      ///< by name
  std::vector<CatalogEntry> catalog;
  std::vector<LiveCheck> checks;        ///< AdmissionChecks that queues may refer to
  std::vector<std::string> namespaces;  ///< with a LocalQueue for every pool
  Diagnostics notes;
};

/// Errors: two objects of one name, an invalid TopologySource.
[[nodiscard]] Result<Chain> compute(const ChainInput& input);

/// The pool whose LocalQueues carry that name, or nullptr.
[[nodiscard]] const Pool* pool_of_queue(const Chain& chain, std::string_view local_queue);

/// A chain's InstanceTypes as a dump would show them: they outlive their flavors.
[[nodiscard]] std::vector<objects::InstanceType> live_types(const Chain& chain);

/// A chain's queues as a dump would show them, for a what-if that starts there. `reserved` names the pools whose queues
/// hold workloads.
[[nodiscard]] std::vector<LiveQueue> live_queues(const Chain& chain, const std::vector<std::string>& reserved);

}  // namespace gpusched::chain
