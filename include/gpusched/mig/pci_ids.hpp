#pragma once

#include <cstdint>

#include "gpusched/mig/board.hpp"

namespace gpusched::mig {

/// Whether a product with this board has the PCI id, device before vendor as NVML packs them: 0x20B010DE. False for
/// boards of which no id is known.
[[nodiscard]] bool has_pci_id(const Board& board, std::uint32_t id);

}  // namespace gpusched::mig
