#pragma once

#include <cstddef>
#include <expected>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpusched/dra/features.hpp"
#include "gpusched/dra/node_facts.hpp"
#include "gpusched/objects/resource_slice.hpp"

namespace gpusched::dra {

/// The slices of a cluster, ready to be asked per node. They must outlive it.
class SliceIndex {
 public:
  explicit SliceIndex(std::span<const objects::ResourceSlice> slices);

  using Positions = std::vector<std::size_t>;
  [[nodiscard]] const objects::ResourceSlice& slice(std::size_t position) const { return slices_[position]; }
  [[nodiscard]] std::size_t size() const { return slices_.size(); }
  /// Slices with this nodeName, then those without one, each in input order.
  [[nodiscard]] Positions for_node(const std::string& node) const;
  /// All slices of a pool, whatever node they are for.
  [[nodiscard]] const Positions& of_pool(const std::string& driver, const std::string& pool) const;

 private:
  std::span<const objects::ResourceSlice> slices_;
  std::map<std::string, Positions> on_node_;
  Positions shared_;
  std::map<std::pair<std::string, std::string>, Positions> pools_;
};

/// A pool as one node sees it. Slices are positions in the SliceIndex.
struct Pool {
  std::string driver, name;
  bool incomplete = false;              ///< slices of its generation are missing
  std::string invalid_reason;           ///< "" for a valid pool
  SliceIndex::Positions device_slices;  ///< with devices for this node, in the order of the search
  SliceIndex::Positions other_slices;   ///< of other nodes; only their counters matter
  std::vector<const objects::CounterSet*> counter_sets;

  [[nodiscard]] bool invalid() const { return !invalid_reason.empty(); }
  [[nodiscard]] bool usable() const { return !incomplete && !invalid(); }
};

/// The pools of a node in the order of the search, incomplete and invalid ones included, obsolete ones left out.
/// Error: a node selector that cannot be parsed, in the words of the real allocator.
/// Rule: GatherPools of the implementation. The stable one takes counters from every node's slices, keeps slices in
/// input order, does not look at binding conditions, and has its pools in random order, which are sorted here.
[[nodiscard]] std::expected<std::vector<Pool>, std::string> gather_pools(const SliceIndex& slices,
                                                                         const NodeFacts& node,
                                                                         const Features& features,
                                                                         Implementation implementation);

}  // namespace gpusched::dra
