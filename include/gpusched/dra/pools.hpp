#pragma once

#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
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
  /// All slices of a pool, whatever node they are for, in input order.
  [[nodiscard]] Positions of_pool(std::string_view driver, std::string_view pool) const;

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  /// Slices that belong together: the first and the last; next_ has those between. Most have one.
  struct Chain {
    std::size_t first = kNone, last = kNone;
  };
  struct PoolId {
    std::string_view driver, pool;
    bool operator==(const PoolId&) const = default;
  };
  struct PoolIdHash {
    std::size_t operator()(const PoolId& id) const;
  };
  using Next = std::vector<std::size_t>;

  static void append(Chain& chain, Next& next, std::size_t position);
  static void collect(const Chain& chain, const Next& next, Positions& positions);

  std::span<const objects::ResourceSlice> slices_;
  std::unordered_map<std::string_view, Chain> on_node_;
  std::unordered_map<PoolId, Chain, PoolIdHash> pools_;
  Next next_on_node_, next_of_pool_;
  Positions shared_;
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
