#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kueue/topology_rules.hpp"
#include "kueue/topology_tree.hpp"

/// Phase 1 of Kueue's search: how many pods and slices each domain can take.
namespace gpusched::kueue {

/// Pods that a domain can take; while pods are handed out, those that it got. Counts are Kueue's int32 and wrap.
struct DomainState {
  std::int32_t state = 0;        ///< pods
  std::int32_t slice_state = 0;  ///< slices; 0 below the slice level
  std::int32_t state_with_leader = 0;
  std::int32_t slice_state_with_leader = 0;
  std::int32_t leader_state = 0;  ///< 1 when the leader fits
};

/// By domain; the leaves' state, state_with_leader and leader_state are given, everything else is computed for
/// `domains`, consecutive ones of `level`, and all below them. Without `round_inner`, inner slice layers do not count.
void count_up(const TopologyTree& tree, const SearchRules& rules, std::size_t level, DomainRange domains,
              bool round_inner, std::span<DomainState> states);

}  // namespace gpusched::kueue
