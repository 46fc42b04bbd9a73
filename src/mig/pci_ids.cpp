#include "gpusched/mig/pci_ids.hpp"

#include <algorithm>
#include <string_view>

namespace gpusched::mig {
namespace {

struct PciId {
  std::string_view board;
  std::uint32_t id;
};

// Source: the device filters of gpu-operator's default MIG configurations, and captures;
// src/mig/data/mig-geometry.json.
constexpr PciId kPciIds[] = {
    {"a30-24gb", 0x20b710de},       {"a100-40gb", 0x20b010de},      {"a100-40gb", 0x20b110de},
    {"a100-40gb", 0x20f110de},      {"a100-40gb", 0x20f610de},      {"a100-80gb", 0x20b210de},
    {"a100-80gb", 0x20b510de},      {"a100-80gb", 0x20f310de},      {"a100-80gb", 0x20f510de},
    {"h100-sxm5-80gb", 0x233010de}, {"h100-sxm5-80gb", 0x232410de}, {"h100-pcie-80gb", 0x233110de},
    {"h100-pcie-80gb", 0x232210de}, {"h100-94gb", 0x232110de},      {"h100-94gb", 0x233a10de},
    {"h100-96gb", 0x234210de},      {"h100-96gb", 0x233d10de},      {"h100-96gb", 0x20b610de},
    {"gh200-144gb", 0x234810de},    {"h200-141gb", 0x233510de},     {"h200-141gb", 0x233b10de},
    {"h20-96gb", 0x232910de},       {"b200-180gb", 0x290110de},     {"gb200-186gb", 0x294110de},
    {"b300-269gb", 0x318210de},     {"gb300-278gb", 0x31c210de},    {"rtx-pro-6000-blackwell-96gb", 0x2bb510de},
};

}  // namespace

bool has_pci_id(const Board& board, std::uint32_t id) {
  return std::ranges::any_of(kPciIds, [&](const PciId& row) { return row.board == board.id && row.id == id; });
}

}  // namespace gpusched::mig
