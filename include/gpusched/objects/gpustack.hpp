#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpusched/objects/label_selector.hpp"
#include "gpusched/objects/meta.hpp"

/// Objects of the GPUStack operator (worker.gpustack.ai/v1), as far as its scheduling chain reads them.
/// Source: GPUStack operator v0.9.0-rc2, documentation and API types.
namespace gpusched::objects {

/// A legal place of a partition on the accelerator's memory slices: [start, start + length).
struct PartitionPlacement {
  std::int64_t start = 0;
  std::int64_t length = 0;

  bool operator==(const PartitionPlacement&) const = default;
};

/// A profile that an accelerator in a partitioning mode offers, by the manufacturer's spelling.
struct PartitionProfile {
  std::string name;
  std::int64_t memory_mib = 0;
  std::int64_t compute_slices = 0, memory_slices = 0;
  std::int64_t count = 0;  ///< of this profile alone on an empty accelerator
  std::vector<PartitionPlacement> placements;

  bool operator==(const PartitionProfile&) const = default;
};

/// Where a device hangs on the node's buses; empty texts are unknown.
struct BusPlace {
  std::string pci_bus_id, pci_root_id, numa;
  std::vector<std::string> pci_switches;  ///< nearest first

  bool operator==(const BusPlace&) const = default;
};

struct Accelerator {
  std::string id;
  std::int64_t index = 0;
  bool unhealthy = false;
  std::int64_t logical_count = 0;  ///< slices that it can host at once; 0 in a partitioning mode
  bool cores_overcommit = false;   ///< every slice may claim all of its cores
  std::int64_t physical_count = 0;
  std::vector<PartitionProfile> profiles;
  BusPlace place;

  bool operator==(const Accelerator&) const = default;
};

/// The accelerators of one model on a node: spec.groups[].
struct AcceleratorGroup {
  std::string id, manufacturer, name;
  std::int64_t memory_mib = 0;
  std::int64_t cores = 0;
  std::string driver_version, runtime_version, compute_capability, family;
  std::vector<Accelerator> accelerators;
  std::optional<bool> cores_overcommit;  ///< acceleratorSlicedDetail.logical.coresPercentageOvercommit

  bool operator==(const AcceleratorGroup&) const = default;
};

/// An RDMA endpoint: an interface or one of its virtual functions.
struct RdmaEndpoint {
  std::string name;
  bool rdma = false;
  std::optional<std::string> link_state;  ///< OK, Unverified, Failed; none: nobody looked
  BusPlace place;

  bool operator==(const RdmaEndpoint&) const = default;
};

struct RdmaInterface {
  RdmaEndpoint endpoint;
  std::vector<RdmaEndpoint> virtual_functions;

  bool operator==(const RdmaInterface&) const = default;
};

struct ProfileCount {
  std::string name;
  std::int64_t count = 0;

  bool operator==(const ProfileCount&) const = default;
};

/// What of an accelerator is taken: a row of status.groups[].accelerators[].
struct LedgerRow {
  std::string id;
  std::int64_t index = 0;
  std::int64_t mode = 0;  ///< chain::Mode
  std::int64_t allocated = 0, remaining = 0;
  std::int64_t allocated_slices = 0;
  std::vector<ProfileCount> allocated_profiles, remaining_profiles;

  bool operator==(const LedgerRow&) const = default;
};

struct LedgerGroup {
  std::string id, manufacturer;
  std::vector<LedgerRow> rows;

  bool operator==(const LedgerGroup&) const = default;
};

/// What the detector saw on the node of the same name (spec) and what of it is taken (status, the ledger).
struct Devices {
  ObjectMeta meta;
  std::vector<AcceleratorGroup> groups;
  std::vector<RdmaInterface> interfaces;
  std::vector<LedgerGroup> ledger;

  bool operator==(const Devices&) const = default;
};

/// Which topology levels the nodes of a selector have.
struct TopologySource {
  ObjectMeta meta;
  Labels node_selector;
  std::vector<std::string> levels;
  bool ready = true;  ///< no condition Ready=False

  bool operator==(const TopologySource&) const = default;
};

struct InstanceType {
  ObjectMeta meta;
  bool acceleratable = false;
  std::string accelerator_group, general_group, os, arch, display_name;
  std::string cpu, ram, local_storage;  ///< of one unit
  bool inactive = false;
  std::string memory;                      ///< of one accelerator: spec.memory, else status.detail.memory; "" unknown
  std::vector<PartitionProfile> profiles;  ///< status.detail.slicedDetail.physical.profiles

  bool operator==(const InstanceType&) const = default;
};

/// What the operator's controllers read of a ClusterQueue: its quota, how it is stopped, and what it holds.
struct OperatorQueue {
  struct Flavor {
    std::string name;
    std::string resource;      ///< the first one that is covered
    std::int64_t nominal = 0;  ///< cores or credits
  };

  ObjectMeta meta;
  std::optional<std::string> stop_policy;  ///< None, Hold, HoldAndDrain; none: unset
  bool has_groups = false;
  std::vector<std::string> covered_resources;  ///< of all groups, repetitions included
  std::vector<Flavor> flavors;                 ///< of all groups, in order
  std::vector<std::string> reported_flavors;   ///< in both status.flavorsReservation and flavorsUsage
  std::vector<std::string> busy_flavors;       ///< with something reserved, used or borrowed
  std::int64_t reserved_cpu_milli = 0;
  bool reserves = false;  ///< workloads hold or are admitted to its quota
  std::int64_t generation = 0;
  std::optional<std::int64_t> active_generation;  ///< that the condition Active was made for
  bool active = true;
  std::string active_reason;
};

/// An AdmissionCheck as the operator sees it.
struct OperatorCheck {
  ObjectMeta meta;
  std::string controller;
  bool active = false;  ///< condition Active is True

  bool operator==(const OperatorCheck&) const = default;
};

/// A Kueue Topology.
struct OperatorTopology {
  ObjectMeta meta;
  std::vector<std::string> levels;

  bool operator==(const OperatorTopology&) const = default;
};

/// One entry of the operator's settings.
struct GpustackSetting {
  std::string name, value;

  bool operator==(const GpustackSetting&) const = default;
};

}  // namespace gpusched::objects
