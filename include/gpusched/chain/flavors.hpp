#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpusched/chain/node_facts.hpp"
#include "gpusched/chain/settings.hpp"

namespace gpusched::chain {

/// What tells ResourceFlavors apart: the key, the platform, the number per node and the topology profile.
struct FlavorKey {
  std::string general_key;
  std::string accelerator_key;  ///< "" for a CPU flavor
  std::string os, arch;
  std::int64_t count = 0;  ///< CPU cores or accelerators of one node
  std::string profile;

  [[nodiscard]] bool acceleratable() const { return !accelerator_key.empty(); }
  auto operator<=>(const FlavorKey&) const = default;
};

/// "gpustack--amd-epyc-7r32--nvidia-a10g-linux-amd64-1d", with "-<profile>" behind it when asked for.
[[nodiscard]] std::string flavor_name(const FlavorKey& key, bool with_profile);

/// A ResourceFlavor as the operator keeps it: one for each group of equal nodes.
struct Flavor {
  std::string name;
  FlavorKey key;
  std::int64_t nodes = 0;              ///< that contribute
  std::int64_t capacity = 0;           ///< nodes x count
  Model model;                         ///< descriptors of the first node, for an accelerated flavor
  LabelMap cpu_detail;                 ///< of the first node
  std::vector<std::uint32_t> members;  ///< indices of the nodes, ascending
};

/// The flavors of all managed nodes, by name. With instance-type-mixed-on-node off nodes with accelerators are not part
/// of CPU flavors.
[[nodiscard]] std::vector<Flavor> make_flavors(std::span<const NodeFacts> nodes, const Settings& settings);

/// The labels that identify the flavor's pool.
[[nodiscard]] LabelMap flavor_labels(const Flavor& flavor);
/// spec.nodeLabels: which nodes a workload is pinned to.
[[nodiscard]] LabelMap flavor_node_labels(const FlavorKey& key, const Settings& settings);
/// The note.gpustack.ai annotations.
[[nodiscard]] LabelMap flavor_notes(const Flavor& flavor, const Settings& settings);

/// Whether the labels have every wanted one.
[[nodiscard]] bool selects(const LabelMap& wanted, const LabelMap& labels);

}  // namespace gpusched::chain
