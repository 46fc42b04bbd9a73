#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "gpusched/base/quantity.hpp"
#include "gpusched/base/shared.hpp"
#include "gpusched/objects/node_selector.hpp"

/// ResourceSlice of resource.k8s.io as of Kubernetes 1.37. v1, v1beta2 and v1beta1 carry the same fields (v1beta1 nests
/// those of a device in `basic`), so one set of structs serves all three. Source: k8s.io/api v0.37.2, resource/v1.
namespace gpusched::objects {

/// A map of the API in input order, keys unique. Order means nothing to Kubernetes, but it is kept for the reader.
template <class T>
using Named = std::vector<std::pair<std::string, T>>;

/// The value of a key, or nullptr.
template <class T>
[[nodiscard]] const T* find(const Named<T>& values, std::string_view name) {
  for (const auto& [key, value] : values) {
    if (key == name) return &value;
  }
  return nullptr;
}

/// A semantic version as written: "9.0.0".
struct Version {
  std::string text;

  bool operator==(const Version&) const = default;
};

/// The value of a device attribute: exactly one of the API's eight fields. monostate is a field that this version does
/// not know.
using AttributeValue = std::variant<std::monostate, std::int64_t, bool, std::string, Version, std::vector<std::int64_t>,
                                    std::vector<bool>, std::vector<std::string>, std::vector<Version>>;

struct CapacityRange {
  std::optional<Quantity> min, max, step;

  bool operator==(const CapacityRange&) const = default;
};

/// How requests may consume a capacity of a device that can be allocated several times.
struct CapacityRequestPolicy {
  std::optional<Quantity> default_value;  ///< consumed by a request that does not name the capacity
  std::vector<Quantity> valid_values;     ///< ascending
  std::optional<CapacityRange> valid_range;

  bool operator==(const CapacityRequestPolicy&) const = default;
};

struct DeviceCapacity {
  Quantity value;
  std::optional<Shared<CapacityRequestPolicy>> request_policy;  ///< few have one, and it is five times as large

  bool operator==(const DeviceCapacity&) const = default;
};

struct CounterSet {
  std::string name;  ///< unique in the pool
  Named<Quantity> counters;

  bool operator==(const CounterSet&) const = default;
};

/// What a device takes from one counter set of its pool.
struct CounterConsumption {
  std::string counter_set;
  Named<Quantity> counters;
  std::vector<std::string> compatibility_groups;

  bool operator==(const CounterConsumption&) const = default;
};

struct DeviceTaint {
  std::string key;
  std::string value;
  std::string effect;      ///< None, NoSchedule, NoExecute; unknown ones mean None
  std::string time_added;  ///< RFC 3339 as written; "" when not set

  bool operator==(const DeviceTaint&) const = default;
};

/// How an allocated device is accounted on cpu, memory and other allocatable resources of its node.
struct NodeAllocatableMapping {
  std::optional<std::string> capacity_key;
  std::optional<Quantity> capacity_multiplier, device_multiplier;

  bool operator==(const NodeAllocatableMapping&) const = default;
};

struct NodeAllocatableOverhead {
  std::optional<Quantity> per_pod, per_container;

  bool operator==(const NodeAllocatableOverhead&) const = default;
};

struct NodeAllocatableResource {
  std::optional<NodeAllocatableMapping> mapping;
  std::optional<NodeAllocatableOverhead> overhead;

  bool operator==(const NodeAllocatableResource&) const = default;
};

struct Device {
  std::string name;
  Named<AttributeValue> attributes;  ///< names without a domain belong to the driver's
  Named<DeviceCapacity> capacity;    ///< likewise
  std::vector<CounterConsumption> consumes_counters;
  // At most one of the next three, and only with perDeviceNodeSelection.
  std::optional<std::string> node_name;
  std::optional<NodeSelector> node_selector;
  std::optional<bool> all_nodes;
  std::vector<DeviceTaint> taints;
  std::optional<bool> binds_to_node;
  std::vector<std::string> binding_conditions, binding_failure_conditions;
  bool empty_binding_conditions = false;  ///< the list is there and empty: the order of pools looks at its presence
  std::optional<bool> allow_multiple_allocations;
  Named<NodeAllocatableResource> node_allocatable_resources;

  bool operator==(const Device&) const = default;
};

/// All slices of one driver with this name; complete when resource_slice_count of one generation are there.
struct ResourcePool {
  std::string name;
  std::int64_t generation = 0;
  std::int64_t resource_slice_count = 0;

  bool operator==(const ResourcePool&) const = default;
};

struct ResourceSliceSpec {
  std::string driver;
  ResourcePool pool;
  // Exactly one of these four. Set and false is not the same as not set: the allocator looks at the presence.
  std::optional<std::string> node_name;
  std::optional<NodeSelector> node_selector;
  std::optional<bool> all_nodes;
  std::optional<bool> per_device_node_selection;
  std::vector<Device> devices;
  std::vector<CounterSet> shared_counters;  ///< since 1.35 never together with devices
  std::optional<std::string> partition_type_attribute;
  std::vector<std::string> skip_node_operations;

  bool operator==(const ResourceSliceSpec&) const = default;
};

struct ResourceSlice {
  std::string name;  ///< metadata.name
  ResourceSliceSpec spec;

  bool operator==(const ResourceSlice&) const = default;
};

}  // namespace gpusched::objects
