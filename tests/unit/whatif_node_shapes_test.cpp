#include "gpusched/whatif/node_shapes.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "gpusched/io/model_reader.hpp"

namespace gpusched::whatif {
namespace {

std::string text_of(const objects::Node& node, std::string_view resource) {
  for (const auto& [name, amount] : node.status.allocatable) {
    if (name == resource) {
      return amount.to_string();
    }
  }
  return "";
}

/// A node as the reader of dumps understands it.
NodeTemplate template_of(const NodeShape& shape) {
  NodeTemplate result{"", node_of(shape), nullptr};
  result.name = result.object.meta.name;
  io::ClusterDump dump;
  dump.nodes.push_back({result.object, {}});
  io::DumpOptions options;
  for (const auto& [key, value] : result.object.meta.labels) {
    options.labels.push_back(key);
  }
  io::ModelReader reader(options);
  reader.read_dump(std::move(dump));
  result.shape = std::move(reader).finish().value().usage.shape_ptr();
  return result;
}

TEST_CASE("a shape is found by its instance type, with and without its provider") {
  for (const std::string_view name : {"aws/p5.48xlarge", "p5.48xlarge", "AWS/P5.48xlarge"}) {
    CAPTURE(name);
    const Result<const NodeShape*> shape = find_node_shape(name);
    REQUIRE(shape);
    CHECK((*shape)->product == "NVIDIA-H100-80GB-HBM3");
    CHECK((*shape)->gpus == 8);
    CHECK((*shape)->vcpus == 192);
  }
}

TEST_CASE("an unknown shape gets a suggestion") {
  const auto check = [](std::string_view name, std::string_view hint) {
    const Result<const NodeShape*> shape = find_node_shape(name);
    REQUIRE_FALSE(shape);
    CHECK(shape.error().front().code == "unknown-shape");
    CHECK(shape.error().front().hint.find(hint) != std::string::npos);
  };
  check("p5.48xlarg", "did you mean p5.48xlarge?");
  check("aws/p5.48xlage", "did you mean aws/p5.48xlarge?");
  check("gcp/p5.48xlarge", "aws/p5.48xlarge");
  check("frobnicate-9000-turbo", "for example aws/p5.48xlarge");
  check("", "for example");
}

TEST_CASE("shapes have unique names and plausible sizes") {
  std::set<std::string> names;
  for (const NodeShape& shape : node_shapes()) {
    CAPTURE(shape.instance_type);
    CHECK(names.insert(std::string(shape.instance_type)).second);
    CHECK(shape.gpus >= 1);
    CHECK(shape.vcpus >= 1);
    CHECK(shape.allocatable_milli_cpu <= std::int64_t{shape.vcpus} * 1000);
    CHECK((shape.memory_mib == 0 || shape.allocatable_mib <= shape.memory_mib));
    const objects::Node node = node_of(shape);
    CHECK(text_of(node, "nvidia.com/gpu") == std::to_string(shape.gpus));
    CHECK(node.meta.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-") == std::string::npos);
  }
  CHECK(names.size() > 100);
}

TEST_CASE("allocatable is what Karpenter leaves, else the whole machine") {
  const objects::Node aws = node_of(**find_node_shape("p5.48xlarge"));
  CHECK(text_of(aws, "cpu") == "191450m");
  CHECK(text_of(aws, "pods") == "100");
  const objects::Node gcp = node_of(**find_node_shape("a3-highgpu-8g"));
  CHECK(text_of(gcp, "cpu") == "208");
  CHECK(text_of(gcp, "pods") == "110");
}

TEST_CASE("a shape's hardware is that of its product and instance type") {
  const NodeTemplate h100 = template_of(**find_node_shape("aws/p5.48xlarge"));
  ShapeBuilder builder;
  const NodeClassId id = add_node_class(builder, h100);
  const NodeClass& node_class = builder.shape().node_classes[id.index()];
  REQUIRE(node_class.gpus.size() == 8);
  CHECK(node_class.islands == 1);
  const Board& board = builder.shape().board(node_class.gpus[0]);
  CHECK(board.nvlink_mbps == 450'000);
  CHECK(board.memory_mib > 80'000);
  CHECK(board.mig_board != kNoMigBoard);
}

TEST_CASE("a model takes the spelling by which the pods of the cluster ask for it") {
  ShapeBuilder builder;
  PodClass pod;
  pod.model = builder.text("A100-SXM4-80GB");
  static_cast<void>(builder.pod_class(pod));
  const NodeClassId id = add_node_class(builder, template_of(**find_node_shape("p4de.24xlarge")));
  const Board& board = builder.shape().board(builder.shape().node_classes[id.index()].gpus[0]);
  CHECK(board.model == pod.model);
}

}  // namespace
}  // namespace gpusched::whatif
