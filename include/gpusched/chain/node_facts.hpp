#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/chain/capacity.hpp"
#include "gpusched/chain/card.hpp"
#include "gpusched/chain/manufacturer.hpp"
#include "gpusched/chain/node_labels.hpp"
#include "gpusched/chain/settings.hpp"
#include "gpusched/objects/gpustack.hpp"
#include "gpusched/objects/node.hpp"

namespace gpusched::chain {

/// One accelerator model of a node as its labels describe it.
struct Model {
  std::string key;  ///< "nvidia-tesla-t4"
  const Manufacturer* manufacturer = nullptr;
  std::int64_t count = 0;
  std::string memory;         ///< the rounded `.memory` label: "80Gi"; "" unknown
  std::string product;        ///< a label's value: "Tesla-T4"
  std::string family, cores;  ///< "" unknown
  std::string comcap;         ///< compute capability
  std::int32_t cards = -1;    ///< index into NodeFacts::groups; -1: only the labels tell of it
};

/// Stage 3 for one node: what the worker and the device manager make of a Node and its Devices.
struct NodeFacts {
  std::string name, os, arch;
  bool managed = false;
  std::string general_key, general_manufacturer;
  std::int64_t cores = 0;  ///< CPU capacity, rounded up
  bool has_devices = false;
  std::vector<CardGroup> groups;    ///< points into the Devices
  std::vector<Model> models;        ///< by key
  std::vector<std::string> levels;  ///< topology, coarse to fine; empty when only the profile's name is known
  std::string profile;              ///< "fnv64-…"
  LabelMap cpu_detail;              ///< of the annotations feature.gpustack.ai/cpu-*
  LabelMap worker_feature;          ///< labels of the worker's NodeFeature
  LabelMap device_feature;          ///< labels of the device manager's NodeFeature
  LabelMap node_labels;             ///< what the worker writes onto the Node itself: fit labels, the profile
  Amounts bare;                     ///< the device plugin's keys, as the node has them or would get them
  Amounts keys;                     ///< the counting keys
  LabelMap labels;                  ///< every label of the node once the chain has settled
  bool bare_assumed = false;        ///< the node had no device plugin keys; they are what its Devices allow

  [[nodiscard]] bool accelerated() const { return !models.empty(); }
};

/// Everything that one node contributes. `devices` may be nullptr: then labels alone tell of accelerators.
[[nodiscard]] NodeFacts node_facts(const objects::Node& node, const objects::Devices* devices,
                                   std::span<const objects::TopologySource> sources, const Settings& settings,
                                   Diagnostics& notes);

/// Whether the chain writes a label of that key, so that a stale one disappears.
[[nodiscard]] bool is_chain_label(std::string_view key);

}  // namespace gpusched::chain
