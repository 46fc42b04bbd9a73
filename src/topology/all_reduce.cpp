#include "gpusched/topology/all_reduce.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace gpusched::topology {

double all_reduce_seconds(int gpus, std::int64_t gradient_bytes, std::int32_t bandwidth_mbps) {
  if (gpus < 2 || gradient_bytes <= 0 || bandwidth_mbps <= 0) {
    return 0;
  }
  const double volume = 2.0 * (gpus - 1) / gpus * static_cast<double>(gradient_bytes);
  return volume / (static_cast<double>(bandwidth_mbps) * 1e6);
}

int islands_spanned(const NodeClass& node_class, std::span<const GpuShare> shares) {
  std::vector<std::uint16_t> islands;
  for (const GpuShare& share : shares) {
    islands.push_back(node_class.gpus[share.gpu].island);
  }
  std::ranges::sort(islands);
  return static_cast<int>(std::ranges::unique(islands).begin() - islands.begin());
}

std::string_view link_name(Link link) {
  static constexpr std::array<std::string_view, 4> kNames = {"nvlink", "pcie", "network", "uplink"};
  return kNames[static_cast<std::size_t>(link)];
}

RingLink ring_link(const ClusterShape& shape, const NodeClass& node_class, std::span<const GpuShare> shares) {
  const auto slowest = [&](std::int32_t Board::* figure) {
    std::int32_t least = shape.board(node_class.gpus[shares.front().gpu]).*figure;
    for (const GpuShare& share : shares) {
      least = std::min(least, shape.board(node_class.gpus[share.gpu]).*figure);
    }
    return least;
  };
  const std::int32_t nvlink = islands_spanned(node_class, shares) == 1 ? slowest(&Board::nvlink_mbps) : 0;
  return nvlink > 0 ? RingLink{Link::kNvlink, nvlink} : RingLink{Link::kPcie, slowest(&Board::pcie_mbps)};
}

std::optional<AllReduceBound> all_reduce_bound(const ClusterShape& shape, const NodeClass& node_class,
                                               std::span<const GpuShare> shares, std::int64_t gradient_bytes) {
  if (shares.size() < 2 || gradient_bytes <= 0 ||
      std::ranges::any_of(shares, [](const GpuShare& s) { return s.instance != GpuShare::kNoInstance; })) {
    return std::nullopt;
  }
  const RingLink ring = ring_link(shape, node_class, shares);
  const double seconds = all_reduce_seconds(static_cast<int>(shares.size()), gradient_bytes, ring.bandwidth_mbps);
  return seconds > 0 ? std::optional(AllReduceBound{ring.link, ring.bandwidth_mbps, seconds}) : std::nullopt;
}

}  // namespace gpusched::topology
