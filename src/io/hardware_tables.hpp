#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Facts about GPU products and cloud instance types, with their sources in the .inc files.
namespace gpusched::io {

/// How the GPUs of a node are linked beside PCIe.
enum class Link : std::uint8_t {
  kUnknown,
  kNone,
  kBridge,  ///< pairs of boards, if a bridge is plugged in
  kMesh,    ///< direct links, not between all pairs
  kSwitch,  ///< all to all in the node
  kRack,    ///< all to all over several nodes
};

struct Product {
  std::string_view name;  ///< as GPU Feature Discovery or the vendor's labeller spells it
  std::string_view vendor;
  std::string_view architecture;
  std::int64_t memory_from_mib, memory_to_mib;  ///< what drivers and clouds report differs: match by range
  std::int64_t typical_mib;                     ///< what a current driver reports; 0 unknown
  std::int64_t nvlink_mbps, pcie_mbps;          ///< in one direction; 0 none or unknown
  Link link;
  std::span<const std::string_view> names;  ///< in the form of product_words()
  std::span<const std::string_view> gke;    ///< values of cloud.google.com/gke-accelerator
};

struct Shape {
  std::string_view instance_type, provider;
  std::string_view product;
  std::int64_t count;
  std::int64_t parts;     ///< 8 when the VM has an eighth of a GPU
  std::int64_t part_mib;  ///< 0 unknown or whole
  Link link;
  std::int64_t nvlink_mbps, pcie_mbps;
  std::int64_t network_mbps;  ///< of the node in one direction; 0 unknown
  std::string_view numa;      ///< a digit per GPU
};

/// Upper-case words without the vendor's and decoration: "NVIDIA-H100-80GB-HBM3" -> "H100 80GB HBM3".
[[nodiscard]] std::string product_words(std::string_view name);

/// The products that a name leaves open; memory_mib (0 unknown) narrows them by range.
[[nodiscard]] std::vector<const Product*> find_products(std::string_view name, std::int64_t memory_mib);
[[nodiscard]] const Product* find_gke_product(std::string_view label_value);
/// By the table's own spelling only.
[[nodiscard]] const Product* product_named(std::string_view name);

/// Case does not matter: nodes show "standard_nd40rs_v2" too.
[[nodiscard]] const Shape* find_shape(std::string_view instance_type);
/// The on-premises machine of a DMI product name: "DGXA100-920-23687-2530-000" -> "DGX-A100".
[[nodiscard]] const Shape* find_machine(std::string_view dmi_product);

}  // namespace gpusched::io
