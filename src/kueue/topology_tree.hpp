#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gpusched::kueue {

/// A domain of a TopologyTree. Numbers go level by level from the coarsest, within a level in the order of the level
/// values, so that comparing numbers compares values and children are neighbours.
using DomainIndex = std::uint32_t;

struct DomainRange {
  DomainIndex begin = 0, end = 0;

  [[nodiscard]] std::size_t size() const { return end - begin; }
  [[nodiscard]] bool empty() const { return begin == end; }
};

/// The domains of a topology: which contains which.
struct TopologyTree {
  std::vector<DomainRange> levels;    ///< coarse to fine
  std::vector<DomainIndex> parent;    ///< by domain; that of the highest level means nothing
  std::vector<DomainRange> children;  ///< by domain; empty at the lowest level

  [[nodiscard]] std::size_t size() const { return parent.size(); }
  [[nodiscard]] DomainRange leaves() const { return levels.back(); }
  /// The domains one level below consecutive ones.
  [[nodiscard]] DomainRange children_of(DomainRange domains) const;
};

/// `leaf_values`: per leaf one value for each of `levels` levels, sorted and distinct.
[[nodiscard]] TopologyTree build_tree(std::span<const std::vector<std::string>> leaf_values, std::size_t levels);

}  // namespace gpusched::kueue
