#include "gpusched/whatif/min_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "gpusched/model/pod_devices.hpp"
#include "gpusched/placement/placer.hpp"
#include "whatif/min_nodes_bound.hpp"
#include "whatif/node_packing.hpp"

namespace gpusched::whatif {

namespace {

/// The shape without its nodes: pods keep their classes, and only added nodes are looked at.
ShapeBuilder without_nodes(const ClusterShape& shape) {
  ClusterShape empty = shape;
  empty.nodes.clear();
  empty.nodes_by_name.clear();
  empty.name_rank.clear();
  return ShapeBuilder(empty);
}

class MinNodes {
 public:
  MinNodes(const ClusterUsage& usage, std::span<const PodId> pending, std::span<const ShapeOffer> offers,
           const placement::Options& options)
      : usage_(usage), offers_(offers), options_(options) {
    for (const PodId pod : pending) {
      pods_[usage_.pod_class_id(pod)].push_back(pod);
    }
    priced_ = std::ranges::all_of(offers_, [](const ShapeOffer& offer) { return offer.price.has_value(); });
    for (const ShapeOffer& offer : offers_) {
      prices_.push_back(priced_ ? *offer.price : 1);
    }
  }

  MinNodesAnswer run() {
    NodePacking packing = make_packing();
    MinNodesAnswer answer;
    note_never(packing, answer);
    std::vector<std::size_t> all(offers_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const std::vector<std::int64_t> ones(offers_.size(), 1);
    std::vector<std::vector<std::int64_t>> mixes{counts_of(cheaper(packing, packing.pack(all, prices_)))};
    for (std::size_t offer = 0; offer < offers_.size(); ++offer) {
      const std::size_t only[] = {offer};
      std::vector<std::int64_t> counts = counts_of(packing.pack(only, prices_));
      ShapeNeed& need = answer.shapes.emplace_back();
      need.at_least = least_cost(packing, only, ones);
      if (takes_all(packing, offer)) {
        need.nodes = counts[offer];
        mixes.push_back(std::move(counts));
      }
    }
    place_cheapest(packing, std::move(mixes), answer);
    answer.nodes = std::accumulate(answer.added.begin(), answer.added.end(), std::int64_t{0});
    answer.at_least = least_cost(packing, all, ones);
    answer.optimal = answer.nodes == answer.at_least;
    if (priced_) {
      answer.price = saturated(cost(answer.added).first);
      answer.least_price = least_cost(packing, all, prices_);
      answer.optimal = *answer.price == *answer.least_price;
    }
    return answer;
  }

 private:
  NodePacking make_packing() const {
    ShapeBuilder builder = without_nodes(usage_.shape());
    std::vector<NodeId> prototypes;
    for (std::size_t i = 0; i < offers_.size(); ++i) {
      prototypes.push_back(builder.node(fmt::format("{}", i), add_node_class(builder, offers_[i].node)));
    }
    std::vector<PodKind> kinds;
    for (const auto& [id, pods] : pods_) {
      kinds.push_back({id, std::ssize(pods)});
    }
    ShapePtr shape = std::move(builder).build();
    std::ranges::sort(kinds, {}, [&](const PodKind& kind) { return size_of(*shape, kind.pod_class); });
    return NodePacking(std::move(shape), std::move(prototypes), std::move(kinds), options_);
  }

  /// Ascending: the largest first.
  static std::tuple<std::int64_t, std::int64_t, std::int64_t, PodClassId> size_of(const ClusterShape& shape,
                                                                                  PodClassId id) {
    const PodClass& pod = shape.pod_classes[id.index()];
    return {-devices_asked(pod), -pod.non_zero_cpu, -pod.non_zero_memory, id};
  }

  void note_never(NodePacking& packing, MinNodesAnswer& answer) {
    for (std::size_t kind = 0; kind < packing.kinds().size(); ++kind) {
      NeverFits never;
      for (std::size_t offer = 0; offer < offers_.size() && !packing.fits(kind, offer); ++offer) {
        never.reasons.push_back(packing.reason(kind, offer));
      }
      if (never.reasons.size() == offers_.size()) {
        never.pods = pods_.at(packing.kinds()[kind].pod_class);
        answer.never.push_back(std::move(never));
      }
    }
  }

  /// Whether every pod that fits on some kind of node fits on this one.
  bool takes_all(const NodePacking& packing, std::size_t wanted) const {
    for (std::size_t kind = 0; kind < packing.kinds().size(); ++kind) {
      if (packing.fits_somewhere(kind) && !packing.fits(kind, wanted)) {
        return false;
      }
    }
    return true;
  }

  /// Every node becomes the cheapest one that holds its pods.
  std::vector<Bin> cheaper(NodePacking& packing, std::vector<Bin> bins) const {
    for (Bin& bin : bins) {
      for (std::size_t offer = 0; offer < offers_.size(); ++offer) {
        if (prices_[offer] < prices_[bin.offer] && packing.holds(offer, bin.pods)) {
          bin.offer = offer;
        }
      }
    }
    return bins;
  }

  std::vector<std::int64_t> counts_of(const std::vector<Bin>& bins) const {
    std::vector<std::int64_t> counts(offers_.size(), 0);
    for (const Bin& bin : bins) {
      counts[bin.offer] += bin.nodes;
    }
    return counts;
  }

  /// Price, then nodes.
  std::pair<int128, std::int64_t> cost(const std::vector<std::int64_t>& counts) const {
    std::pair<int128, std::int64_t> sum{0, 0};
    for (std::size_t offer = 0; offer < counts.size(); ++offer) {
      sum.first += int128{counts[offer]} * prices_[offer];
      sum.second += counts[offer];
    }
    return sum;
  }

  /// The mix that is the cheapest once the policy has placed the pods.
  void place_cheapest(const NodePacking& packing, std::vector<std::vector<std::int64_t>> mixes,
                      MinNodesAnswer& answer) const {
    std::ranges::stable_sort(mixes, {}, [&](const auto& counts) { return cost(counts); });
    for (std::vector<std::int64_t>& counts : mixes) {
      if (!answer.added.empty() && cost(counts) >= cost(answer.added)) {
        break;
      }
      std::vector<AddedPlace> places;
      place_by_policy(packing, counts, places);
      if (answer.added.empty() || cost(counts) < cost(answer.added)) {
        answer.added = std::move(counts);
        answer.places = std::move(places);
      }
    }
  }

  /// Adds nodes until the policy places all pods.
  void place_by_policy(const NodePacking& packing, std::vector<std::int64_t>& counts,
                       std::vector<AddedPlace>& places) const {
    for (;;) {
      std::vector<std::pair<std::size_t, std::int64_t>> origins;  // by node
      ShapeBuilder builder = without_nodes(usage_.shape());
      for (std::size_t offer = 0; offer < counts.size(); ++offer) {
        const NodeClassId id = add_node_class(builder, offers_[offer].node);
        for (std::int64_t number = 1; number <= counts[offer]; ++number) {
          static_cast<void>(builder.node(fmt::format("{}-new-{}", offers_[offer].node.name, number), id));
          origins.emplace_back(offer, number);
        }
      }
      const LeftOver left = place_all(packing, std::move(builder).build(), origins, places);
      if (left.pods == 0) {
        return;
      }
      std::size_t cheapest = offers_.size();
      for (std::size_t offer = 0; offer < offers_.size(); ++offer) {
        const bool better = cheapest == offers_.size() || prices_[offer] < prices_[cheapest];
        cheapest = packing.fits(left.kind, offer) && better ? offer : cheapest;
      }
      // Half of what these pods need on their own, as new nodes let other pods make room, too: a few rounds do.
      counts[cheapest] += std::max<std::int64_t>(left.pods / packing.most(left.kind, cheapest) / 2, 1);
    }
  }

  struct LeftOver {
    std::size_t kind = 0;  ///< of the first pod that finds no place
    std::int64_t pods = 0;
  };
  LeftOver place_all(const NodePacking& packing, ShapePtr shape,
                     std::span<const std::pair<std::size_t, std::int64_t>> origins,
                     std::vector<AddedPlace>& places) const {
    places.clear();
    ClusterUsage usage(std::move(shape));
    placement::Placer placer(usage, options_);
    for (std::size_t kind = 0; kind < packing.kinds().size(); ++kind) {
      const PodClassId id = packing.kinds()[kind].pod_class;
      const std::vector<PodId>& pods = pods_.at(id);
      for (std::size_t i = 0; packing.fits_somewhere(kind) && i < pods.size(); ++i) {
        const NodeId node = placer.place(usage.add_pod(id, usage_.pod_name(pods[i])));
        if (!node.valid()) {
          return {kind, std::ssize(pods) - static_cast<std::int64_t>(i)};
        }
        places.push_back({pods[i], origins[node.index()].first, origins[node.index()].second});
      }
    }
    return {packing.kinds().size(), 0};
  }

  const ClusterUsage& usage_;
  std::span<const ShapeOffer> offers_;
  const placement::Options& options_;
  std::map<PodClassId, std::vector<PodId>> pods_;
  std::vector<std::int64_t> prices_;
  bool priced_ = false;
};

}  // namespace

MinNodesAnswer min_nodes(const ClusterUsage& usage, std::span<const PodId> pending, std::span<const ShapeOffer> offers,
                         const placement::Options& options) {
  return MinNodes(usage, pending, offers, options).run();
}

}  // namespace gpusched::whatif
