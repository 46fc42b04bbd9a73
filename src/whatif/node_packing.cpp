#include "whatif/node_packing.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace gpusched::whatif {

using placement::ReasonKind;

namespace {

__extension__ typedef __int128 int128;

/// Shares of nodes are added up in parts of this at most, so that a sum of a million of them times a price is a number.
constexpr std::int64_t kMostParts = std::int64_t{1} << 40;

/// The least common multiple of how many pods of each kind make a node: each of them takes a whole number of parts.
/// Above kMostParts that many parts, and shares are rounded down.
std::int64_t parts_of_node(std::span<const std::int64_t> pods_of_node) {
  std::int64_t parts = 1;
  for (const std::int64_t pods : pods_of_node) {
    if (pods > 0) {
      const std::int64_t factor = pods / std::gcd(parts, pods);
      if (factor > kMostParts / parts) {
        return kMostParts;
      }
      parts *= factor;
    }
  }
  return parts;
}

}  // namespace

NodePacking::NodePacking(ShapePtr shape, std::vector<NodeId> prototypes, std::vector<PodKind> kinds,
                         const placement::Options& options)
    : usage_(std::move(shape)), prototypes_(std::move(prototypes)), kinds_(std::move(kinds)) {
  for (const PodKind& kind : kinds_) {
    filters_.emplace_back(usage_.shape(), kind.pod_class, options);
  }
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    std::vector<std::int64_t> alone(kinds_.size(), 0);
    alone[kind] = kinds_[kind].count;
    std::vector<std::int64_t>& most = most_.emplace_back();
    for (std::size_t offer = 0; offer < prototypes_.size(); ++offer) {
      most.push_back(fill(offer, alone)[kind]);
    }
  }
}

bool NodePacking::fits_somewhere(std::size_t kind) const {
  return std::ranges::any_of(most_[kind], [](std::int64_t most) { return most > 0; });
}

placement::Reason NodePacking::reason(std::size_t kind, std::size_t offer) {
  return filters_[kind].evaluate(usage_, prototypes_[offer]).reason;
}

/// How many of each kind one node takes of these.
std::vector<std::int64_t> NodePacking::fill(std::size_t offer, std::span<const std::int64_t> pods) {
  const NodeId node = prototypes_[offer];
  const ClusterUsage::Mark mark = usage_.mark();
  std::vector<std::int64_t> taken(kinds_.size(), 0);
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    while (taken[kind] < pods[kind] && filters_[kind].evaluate(usage_, node).reason.kind == ReasonKind::kFits) {
      usage_.bind(usage_.add_pod(kinds_[kind].pod_class), node, filters_[kind].choose(usage_, node));
      ++taken[kind];
    }
  }
  usage_.revert(mark);
  return taken;
}

bool NodePacking::holds(std::size_t offer, std::span<const std::int64_t> pods) {
  return std::ranges::equal(fill(offer, pods), pods);
}

std::vector<Bin> NodePacking::pack(std::span<const std::size_t> offers, std::span<const std::int64_t> prices) {
  std::vector<std::int64_t> left(kinds_.size(), 0);
  std::vector<std::int64_t> pods_of_node(kinds_.size(), 0);
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    for (const std::size_t offer : offers) {
      pods_of_node[kind] = std::max(pods_of_node[kind], most_[kind][offer]);
    }
    left[kind] = pods_of_node[kind] > 0 ? kinds_[kind].count : 0;
  }
  const std::int64_t parts = parts_of_node(pods_of_node);
  std::vector<Bin> bins;
  while (std::ranges::any_of(left, [](std::int64_t count) { return count > 0; })) {
    Bin best;
    int128 best_covered = 0;
    std::int64_t best_price = 1;
    for (const std::size_t offer : offers) {
      std::vector<std::int64_t> taken = fill(offer, left);
      int128 covered = 0;
      for (std::size_t kind = 0; kind < taken.size(); ++kind) {
        covered += taken[kind] == 0 ? 0 : int128{taken[kind]} * (parts / pods_of_node[kind]);
      }
      const std::int64_t price = std::max<std::int64_t>(prices[offer], 1);
      if (covered * best_price > best_covered * price) {
        best_covered = covered;
        best_price = price;
        best = {offer, 0, std::move(taken)};
      }
    }
    // As many nodes like this one as there are pods for.
    best.nodes = std::numeric_limits<std::int64_t>::max();
    for (std::size_t kind = 0; kind < left.size(); ++kind) {
      if (best.pods[kind] > 0) {
        best.nodes = std::min(best.nodes, left[kind] / best.pods[kind]);
      }
    }
    for (std::size_t kind = 0; kind < left.size(); ++kind) {
      left[kind] -= best.nodes * best.pods[kind];
    }
    bins.push_back(std::move(best));
  }
  return bins;
}

}  // namespace gpusched::whatif
