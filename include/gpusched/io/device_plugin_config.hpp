#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/io/document.hpp"
#include "gpusched/io/gpu_inventory.hpp"
#include "gpusched/mig/strategy.hpp"
#include "gpusched/model/kubelet.hpp"

namespace gpusched::io {

/// A resource whose devices are handed out more than once.
struct SharedResource {
  std::string name;        ///< "nvidia.com/gpu"
  std::string advertised;  ///< the same, or "nvidia.com/gpu.shared" with renameByDefault
  std::int64_t replicas = 0;

  bool operator==(const SharedResource&) const = default;
};

/// A configuration of NVIDIA's device plugin, as far as it decides what a node advertises and what pods get.
struct DevicePluginConfig {
  std::string name;  ///< the entry of its ConfigMap; "" for a plain file
  std::optional<mig::Strategy> mig_strategy;
  KubeletFacts kubelet;  ///< mps, one_replica_only and packed
  std::vector<SharedResource> shared;

  /// Replicas of each device that a resource counts, 1 when it is not shared. Both of its names count.
  [[nodiscard]] std::int64_t replicas_of(std::string_view resource) const;

  bool operator==(const DevicePluginConfig&) const = default;
};

/// Reads a configuration file, or every entry of a ConfigMap (docs/formats/device-plugin-config.md). Rules and defaults
/// are the plugin's (k8s-device-plugin v0.20, api/config/v1): version v1, replicas of at least 2, MPS before
/// time-slicing and refusing more than one replica unless told otherwise, `rename` and `devices` without effect.
/// Errors: what the plugin refuses, other kinds of files (named), wrong types. `warnings` gets what it ignores.
[[nodiscard]] Result<std::vector<DevicePluginConfig>> read_device_plugin_configs(const Document& document,
                                                                                 Diagnostics& warnings);

/// The configuration of a node: the one that its label nvidia.com/device-plugin.config names, else the one called
/// "default", else the only one; nullptr when that leaves none. Source: the plugin's config-manager.
/// `label`: its value, "" when the node does not have it.
[[nodiscard]] const DevicePluginConfig* config_of_node(std::span<const DevicePluginConfig> configs,
                                                       std::string_view label);

/// Takes the units of GPUs that nothing else says to be shared as replicas, where the configuration has them.
void apply_device_plugin(GpuInventory& inventory, const NodeFacts& node, const DevicePluginConfig& config);

}  // namespace gpusched::io
