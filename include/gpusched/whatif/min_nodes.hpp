#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpusched/placement/filter.hpp"
#include "gpusched/whatif/node_shapes.hpp"

namespace gpusched::whatif {

/// A kind of node that could be added. Prices are in millionths of any currency and for any time, the same for all.
struct ShapeOffer {
  NodeTemplate node;
  std::optional<std::int64_t> price;
};

/// What one kind of node alone would need.
struct ShapeNeed {
  std::optional<std::int64_t> nodes;  ///< none: some pod does not fit on it
  std::int64_t at_least = 0;          ///< nodes of it that the pods which fit on it need
};

/// Pods of one class that fit on no node of any kind.
struct NeverFits {
  std::vector<PodId> pods;
  std::vector<placement::Reason> reasons;  ///< by offer
};

/// A pod on an added node.
struct AddedPlace {
  PodId pod;
  std::size_t offer = 0;
  std::int64_t number = 0;  ///< of the node, from 1, among the added ones of its kind
};

struct MinNodesAnswer {
  std::vector<ShapeNeed> shapes;            ///< by offer
  std::vector<std::int64_t> added;          ///< nodes by offer: the mix that was found
  std::int64_t nodes = 0;                   ///< their sum
  std::optional<std::int64_t> price;        ///< of them, when all offers have one
  std::int64_t at_least = 0;                ///< no mix has fewer nodes …
  std::optional<std::int64_t> least_price;  ///< … or costs less
  bool optimal = false;                     ///< what is minimised reaches its bound
  std::vector<NeverFits> never;
  std::vector<AddedPlace> places;  ///< in the order in which the policy places them
};

/// The fewest nodes (with prices: the cheapest mix) to add so that all pods fit, which find no place on the present
/// ones. Nodes are filled one after another with the largest pods first, as the estimator of cluster-autoscaler does
/// (estimator/binpacking_estimator.go); then the policy places the pods on the added nodes, and where it leaves one
/// over a node is added. Pods that fit on no kind of node are named and left out.
[[nodiscard]] MinNodesAnswer min_nodes(const ClusterUsage& usage, std::span<const PodId> pending,
                                       std::span<const ShapeOffer> offers, const placement::Options& options);

}  // namespace gpusched::whatif
