#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpusched/kueue/topology.hpp"

namespace gpusched::kueue {

/// One layer of slices: consecutive pods that must share a domain of a level.
struct SliceLayer {
  std::size_t level = 0;
  std::int32_t size = 1;
};

/// A topology request against the levels of one topology.
struct SearchRules {
  std::size_t level = 0;
  std::size_t slice_level = 0;
  std::int32_t slice_size = 1;
  bool required = false;
  bool unconstrained = false;
  bool least_free = false;    ///< profile LeastFreeCapacity; else BestFit
  bool balanced = false;      ///< try balanced placement first
  bool look_further = false;  ///< a required level goes on after the first choice, as with preferred node affinity
  /// By level: pods go to domains of that level in multiples of this, set below the outermost slices; empty without
  /// inner layers.
  std::vector<std::int32_t> inner_size;
  std::vector<SliceLayer> layers;  ///< of a multi-layer request, outermost first, for the failure sentence
  std::string refusal;             ///< why nothing can be searched; else ""

  [[nodiscard]] std::int32_t inner_size_at(std::size_t at) const { return inner_size.empty() ? 0 : inner_size[at]; }
};

[[nodiscard]] SearchRules search_rules(const PodSetNeeds& needs, std::span<const std::string> levels,
                                       const TopologyFeatures& features);

/// FlavorTopology::has_level.
[[nodiscard]] bool has_levels(const objects::PodSetTopologyRequest& request, std::span<const std::string> levels,
                              const TopologyFeatures& features);

}  // namespace gpusched::kueue
