#include "whatif/node_packing.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace gpusched::whatif {

using placement::ReasonKind;

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
  std::vector<double> weight(kinds_.size(), 0);  // the share of a node that a pod takes
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    std::int64_t most = 0;
    for (const std::size_t offer : offers) {
      most = std::max(most, most_[kind][offer]);
    }
    if (most > 0) {
      left[kind] = kinds_[kind].count;
      weight[kind] = 1.0 / static_cast<double>(most);
    }
  }
  std::vector<Bin> bins;
  while (std::ranges::any_of(left, [](std::int64_t count) { return count > 0; })) {
    Bin best;
    double best_score = 0;
    for (const std::size_t offer : offers) {
      std::vector<std::int64_t> taken = fill(offer, left);
      double score = 0;
      for (std::size_t kind = 0; kind < taken.size(); ++kind) {
        score += static_cast<double>(taken[kind]) * weight[kind];
      }
      score /= static_cast<double>(std::max<std::int64_t>(prices[offer], 1));
      if (score > best_score) {
        best_score = score;
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
