// What fixtures become; their errors are golden cases of the command line.
#include "gpusched/io/model_reader.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

namespace gpusched::io {
namespace {

Document parse(const std::string& text) {
  auto documents = parse_documents({"test.json", text});
  REQUIRE(documents);
  return documents->front();
}

Result<Model> read(const std::string& cluster, const std::string& pods = R"({"pods": []})") {
  ModelReader reader;
  const Document nodes = parse(cluster);
  const Document list = parse(pods);
  reader.read_cluster(nodes);
  reader.read_pods(list);
  return std::move(reader).finish();
}

Model model_of(const std::string& cluster, const std::string& pods = R"({"pods": []})") {
  Result<Model> model = read(cluster, pods);
  if (!model) FAIL(model.error().front().message);
  return std::move(*model);
}

std::vector<int> islands(const Model& model) {
  std::vector<int> islands;
  for (const Gpu& gpu : model.usage.node_class(NodeId{0}).gpus) islands.push_back(gpu.island);
  return islands;
}

std::string gpu_node(const std::string& block) {
  return R"({"nodes": [{"name": "n", "gpu": )" + block + "}]}";
}

}  // namespace

TEST_CASE("amounts become whole numbers of small units, rounded up") {
  const Model model = model_of(
      R"({"nodes": [{"name": "n", "allocatable": {"cpu": "1500m", "memory": "1.5Gi", "pods": 110, "a.com/x": "2.5"},
          "gpu": {"model": "X", "count": 1, "memory_gib": 22.5, "nvlink_gbps": 0.05, "pcie_gbps": 31.5077}}]})",
      R"({"pods": [{"name": "p", "gpus": 1, "memory_gib": 0.0001, "gradient_gb": 1.5, "requests": {"cpu": 0.0001}}]})");
  const ClusterShape& shape = model.usage.shape();
  const NodeClass& node = model.usage.node_class(NodeId{0});
  CHECK(node.allocatable[kCpu.index()] == 1500);
  CHECK(node.allocatable[kMemory.index()] == 1'610'612'736);
  CHECK(node.allocatable[kEphemeralStorage.index()] == kNotModelled);
  CHECK(node.allocatable[kPods.index()] == 110);
  CHECK(node.allocatable[shape.find_resource("a.com/x").index()] == 3);
  const Board& board = shape.board(node.gpus[0]);
  CHECK(board.memory_mib == 23'040);
  CHECK(board.nvlink_mbps == 50);
  CHECK(board.pcie_mbps == 31'508);
  const PodClass& pod = model.usage.pod_class(model.pods[0]);
  CHECK(pod.gpu_memory_bytes == 107'375);
  CHECK(pod.gpu_memory_mib() == 1);
  CHECK(pod.gradient_bytes == 1'500'000'000);
  CHECK(pod.non_zero_cpu == 1);
  CHECK(pod.non_zero_memory == 209'715'200);
}

TEST_CASE("GPUs in no list are islands of their own") {
  const std::string base = R"("model": "X", "count": 4, "memory_gib": 80)";
  CHECK(islands(model_of(gpu_node("{" + base + "}"))) == std::vector{0, 1, 2, 3});
  CHECK(islands(model_of(gpu_node("{" + base + R"(, "islands": [[2, 3]]})"))) == std::vector{1, 2, 0, 0});
  CHECK(islands(model_of(gpu_node("{" + base + R"(, "islands": [[], [1, 0], [], [3]]})"))) == std::vector{0, 0, 2, 1});
  CHECK(islands(model_of(gpu_node("[{" + base + R"(, "islands": [[0, 1], [2, 3]]}, {)" + base + "}]"))) ==
        std::vector{0, 0, 1, 1, 2, 3, 4, 5});
}

TEST_CASE("busy GPUs are held by fixed pods, those with a priority can be evicted") {
  const Model model = model_of(gpu_node(
      R"({"model": "X", "count": 5, "memory_gib": 80, "busy": [0, {"gpu": 1, "pod": "a"},
          {"gpus": [3, 2], "pod": "b", "memory_gib": 10, "priority": 5, "requests": {"cpu": 2}}, {"gpu": 4, "priority": 1}]})"));
  const ClusterUsage& usage = model.usage;
  REQUIRE(usage.pod_count() == 4);
  CHECK(usage.pod_class(PodId{0}).fixed);
  CHECK(usage.pod_class(PodId{1}).fixed);
  CHECK(!usage.pod_class(PodId{2}).fixed);
  CHECK(usage.pod_class(PodId{3}).fixed);  // it has no name to evict it by
  CHECK(usage.shares(PodId{2})[0] == GpuShare{2, GpuShare::kNoInstance, kWholeGpuMilli, 10 * 1024});
  CHECK(usage.used(NodeId{0}, kCpu) == 2000);
  CHECK(usage.used(NodeId{0}, kNvidiaGpu) == 5);
  CHECK(usage.free_memory_mib(NodeId{0})[3] == 70 * 1024);
  CHECK(usage.shape().text(usage.pod_name(PodId{2})) == "b");
  CHECK(usage.mark() == 0);
}

TEST_CASE("MIG layouts are lists, names or absent") {
  const std::string base = R"("model": "A100-SXM4-80GB", "memory_gib": 80)";
  const auto starts = [](const Model& model) {
    std::string text;
    for (const MigInstance& instance : model.usage.node_class(NodeId{0}).instances) {
      text += std::to_string(instance.gpu) + ":" + std::string(model.usage.shape().text(instance.profile)) + "@" +
              std::to_string(instance.start) + " ";
    }
    return text;
  };
  const auto in_mig_mode = [](const Model& model) {
    std::string text;
    for (const Gpu& gpu : model.usage.node_class(NodeId{0}).gpus) text += gpu.mig ? 'm' : '-';
    return text;
  };
  const Model list = model_of(gpu_node("{" + base + R"(, "count": 4, "mig": [["1g.10gb", "3g.40gb"], [], null]})"));
  CHECK(starts(list) == "0:1g.10gb@0 0:3g.40gb@4 ");
  CHECK(in_mig_mode(list) == "m---");
  const Model fixed_start =
      model_of(gpu_node("{" + base + R"(, "count": 1, "mig": [[{"profile": "2g.20gb", "start": 4, "busy": true}]]})"));
  CHECK(starts(fixed_start) == "0:2g.20gb@4 ");
  CHECK(fixed_start.usage.instance_holders(NodeId{0})[0] == PodId{0});
  const Model named = model_of(gpu_node("{" + base + R"(, "count": 2, "mig": "all-3g.40gb"})"));
  CHECK(starts(named) == "0:3g.40gb@0 0:3g.40gb@4 1:3g.40gb@0 1:3g.40gb@4 ");
  const Model disabled = model_of(gpu_node("{" + base + R"(, "count": 2, "mig": "all-disabled"})"));
  CHECK(in_mig_mode(disabled) == "--");
  const Model enabled = model_of(gpu_node("{" + base + R"(, "count": 2, "mig": "all-enabled"})"));
  CHECK(in_mig_mode(enabled) == "mm");
  CHECK(starts(enabled).empty());
}

TEST_CASE("count makes numbered pods of one class") {
  const Model model =
      model_of(R"({"nodes": []})", R"({"pods": [{"name": "p", "gpus": 1, "count": 3}, {"name": "none", "count": 0}]})");
  REQUIRE(model.pods.size() == 3);
  CHECK(model.usage.shape().text(model.usage.pod_name(model.pods[2])) == "p-2");
  CHECK(model.usage.pod_class_id(model.pods[0]) == model.usage.pod_class_id(model.pods[2]));
}

TEST_CASE("null is absent") {
  const Model model = model_of(R"({"nodes": [{"name": "n", "gpu": null, "labels": null, "allocatable": null}]})",
                               R"({"pods": [{"name": "p", "gpus": null, "mig": null, "priority": null}]})");
  CHECK(model.usage.node_class(NodeId{0}).gpus.empty());
  CHECK(!model.usage.pod_class(model.pods[0]).wants_gpu());
}

TEST_CASE("GPUs and MIG instances exclude each other in a pod") {
  for (const char* const mig : {R"("1g.10gb")", R"({"1g.10gb": 1})"}) {
    INFO(mig);
    const auto model =
        read(R"({"nodes": []})", std::string(R"({"pods": [{"name": "p", "gpus": 1, "mig": )") + mig + "}]}");
    REQUIRE(!model);
    CHECK(model.error().front().pointer == "/pods/0/mig");
    CHECK(model.error().front().message == "a pod asks for whole GPUs or for MIG instances, not for both");
  }
}

TEST_CASE("all errors of all documents are told in order") {
  const auto model =
      read(R"({"nodes": [{"name": "a", "x": 1}, {"nam": "b"}]})", R"({"pods": [{"name": "p", "gpus": -1}]})");
  REQUIRE(!model);
  std::vector<std::string> pointers;
  for (const Diagnostic& diagnostic : model.error()) pointers.push_back(diagnostic.pointer);
  CHECK(pointers == std::vector<std::string>{"/nodes/0/x", "/nodes/1", "/nodes/1/nam", "/pods/0/gpus"});
}

}  // namespace gpusched::io
