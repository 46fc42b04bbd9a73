#pragma once

#include <string>
#include <string_view>

#include "gpusched/mig/board.hpp"

namespace gpusched::dra {

/// What NVIDIA's driver reports about a GPU's product; empty members are unknown.
struct NvidiaProduct {
  std::string name;                     ///< NVML's: "NVIDIA A100 80GB PCIe"
  std::string_view architecture;        ///< in the spelling of the driver: "Ampere", "Ada Lovelace"
  std::string_view compute_capability;  ///< as a semantic version: "8.0.0"
};

/// The product that a model name means: one of the MIG board's, when a single one fits the name best, or one of a short
/// list of products without MIG. Otherwise the name is the model's own.
[[nodiscard]] NvidiaProduct nvidia_product(std::string_view model, const mig::Board* board);

}  // namespace gpusched::dra
