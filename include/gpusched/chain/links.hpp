#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/chain/chain.hpp"

namespace gpusched::chain {

/// The links of the chain, in the order in which capacity flows through them.
enum class Link : std::uint8_t { kNode, kDeviceLedger, kCapacity, kFlavor, kClusterQueue, kLocalQueue, kInstanceType };
[[nodiscard]] std::string_view name_of(Link link);  ///< "device ledger"

/// A link that is missing, and what would mend it.
struct BrokenLink {
  Link link;
  std::string object;   ///< "node gpu-01"
  std::string message;  ///< what is missing, with the value that was found
  std::string hint;
};

/// For every node and every pool the first link that is missing; nodes first.
[[nodiscard]] std::vector<BrokenLink> broken_links(const Chain& chain, const Settings& settings);

/// Why nothing can be admitted through a pool: the first missing link on the way to it; none when there is none.
[[nodiscard]] std::optional<BrokenLink> broken_pool(const Pool& pool);

}  // namespace gpusched::chain
