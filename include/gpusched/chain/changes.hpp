#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/chain/chain.hpp"

/// What-if: changes of the input, each tried on a copy. Errors name the node, accelerator or setting that is not there.
namespace gpusched::chain {

/// A further node like an existing one, `copies` times, with its accelerators free: "<node>-copy-1", …
[[nodiscard]] Result<bool> add_nodes(ChainInput& input, std::string_view like, std::int64_t copies);
/// Takes a node and its Devices away.
[[nodiscard]] Result<bool> remove_node(ChainInput& input, std::string_view node);
/// Sets a label of a node; an empty value removes it.
[[nodiscard]] Result<bool> set_label(ChainInput& input, std::string_view node, std::string_view key,
                                     std::string_view value);
/// Puts an accelerator into its partitioning mode, or takes it out. Only a free one changes its mode. Its profiles are
/// those of its neighbours, else those of NVIDIA's board of that name.
[[nodiscard]] Result<bool> flip_partitioning(ChainInput& input, std::string_view node, std::int64_t index);
/// Replaces the topology sources by one for all nodes.
[[nodiscard]] Result<bool> set_levels(ChainInput& input, std::vector<std::string> levels);

}  // namespace gpusched::chain
