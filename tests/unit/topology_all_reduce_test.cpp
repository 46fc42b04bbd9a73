#include "gpusched/topology/all_reduce.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "support/builders.hpp"

namespace gpusched::topology {
namespace {

using testing::Cluster;
using testing::node;

constexpr std::int64_t kGb = 1'000'000'000;

std::vector<GpuShare> whole(std::initializer_list<std::uint16_t> gpus) {
  std::vector<GpuShare> shares;
  for (const std::uint16_t gpu : gpus) shares.push_back({gpu});
  return shares;
}

}  // namespace

TEST_CASE("a ring sends 2(k-1)/k times the gradient over its slowest link") {
  struct Case {
    std::string name;
    int gpus;
    std::int64_t gradient_bytes;
    std::int32_t bandwidth_mbps;
    double seconds;
  };
  const std::vector<Case> cases = {
      {"eight-gpus-over-nvlink", 8, 14 * kGb, 300'000, 0.081666666666666667},  // the lesson's 0.082 s
      {"two-gpus-over-pcie", 2, 14 * kGb, 32'000, 0.4375},                     // the lesson's 0.44 s
      {"four-gpus-over-pcie", 4, 14 * kGb, 32'000, 0.65625},
      {"one-gpu-sends-nothing", 1, 14 * kGb, 300'000, 0},
      {"no-gpu", 0, 14 * kGb, 300'000, 0},
      {"no-gradient", 8, 0, 300'000, 0},
      {"bandwidth-unknown", 8, 14 * kGb, 0, 0},
  };
  for (const Case& test : cases) {
    INFO(test.name);
    CHECK(all_reduce_seconds(test.gpus, test.gradient_bytes, test.bandwidth_mbps) ==
          Approx(test.seconds).epsilon(1e-12));
  }
}

TEST_CASE("the link is NVLink inside one island, else PCIe") {
  const Cluster cluster({
      node("pairs").gpus(4).islands({{0, 1}, {2, 3}}).links(300, 32),
      node("no-nvlink").gpus(2, "L40S", 48).one_island().links(0, 64),
      node("no-figures").gpus(2, "L40S", 48).links(0, 0),
      node("mixed").gpus(1).links(300, 64).gpus(1, "L40S", 48).links(0, 16),
      node("mig").gpus(1).mig({{"3g.40gb", "3g.40gb"}}),
  });
  struct Case {
    std::string node;
    std::vector<GpuShare> shares;
    std::int64_t gradient_bytes;
    int islands;
    std::optional<Link> link;
    std::int32_t bandwidth_mbps;
  };
  const std::vector<Case> cases = {
      {"pairs", whole({2, 3}), 14 * kGb, 1, Link::kNvlink, 300'000},
      {"pairs", whole({1, 2}), 14 * kGb, 2, Link::kPcie, 32'000},
      {"pairs", whole({0, 1, 2, 3}), 14 * kGb, 2, Link::kPcie, 32'000},
      {"pairs", whole({0, 1}), 0, 1, std::nullopt, 0},
      {"pairs", whole({0}), 14 * kGb, 1, std::nullopt, 0},
      {"no-nvlink", whole({0, 1}), 14 * kGb, 1, Link::kPcie, 64'000},
      {"no-figures", whole({0, 1}), 14 * kGb, 2, std::nullopt, 0},
      {"mixed", whole({0, 1}), 14 * kGb, 2, Link::kPcie, 16'000},
      {"mig", {{0, 0, 0, 0}, {0, 1, 0, 0}}, 14 * kGb, 1, std::nullopt, 0},
  };
  for (const Case& test : cases) {
    INFO(test.node << " " << test.shares.size());
    const NodeClass& node_class = cluster.usage.node_class(cluster.id(test.node));
    CHECK(islands_spanned(node_class, test.shares) == test.islands);
    const auto bound = all_reduce_bound(cluster.shape(), node_class, test.shares, test.gradient_bytes);
    REQUIRE(bound.has_value() == test.link.has_value());
    if (bound) {
      CHECK(bound->link == *test.link);
      CHECK(bound->bandwidth_mbps == test.bandwidth_mbps);
      CHECK(bound->seconds ==
            all_reduce_seconds(static_cast<int>(test.shares.size()), test.gradient_bytes, test.bandwidth_mbps));
    }
  }
}

}  // namespace gpusched::topology
