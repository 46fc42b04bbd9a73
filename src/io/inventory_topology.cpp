#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "io/inventory_parts.hpp"

// Model, memory, bandwidth, islands and NUMA nodes of a group.
namespace gpusched::io {

namespace {

using Islands = std::vector<std::vector<std::uint32_t>>;

/// `size` neighbours an island; 0: all in one.
Islands islands_of(std::int64_t count, std::size_t size) {
  Islands islands;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i == 0 || (size != 0 && islands.back().size() == size)) islands.emplace_back();
    islands.back().push_back(i);
  }
  return islands;
}

void set_islands(GpuGroup& group, Islands islands, Basis basis, std::string from, Inventory& inventory) {
  // Units that may be replicas make every statement about GPUs a guess.
  group.islands_basis = group.count_basis == CountBasis::kKnown ? basis : std::min(basis, Basis::kAssumed);
  group.islands = std::move(islands);
  inventory.infer(basis == Basis::kAssumed ? "islands (assumed)" : "islands", std::move(from));
}

/// Whether the machine's links are those of the group's GPUs: not when labels name another kind of board.
bool shape_fits(const Shape& shape, const Hints& hints) {
  if (hints.product() == nullptr) return hints.model.empty() || hints.model == shape.product;
  const Product* const product = product_named(shape.product);
  return product != nullptr && product->link == hints.product()->link &&
         product->architecture == hints.product()->architecture;
}

bool islands_from_shape(GpuGroup& group, const Shape& shape, const std::string& from, Inventory& inventory) {
  switch (shape.link) {
    case Link::kUnknown:
      return false;
    case Link::kNone:
      set_islands(group, islands_of(group.count, 1), Basis::kKnown, from, inventory);
      return true;
    case Link::kBridge:
      if (group.count != shape.count) return false;
      set_islands(group, islands_of(group.count, 2), Basis::kKnown, from + ": NVLink bridges between neighbours",
                  inventory);
      return true;
    case Link::kMesh:
      set_islands(group, islands_of(group.count, 0), Basis::kKnown, from + ": cube mesh, not every pair is linked",
                  inventory);
      return true;
    case Link::kSwitch:
    case Link::kRack:
      set_islands(group, islands_of(group.count, 0), Basis::kKnown, from, inventory);
      return true;
  }
  return false;
}

void islands_from_product(GpuGroup& group, const Product& product, Inventory& inventory) {
  switch (product.link) {
    case Link::kNone:
      set_islands(group, islands_of(group.count, 1), Basis::kKnown,
                  fmt::format("product {} has no NVLink", product.name), inventory);
      return;
    case Link::kMesh:
    case Link::kSwitch:
    case Link::kRack:
      set_islands(group, islands_of(group.count, 0), Basis::kAssumed,
                  fmt::format("usual boards of product {}", product.name), inventory);
      return;
    case Link::kBridge:
    case Link::kUnknown:
      return;
  }
}

void lay_islands(GpuGroup& group, const Hints& hints, const Shape* shape, Inventory& inventory) {
  if (group.count <= 0 || group.count > kMostGpus) return;
  if (group.vgpu || group.parts > 1 || group.count == 1) {
    group.islands = islands_of(group.count, 1);
    group.islands_basis = group.count == 1 && group.count_basis == CountBasis::kKnown ? Basis::kKnown : Basis::kAssumed;
    return;
  }
  if (!hints.clique.empty()) {
    set_islands(group, islands_of(group.count, 0), Basis::kKnown, "label nvidia.com/gpu.clique", inventory);
    return;
  }
  if (shape != nullptr && islands_from_shape(group, *shape, hints.shape_from, inventory)) return;
  if (hints.product() != nullptr) islands_from_product(group, *hints.product(), inventory);
}

void lay_numa_nodes(GpuGroup& group, const Shape& shape, const std::string& from, Inventory& inventory) {
  if (shape.numa.empty() || group.count != static_cast<std::int64_t>(shape.numa.size())) return;
  for (const char digit : shape.numa) group.numa_nodes.push_back(digit - '0');
  inventory.infer("NUMA nodes", from);
}

/// What all products that the name leaves open agree on; 0 otherwise.
template <class Member>
std::int64_t agreed(const std::vector<const Product*>& products, Member member) {
  if (products.empty()) return 0;
  const std::int64_t first = products.front()->*member;
  return std::ranges::all_of(products, [&](const Product* product) { return product->*member == first; }) ? first : 0;
}

void describe_memory(GpuGroup& group, const Hints& hints, Inventory& inventory) {
  const bool whole = !group.vgpu && group.parts == 1 && group.mig != MigStrategy::kSingle;
  const std::int64_t typical = group.vgpu ? 0 : agreed(hints.products, &Product::typical_mib);
  const bool rounded = !hints.memory_measured && hints.product() != nullptr && typical > 0 &&
                       hints.memory_mib >= hints.product()->memory_from_mib &&
                       hints.memory_mib <= hints.product()->memory_to_mib;
  if (whole && hints.memory_mib > 0 && !rounded) {
    group.board_memory_mib = hints.memory_mib;
    inventory.infer("memory", hints.memory_from);
  } else if (typical > 0) {
    group.board_memory_mib = typical;
    inventory.infer("memory", fmt::format("product {}", hints.products.front()->name));
  } else if (group.mig_board != nullptr && group.mig_board->memory_total_mib != 0) {
    group.board_memory_mib = group.mig_board->memory_total_mib;
    inventory.infer("memory", fmt::format("MIG board {}", group.mig_board->id));
  }
  if (group.parts > 1) {
    group.unit_memory_mib = hints.shape == nullptr ? 0 : hints.shape->part_mib;
  } else if (group.vgpu) {
    group.unit_memory_mib = hints.memory_mib;
    if (hints.memory_mib > 0) inventory.infer("memory of a vGPU", hints.memory_from);
  } else if (group.mig == MigStrategy::kNone) {
    group.unit_memory_mib = group.board_memory_mib;
  } else if (group.mig == MigStrategy::kSingle) {
    group.unit_memory_mib = hints.memory_mib;
  }
}

}  // namespace

void lay_topology(GpuGroup& group, const Hints& hints, Inventory& inventory) {
  const Shape* const shape = hints.shape != nullptr && shape_fits(*hints.shape, hints) ? hints.shape : nullptr;
  group.nvlink_mbps = shape != nullptr ? shape->nvlink_mbps : agreed(hints.products, &Product::nvlink_mbps);
  group.pcie_mbps =
      shape != nullptr && shape->pcie_mbps != 0 ? shape->pcie_mbps : agreed(hints.products, &Product::pcie_mbps);
  if (group.nvlink_mbps != 0 || group.pcie_mbps != 0) {
    inventory.infer("bandwidth",
                    shape != nullptr ? hints.shape_from : fmt::format("product {}", hints.products.front()->name));
  }
  group.clique = hints.clique;
  lay_islands(group, hints, shape, inventory);
  if (shape != nullptr) lay_numa_nodes(group, *shape, hints.shape_from, inventory);
}

void describe(GpuGroup& group, const Hints& hints, Inventory& inventory) {
  group.model = hints.model;
  if (!hints.model.empty()) inventory.infer("model", hints.model_from);
  if (!hints.products.empty()) group.architecture = hints.products.front()->architecture;
  group.vgpu = group.vgpu || hints.vgpu;
  if (group.vgpu || group.parts > 1) {
    group.mig_board = nullptr;
  } else if (group.mig_board == nullptr) {
    const bool whole = group.mig != MigStrategy::kSingle;
    const std::string name = whole || hints.mig_profile.empty() || hints.product() != nullptr
                                 ? group.model
                                 : fmt::format("{}-MIG-{}", group.model, hints.mig_profile);
    group.mig_board = mig::find_board(name, whole ? static_cast<std::uint64_t>(hints.memory_mib) : 0);
  }
  if (group.architecture.empty() && group.mig_board != nullptr) group.architecture = group.mig_board->architecture;
  describe_memory(group, hints, inventory);
}

}  // namespace gpusched::io
