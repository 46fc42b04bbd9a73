#include "gpusched/whatif/min_nodes.hpp"

#include <catch2/catch.hpp>

#include <limits>

#include "support/builders.hpp"

namespace gpusched::whatif {
namespace {

using testing::node;
using testing::pod;

ShapeOffer offer(const testing::NodeSpec& spec, std::optional<std::int64_t> price = {}) {
  const testing::Cluster one({spec});
  return {{spec.name(), {}, one.usage.shape_ptr()}, price};
}

std::vector<testing::PodSpec> copies(const testing::PodSpec& spec, std::size_t count) {
  return std::vector<testing::PodSpec>(count, spec);
}

TEST_CASE("sums of large amounts and prices are no smaller than they are") {
  constexpr std::int64_t kLarge = std::int64_t{1} << 60;
  const testing::Cluster cluster({}, copies(pod("p").requests("memory", kLarge), 100));
  const std::vector<ShapeOffer> nodes{offer(node("n").allocatable("memory", kLarge))};
  const MinNodesAnswer count = min_nodes(cluster.usage, cluster.pods, nodes, {});
  CHECK(count.nodes == 100);
  CHECK(count.at_least == 100);
  CHECK(count.optimal);

  const std::vector<ShapeOffer> priced{offer(node("n").allocatable("memory", kLarge), kLarge)};
  const MinNodesAnswer cost = min_nodes(cluster.usage, cluster.pods, priced, {});
  CHECK(cost.nodes == 100);
  CHECK(cost.price == std::numeric_limits<std::int64_t>::max());
  CHECK(cost.least_price == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("of equal offers the first one is taken") {
  const testing::Cluster cluster({}, copies(pod("p").gpus(1), 7));
  const std::vector<ShapeOffer> offers{offer(node("a").gpus(3)), offer(node("b").gpus(3)), offer(node("c").gpus(2))};
  CHECK(min_nodes(cluster.usage, cluster.pods, offers, {}).added == std::vector<std::int64_t>{3, 0, 0});
}

TEST_CASE("instances that are advertised as GPUs are GPUs for the bound, too") {
  const testing::Cluster whole({node("mig").gpus(2).mig({{"3g.40gb", "3g.40gb"}, {"3g.40gb", "3g.40gb"}})});
  ShapeBuilder builder;
  NodeClass single = whole.shape().node_classes[0];
  single.labels = {};
  single.taints = {};
  for (Gpu& gpu : single.gpus) {
    gpu.board = builder.board({});
  }
  for (MigInstance& instance : single.instances) {
    instance.profile = builder.text("3g.40gb");
    instance.resource = kNvidiaGpu;
  }
  single.allocatable = {kNotModelled, kNotModelled, kNotModelled, kNotModelled, 4};
  static_cast<void>(builder.node("mig", builder.node_class_as_given(std::move(single))));
  const std::vector<ShapeOffer> offers{{{"mig", {}, std::move(builder).build()}, {}}};
  const testing::Cluster cluster({}, copies(pod("p").gpus(2), 4));
  const MinNodesAnswer answer = min_nodes(cluster.usage, cluster.pods, offers, {});
  CHECK(answer.never.empty());
  CHECK(answer.nodes == 2);
  CHECK(answer.at_least == 2);
}

}  // namespace
}  // namespace gpusched::whatif
