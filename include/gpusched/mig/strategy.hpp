#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/mig/board.hpp"

namespace gpusched::mig {

/// The device plugin's `migStrategy`.
enum class Strategy : std::uint8_t {
  kNone,    ///< whole GPUs, whatever their MIG mode
  kSingle,  ///< every instance is one nvidia.com/gpu; all GPUs and instances of the node must be alike
  kMixed,   ///< whole GPUs as nvidia.com/gpu, instances as nvidia.com/mig-<profile>
};

/// One GPU of a node as the device plugin finds it.
struct PluginGpu {
  const Board* board = nullptr;         ///< may be nullptr for a GPU that is not in MIG mode
  bool mig_enabled = false;             ///< may be on without instances
  std::vector<ProfileIndex> instances;  ///< of the board
};

/// Resources with their number, sorted by name.
using PluginResources = std::vector<std::pair<std::string, std::int64_t>>;

/// What the plugin advertises for a node, before sharing multiplies it. Under kSingle it fails, and the node advertises
/// nothing, in three cases ("mig-strategy-single"; the message is the plugin's): a GPU in MIG mode without instances,
/// instances of two types on the node, GPUs with and without MIG mode together. Types are compared by their slices,
/// memory and engines, as the plugin does, so that "1g.24gb" and "1g.24gb+gfx" are one type.
/// Source: k8s-device-plugin v0.20, internal/rm/device_map.go.
[[nodiscard]] Result<PluginResources> advertised(std::span<const PluginGpu> gpus, Strategy strategy);

}  // namespace gpusched::mig
