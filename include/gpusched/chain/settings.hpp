#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "gpusched/base/diagnostic.hpp"

namespace gpusched::chain {

/// How ResourceFlavors are called.
enum class FlavorNames : std::uint8_t {
  kDocumented,  ///< without the topology profile, except where two profiles would share a name
  kSource,      ///< always with "-<profile>" behind, as the operator's source does
};

/// The operator's settings that change results, with its defaults. Source: GPUStack operator v0.9.0-rc2.
struct Settings {
  bool node_management_manual = false;  ///< true: nodes are managed only where an admin labels them so
  bool mixed_on_node = true;            ///< instance-type-mixed-on-node: false keeps GPU nodes out of CPU pools
  bool derived_from_node = true;        ///< instance-type-derived-from-node: author InstanceTypes, node-devices check
  bool drain_when_no_flavors = true;    ///< instance-type-drain-when-no-flavors
  bool aware_cpu_manufacturer = false;  ///< instance-type-aware-cpu-manufacturer: a pool per CPU
  bool resources_overcommit = true;     ///< instance-general-resources-overcommit
  bool workload_fit_affinity = true;    ///< pins Workloads to nodes by the fit labels
  bool group_id_with_memory = false;    ///< GPUSTACK_DEVICES_GROUP_ID_WITH_MEMORY
  std::string system_namespace = "gpustack-system";
  FlavorNames flavor_names = FlavorNames::kDocumented;

  bool operator==(const Settings&) const = default;
};

/// The switches by name: "instance-type-mixed-on-node". The names of their environment seeds
/// ("GPUSTACK_INSTANCE_TYPE_MIXED_ON_NODE") are understood too.
[[nodiscard]] std::span<const std::string_view> setting_names();
[[nodiscard]] bool is_setting(std::string_view name);
/// Sets a switch. Errors: "unknown-setting" with a suggestion, "invalid-setting" for anything but true and false.
[[nodiscard]] Result<bool> set(Settings& settings, std::string_view name, std::string_view value);

}  // namespace gpusched::chain
