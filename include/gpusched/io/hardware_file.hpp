#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/io/document.hpp"
#include "gpusched/io/gpu_inventory.hpp"

namespace gpusched::io {

/// What a person knows of some nodes' GPUs and a dump does not show.
struct HardwareRule {
  // Which GPUs; all given ones must match, none given matches every GPU.
  std::vector<std::string> products;  ///< compared by words: "H100 80GB HBM3" is NVIDIA-H100-80GB-HBM3
  std::vector<std::string> instance_types;
  std::vector<std::pair<std::string, std::string>> node_selector;
  std::optional<std::int64_t> count;  ///< of the node's GPUs of that kind

  // What they are.
  std::optional<std::string> model;
  std::optional<std::int64_t> memory_mib;
  std::optional<std::int64_t> replicas;  ///< time-slicing: advertised units per GPU
  std::optional<std::int64_t> nvlink_mbps, pcie_mbps;
  std::optional<std::int64_t> network_mbps, gpu_nic_mbps;             ///< of the nodes that have such GPUs
  std::optional<std::vector<std::vector<std::uint32_t>>> islands;     ///< a GPU in no list is alone
  std::optional<std::vector<std::vector<std::uint32_t>>> numa_nodes;  ///< list i: GPUs of NUMA node i

  bool operator==(const HardwareRule&) const = default;
};

struct HardwareFile {
  std::vector<HardwareRule> rules;
  std::string rack_label;                   ///< the label whose value is a node's rack; "": the well-known ones
  std::int32_t oversubscription_milli = 0;  ///< of the links between racks; 0 unknown
};

/// Lays one file over another: its rules come later, what it says of racks wins.
void add_hardware(HardwareFile& hardware, HardwareFile file);

/// Reads `hardware` and `network` of a document (docs/formats/hardware.md). Errors: unknown keys, wrong types, an index
/// twice, a rule that says nothing.
[[nodiscard]] Result<HardwareFile> read_hardware(const Document& document);

/// Lays the matching rules over the groups, in the order of the file: a later rule wins. Lists that name a GPU that the
/// group does not have are left out with a warning "hardware-does-not-fit".
void apply_hardware(GpuInventory& inventory, const NodeFacts& node, const HardwareFile& hardware);

}  // namespace gpusched::io
