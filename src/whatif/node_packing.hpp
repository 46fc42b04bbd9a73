#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "gpusched/placement/filter.hpp"
#include "gpusched/whatif/min_nodes.hpp"

namespace gpusched::whatif {

/// Pods of one class that need a new node.
struct PodKind {
  PodClassId pod_class;
  std::int64_t count = 0;
};

/// Equal nodes with equal pods on them.
struct Bin {
  std::size_t offer = 0;
  std::int64_t nodes = 0;
  std::vector<std::int64_t> pods;  ///< of one node, by kind
};

/// Fills empty nodes of each offered kind with pods, largest first.
class NodePacking {
 public:
  /// `kinds` in the order in which they are put on a node.
  NodePacking(ShapePtr shape, std::vector<NodeId> prototypes, std::vector<PodKind> kinds,
              const placement::Options& options);

  [[nodiscard]] std::span<const PodKind> kinds() const { return kinds_; }
  /// How many pods of a kind fit on an empty node, alone.
  [[nodiscard]] std::int64_t most(std::size_t kind, std::size_t offer) const { return most_[kind][offer]; }
  [[nodiscard]] bool fits(std::size_t kind, std::size_t offer) const { return most(kind, offer) > 0; }
  /// Whether a pod of the kind fits on an empty node of any offer.
  [[nodiscard]] bool fits_somewhere(std::size_t kind) const;
  [[nodiscard]] placement::Reason reason(std::size_t kind, std::size_t offer);

  /// Packs the pods of all kinds that fit on one of the offers; of these offers every node takes the one that covers
  /// the most for its price. `prices` by offer, 1 each to count nodes.
  [[nodiscard]] std::vector<Bin> pack(std::span<const std::size_t> offers, std::span<const std::int64_t> prices);
  /// Whether one node of the offer holds these pods.
  [[nodiscard]] bool holds(std::size_t offer, std::span<const std::int64_t> pods);

  [[nodiscard]] const ClusterShape& shape() const { return usage_.shape(); }
  [[nodiscard]] const NodeClass& node_class(std::size_t offer) const { return usage_.node_class(prototypes_[offer]); }

 private:
  [[nodiscard]] std::vector<std::int64_t> fill(std::size_t offer, std::span<const std::int64_t> pods);

  ClusterUsage usage_;  // with one empty node of each kind
  std::vector<NodeId> prototypes_;
  std::vector<PodKind> kinds_;
  std::vector<placement::NodeFilter> filters_;  // by kind
  std::vector<std::vector<std::int64_t>> most_;
};

}  // namespace gpusched::whatif
