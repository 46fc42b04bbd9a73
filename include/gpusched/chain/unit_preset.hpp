#pragma once

#include <string_view>

namespace gpusched::chain {

/// What one unit of an InstanceType gets when nobody set it.
struct UnitResources {
  int cpu = 1;            ///< cores
  int ram_gib = 2;        ///< printed as "2Gi"
  int storage_gib = 100;  ///< of local storage

  bool operator==(const UnitResources&) const = default;
};

/// Of a pool without accelerators.
[[nodiscard]] constexpr UnitResources cpu_unit() {
  return {};
}
/// Of a pool of accelerators, by the product's family; 4 CPU and 16Gi for a product that the table does not know.
/// Source: GPUStack operator, "Instance Type Unit Resources Reference" and its preset file.
[[nodiscard]] UnitResources accelerated_unit(std::string_view manufacturer, std::string_view product);

}  // namespace gpusched::chain
