#include "whatif/min_nodes_bound.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace gpusched::whatif {

namespace {

int128 divided_up(int128 value, std::int64_t by) {
  return (value + by - 1) / by;
}

/// A sum over all pods, and what one node of each offer has of it; kNotModelled: without limit.
struct Dimension {
  int128 needed = 0;
  std::vector<std::int64_t> per_node;
};

/// With the MIG instances that are counted as one of these resources (the device plugin's single strategy).
std::int64_t whole_gpus(const NodeClass& node_class, std::span<const ResourceId> resources) {
  std::int64_t units = 0;
  for (const Gpu& gpu : node_class.gpus) {
    units += gpu.mig ? 0 : gpu.replicas;
  }
  for (const MigInstance& instance : node_class.instances) {
    units += std::ranges::find(resources, instance.resource) != resources.end() ? 1 : 0;
  }
  return units;
}

std::int64_t whole_gpus(const PodClass& pod) {
  return pod.gpu_milli == kWholeGpuMilli ? pod.gpus : 0;
}

class Bounds {
 public:
  Bounds(const NodePacking& packing, std::span<const std::size_t> offers, std::span<const std::int64_t> prices)
      : packing_(packing), offers_(offers), prices_(prices) {
    for (std::size_t kind = 0; kind < packing_.kinds().size(); ++kind) {
      if (std::ranges::any_of(offers_, [&](std::size_t offer) { return packing_.most(kind, offer) > 0; })) {
        kinds_.push_back(kind);
      }
    }
  }

  int128 run() const {
    Dimension cpu = resource(kCpu);
    Dimension memory = resource(kMemory);
    const Dimension gpus = all_gpus();
    int128 least = std::max({by(cpu), by(memory), by(gpus)});
    for (const std::size_t kind : kinds_) {
      Dimension alone{packing_.kinds()[kind].count, {}};
      for (const std::size_t offer : offers_) {
        alone.per_node.push_back(packing_.most(kind, offer));
      }
      least = std::max({least, by(alone), with_gpus_of_others(kind, gpus)});
    }
    return least;
  }

 private:
  [[nodiscard]] const PodClass& pod(std::size_t kind) const {
    return packing_.shape().pod_classes[packing_.kinds()[kind].pod_class.index()];
  }

  [[nodiscard]] Dimension resource(ResourceId id) const {
    Dimension result;
    for (const std::size_t offer : offers_) {
      result.per_node.push_back(packing_.node_class(offer).allocatable[id.index()]);
    }
    for (const std::size_t kind : kinds_) {
      for (const auto& [asked, amount] : pod(kind).requests) {
        result.needed += asked == id ? int128{packing_.kinds()[kind].count} * amount : 0;
      }
    }
    return result;
  }

  [[nodiscard]] Dimension all_gpus() const {
    Dimension result;
    std::vector<ResourceId> resources;
    for (const std::size_t kind : kinds_) {
      resources.push_back(pod(kind).gpu_resource);
    }
    for (const std::size_t offer : offers_) {
      result.per_node.push_back(whole_gpus(packing_.node_class(offer), resources));
    }
    for (const std::size_t kind : kinds_) {
      result.needed += int128{packing_.kinds()[kind].count} * whole_gpus(pod(kind));
    }
    return result;
  }

  /// What so much costs where one node has `amount` of it, rounded up; the most that there is when it costs more.
  [[nodiscard]] static int128 priced(int128 needed, std::int64_t price, std::int64_t amount) {
    constexpr int128 kMost = std::numeric_limits<std::int64_t>::max();
    const int128 nodes = needed / amount;
    return price > 0 && nodes > kMost / price ? kMost : nodes * price + divided_up(needed % amount * price, amount);
  }

  /// The whole need from the offer that has the most of it for its price.
  [[nodiscard]] int128 by(const Dimension& dimension) const {
    int128 cheapest = -1;
    for (std::size_t i = 0; i < offers_.size(); ++i) {
      const std::int64_t amount = dimension.per_node[i];
      if (amount > 0 || amount == kNotModelled) {
        const int128 price = amount == kNotModelled ? 0 : priced(dimension.needed, prices_[offers_[i]], amount);
        cheapest = cheapest < 0 ? price : std::min(cheapest, price);
      }
    }
    return std::max<int128>(cheapest, 0);
  }

  /// A GPU is worth its price where it is cheapest, a pod of this kind as much as any node leaves for it whose other
  /// GPUs are paid for: then no node holds more than its price, and the value of all pods is a bound (the dual of the
  /// covering problem). In units of price / gpus of the offer with the cheapest GPUs.
  [[nodiscard]] int128 with_gpus_of_others(std::size_t kind, const Dimension& gpus) const {
    const std::int64_t own = whole_gpus(pod(kind));
    std::size_t cheapest = offers_.size();
    for (std::size_t i = 0; i < offers_.size(); ++i) {
      if (gpus.per_node[i] > 0 &&
          (cheapest == offers_.size() || int128{prices_[offers_[i]]} * gpus.per_node[cheapest] <
                                             int128{prices_[offers_[cheapest]]} * gpus.per_node[i])) {
        cheapest = i;
      }
    }
    if (own == 0 || cheapest == offers_.size()) {
      return 0;
    }
    const std::int64_t unit = gpus.per_node[cheapest];
    const std::int64_t gpu_value = prices_[offers_[cheapest]];
    int128 value = -1;
    for (std::size_t i = 0; i < offers_.size(); ++i) {
      for (std::int64_t pods = 1; pods <= packing_.most(kind, offers_[i]); ++pods) {
        const int128 rest = int128{gpus.per_node[i] - pods * own} * gpu_value;
        const int128 each = (int128{prices_[offers_[i]]} * unit - rest) / pods;
        value = value < 0 ? each : std::min(value, each);
      }
    }
    const std::int64_t count = packing_.kinds()[kind].count;
    return divided_up(count * std::max<int128>(value, 0) + (gpus.needed - int128{count} * own) * gpu_value, unit);
  }

  const NodePacking& packing_;
  std::span<const std::size_t> offers_;
  std::span<const std::int64_t> prices_;
  std::vector<std::size_t> kinds_;  ///< that fit on one of the offers
};

}  // namespace

std::int64_t least_cost(const NodePacking& packing, std::span<const std::size_t> offers,
                        std::span<const std::int64_t> prices) {
  return saturated(Bounds(packing, offers, prices).run());
}

}  // namespace gpusched::whatif
