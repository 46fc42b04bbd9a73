#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/io/document.hpp"
#include "gpusched/mig/layout_text.hpp"

namespace gpusched::io {

/// What a configuration asks of some GPUs of a node.
struct MigPartedRule {
  std::vector<std::uint32_t> pci_ids;             ///< device-filter; empty: every board
  std::optional<std::vector<std::int64_t>> gpus;  ///< indices; none: all
  bool mig_enabled = false;
  std::vector<std::pair<std::string, std::int64_t>> devices;  ///< profile and count, in the order of the text

  bool operator==(const MigPartedRule&) const = default;
};

/// A named configuration of mig-parted: the value of the label nvidia.com/mig.config.
struct MigPartedConfig {
  std::string name;
  std::vector<MigPartedRule> rules;

  bool operator==(const MigPartedConfig&) const = default;
};

/// Reads a file of mig-parted or the ConfigMap that holds it. Rules are mig-parted's (v0.15, api/spec/v1): version v1,
/// no other keys, `devices` all or indices, mig-devices when MIG is on. Errors: what mig-parted refuses, other files.
[[nodiscard]] Result<std::vector<MigPartedConfig>> read_mig_parted_configs(const Document& document);

/// What a configuration makes of one GPU: of the rules that are for it the last, as mig-parted applies them in order.
/// `gpu` is its index; -1: any. Errors: "mig-config-not-on-board" when no rule is for the board, "mig-profile-unknown".
[[nodiscard]] Result<mig::WantedLayout> layout_of(const MigPartedConfig& config, const mig::Board& board,
                                                  std::int64_t gpu);

}  // namespace gpusched::io
