// The order of the node documents changes no byte of what `place` and `frag` print.
#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

#include "gpusched/io/document.hpp"
#include "gpusched/io/model_reader.hpp"
#include "gpusched/placement/place.hpp"
#include "gpusched/render/render.hpp"
#include "gpusched/report/fragmentation.hpp"
#include "gpusched/report/placement.hpp"
#include "support/random_cluster.hpp"

namespace gpusched {
namespace {

using testing::Random;

const std::vector<int> kSizes{1, 2, 4, 8};

io::Model read(const std::string& nodes, const std::string& pods) {
  io::ModelReader reader;
  const auto clusters = io::parse_documents({"nodes.json", nodes});
  const auto lists = io::parse_documents({"pods.json", pods});
  REQUIRE(clusters);
  REQUIRE(lists);
  reader.read_cluster(clusters->front());
  reader.read_pods(lists->front());
  auto model = std::move(reader).finish();
  if (!model) FAIL(model.error().front().message << " at " << model.error().front().pointer);
  return std::move(*model);
}

std::string render_all(const report::Document& document) {
  std::string text;
  for (const render::Format format : {render::Format::kWide, render::Format::kJson}) {
    text += render::render(document, format);
  }
  return text;
}

std::string frag_text(const ClusterUsage& usage) {
  report::FragmentationParts parts;
  parts.group_by = "model";
  parts.groups = frag::fragmentation_by(usage, kSizes, frag::GroupBy::kModel);
  return render_all(report::fragmentation_report(usage, frag::fragmentation(usage, kSizes), parts));
}

std::string place_text(io::Model model, const placement::Options& options) {
  const auto result = placement::place_pods(model.usage, model.pods, options);
  report::PlacementParts parts;
  const PodClassId pod_class = model.usage.pod_class_id(model.pods.front());
  if (auto filled = placement::fill(model.usage, pod_class, options)) {
    parts.fill = report::FillAnswer{"p0", pod_class, std::move(*filled)};
  }
  return render_all(
      report::placement_report(model.usage, options, result, frag::fragmentation(model.usage, kSizes), parts));
}

}  // namespace

TEST_CASE("the order of node documents changes no byte") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    std::vector<testing::NodeSpec> nodes = testing::random_nodes(random, {.fractions = false});
    const std::string pods =
        testing::pods_json(testing::random_pods(random, random.between(1, 20), {.fractions = false}));
    const placement::Options options = testing::random_options(random);
    const std::string first = testing::cluster_json(nodes);
    random.shuffle(nodes);
    const std::string second = testing::cluster_json(nodes);
    INFO(first << '\n' << pods);
    io::Model one = read(first, pods);
    io::Model other = read(second, pods);
    REQUIRE(frag_text(one.usage) == frag_text(other.usage));
    REQUIRE(place_text(std::move(one), options) == place_text(std::move(other), options));
  }
}

TEST_CASE("documents and builders make the same cluster") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    const auto nodes = testing::random_nodes(random, {.fractions = false});
    const auto pods = testing::random_pods(random, 15, {.fractions = false});
    const placement::Options options = testing::random_options(random);
    testing::Cluster built(nodes, pods);
    io::Model read_model = read(testing::cluster_json(nodes), testing::pods_json(pods));
    const auto one = placement::place_pods(built.usage, built.pods, options);
    const auto other = placement::place_pods(read_model.usage, read_model.pods, options);
    REQUIRE(one.pods.size() == other.pods.size());
    for (std::size_t i = 0; i < one.pods.size(); ++i) {
      CHECK(one.pods[i].node == other.pods[i].node);
      CHECK(one.pods[i].shares == other.pods[i].shares);
      CHECK(one.pods[i].victims == other.pods[i].victims);
    }
  }
}

}  // namespace gpusched
