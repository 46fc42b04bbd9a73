#include <catch2/catch.hpp>

#include <string>
#include <variant>
#include <vector>

#include "gpusched/dra/slices.hpp"
#include "gpusched/mig/board.hpp"
#include "gpusched/mig/profile.hpp"
#include "gpusched/model/shape_builder.hpp"

namespace gpusched::dra {
namespace {

struct GpuSpec {
  std::string model;
  std::int32_t memory_mib = 0;
  std::uint16_t island = 0;
  std::uint16_t replicas = 1;
  std::vector<std::pair<std::string, std::uint8_t>> mig = {};  // profile, start
  std::int16_t numa_node = -1;
  bool mig_mode = false;  // without an instance
};

MigInstance instance_of(ShapeBuilder& builder, const mig::Board* geometry, std::size_t gpu, const std::string& profile,
                        std::uint8_t start) {
  MigInstance instance;
  instance.profile = builder.text(profile);
  instance.resource = builder.resource("nvidia.com/mig-" + profile);
  instance.gpu = static_cast<std::uint16_t>(gpu);
  instance.start = start;
  instance.mig_profile = 0xff;
  if (geometry == nullptr) return instance;
  const auto index = mig::find_profile(*geometry, profile);
  REQUIRE(index);
  instance.mig_profile = *index;
  instance.memory_slices = geometry->profiles[*index].memory_slices;
  instance.compute_slices = geometry->profiles[*index].compute_slices;
  instance.memory_mib = static_cast<std::int32_t>(geometry->profiles[*index].memory_mib);
  return instance;
}

void add_node(ShapeBuilder& builder, const std::string& name, const std::vector<GpuSpec>& gpus) {
  NodeClass node_class;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const mig::Board* geometry = mig::find_board(gpus[i].model, static_cast<std::uint64_t>(gpus[i].memory_mib));
    Board board;
    if (!gpus[i].model.empty()) board.model = builder.text(gpus[i].model);
    board.memory_mib = gpus[i].memory_mib;
    if (geometry != nullptr) board.mig_board = static_cast<std::uint16_t>(geometry - mig::boards().data());
    Gpu gpu;
    gpu.board = builder.board(board);
    gpu.island = gpus[i].island;
    gpu.replicas = gpus[i].replicas;
    gpu.numa_node = gpus[i].numa_node;
    gpu.mig = gpus[i].mig_mode || !gpus[i].mig.empty();
    node_class.gpus.push_back(gpu);
    for (const auto& [profile, start] : gpus[i].mig) {
      node_class.instances.push_back(instance_of(builder, geometry, i, profile, start));
    }
  }
  builder.node(name, builder.node_class(node_class));
}

ClusterShape cluster(const std::vector<std::pair<std::string, std::vector<GpuSpec>>>& nodes) {
  ShapeBuilder builder;
  for (const auto& [name, gpus] : nodes) add_node(builder, name, gpus);
  return *std::move(builder).build();
}

std::vector<objects::ResourceSlice> slices(const ClusterShape& shape, const SliceOptions& options = {}) {
  auto result = slices_of(shape, options);
  REQUIRE(result);
  return *std::move(result);
}

/// "type=gpu model=A100 index=0 ...", strings bare, versions with a v.
std::string attributes(const objects::Device& device) {
  std::string text;
  for (const auto& [name, value] : device.attributes) {
    text += (text.empty() ? "" : " ") + name + "=";
    if (const auto* number = std::get_if<std::int64_t>(&value)) text += std::to_string(*number);
    if (const auto* flag = std::get_if<bool>(&value)) text += *flag ? "true" : "false";
    if (const auto* string = std::get_if<std::string>(&value)) text += *string;
    if (const auto* version = std::get_if<objects::Version>(&value)) text += "v" + version->text;
  }
  return text;
}

std::string capacities(const objects::Device& device) {
  std::string text;
  for (const auto& [name, value] : device.capacity) {
    text += (text.empty() ? "" : " ") + name + "=" + value.value.to_string();
  }
  return text;
}

std::string counters(const objects::Named<Quantity>& values) {
  std::string text;
  for (const auto& [name, value] : values) text += (text.empty() ? "" : " ") + name + "=" + value.to_string();
  return text;
}

std::vector<std::string> names(const std::vector<objects::Device>& devices) {
  std::vector<std::string> result;
  for (const objects::Device& device : devices) result.push_back(device.name);
  return result;
}

const objects::Device& device(const std::vector<objects::ResourceSlice>& all, const std::string& name) {
  for (const objects::ResourceSlice& slice : all) {
    for (const objects::Device& candidate : slice.spec.devices) {
      if (candidate.name == name) return candidate;
    }
  }
  FAIL("no device " << name);
  std::abort();
}

std::vector<GpuSpec> repeated(std::size_t count, const GpuSpec& gpu) {
  return std::vector<GpuSpec>(count, gpu);
}

SliceOptions nvidia(bool dynamic_mig = false, int minor = 37) {
  return {.driver = "", .style = SliceStyle::kNvidia, .dynamic_mig = dynamic_mig, .kubernetes_minor = minor};
}

std::string first_code(const ClusterShape& shape, const SliceOptions& options = {}) {
  const auto result = slices_of(shape, options);
  REQUIRE_FALSE(result);
  return result.error().front().code;
}

TEST_CASE("lesson-cluster-gives-one-slice-a-node-in-input-order", "[dra][slices]") {
  std::vector<GpuSpec> pcie;
  for (std::uint16_t i = 0; i < 8; ++i) {
    pcie.push_back({"A100-PCIE-80GB", 81920, static_cast<std::uint16_t>(i / 2)});
  }
  const GpuSpec balanced{
      "A100-SXM4-80GB", 81920, 0, 1, {{"1g.10gb", 0}, {"1g.10gb", 1}, {"2g.20gb", 2}, {"3g.40gb", 4}}};
  const auto all = slices(cluster({{"dgx-b", repeated(8, {"A100-SXM4-80GB", 81920})},
                                   {"dgx-a", repeated(8, {"A100-SXM4-80GB", 81920})},
                                   {"pcie-a", pcie},
                                   {"cpu-only", {}},
                                   {"l4-a", repeated(2, {"L4", 24576, 0, 4})},
                                   {"mig-a", {balanced}}}));
  REQUIRE(all.size() == 5);
  std::vector<std::string> pools;
  std::vector<std::size_t> sizes;
  for (const auto& slice : all) {
    pools.push_back(slice.spec.pool.name);
    sizes.push_back(slice.spec.devices.size());
    CHECK(slice.name == slice.spec.pool.name + "-gpu.example.com");
    CHECK(slice.spec.driver == "gpu.example.com");
    CHECK(slice.spec.node_name == slice.spec.pool.name);
    CHECK(slice.spec.pool.generation == 1);
    CHECK(slice.spec.pool.resource_slice_count == 1);
    CHECK(slice.spec.shared_counters.empty());
  }
  CHECK(pools == std::vector<std::string>{"dgx-b", "dgx-a", "pcie-a", "l4-a", "mig-a"});
  CHECK(sizes == std::vector<std::size_t>{8, 8, 8, 2, 4});

  const auto& third = all[2].spec.devices[3];
  CHECK(third.name == "gpu-3");
  CHECK(attributes(third) == "type=gpu model=A100-PCIE-80GB index=3 nvlinkIsland=1 timeSliced=false");
  CHECK(capacities(third) == "memory=80Gi");
  CHECK(attributes(all[3].spec.devices[1]) == "type=gpu model=L4 index=1 nvlinkIsland=0 timeSliced=true");
  CHECK(names(all[4].spec.devices) == std::vector<std::string>{"gpu-0-mig-1g-10gb-0", "gpu-0-mig-1g-10gb-1",
                                                               "gpu-0-mig-2g-20gb-2", "gpu-0-mig-3g-40gb-4"});
  const auto& three = all[4].spec.devices[3];
  CHECK(attributes(three) == "type=mig model=A100-SXM4-80GB index=0 nvlinkIsland=0 timeSliced=false");
  CHECK(capacities(three) == "memory=40Gi");
}

TEST_CASE("lesson-style-corner-cases", "[dra][slices]") {
  SECTION("odd-memory-is-printed-in-mebibytes") {
    const auto all = slices(cluster({{"n", {{"L4", 23034}}}}));
    CHECK(capacities(all[0].spec.devices[0]) == "memory=23034Mi");
  }
  SECTION("what-is-unknown-is-left-out") {
    const auto all = slices(cluster({{"n", {{"", 0}}}}));
    CHECK(attributes(all[0].spec.devices[0]) == "type=gpu index=0 nvlinkIsland=0 timeSliced=false");
    CHECK(all[0].spec.devices[0].capacity.empty());
  }
  SECTION("plus-in-a-profile-becomes-a-dash") {
    const auto all = slices(cluster({{"n", {{"A100-SXM4-80GB", 81920, 0, 1, {{"1g.10gb+me", 6}}}}}}));
    CHECK(names(all[0].spec.devices) == std::vector<std::string>{"gpu-0-mig-1g-10gb-me-6"});
    CHECK(capacities(all[0].spec.devices[0]) == "memory=10Gi");
  }
  SECTION("gpu-in-mig-mode-without-instances-publishes-nothing") {
    const GpuSpec empty{"A100-SXM4-80GB", 81920, 0, 1, {}, -1, true};
    CHECK(slices(cluster({{"n", {empty}}})).empty());
    const auto mixed = slices(cluster({{"n", {empty, {"A100-SXM4-80GB", 81920}}}}));
    CHECK(names(mixed[0].spec.devices) == std::vector<std::string>{"gpu-1"});
  }
  SECTION("own-driver-name") {
    const auto all = slices(cluster({{"n", {{"L4", 24576}}}}), {.driver = "GPU.Acme.io"});
    CHECK(all[0].spec.driver == "GPU.Acme.io");
    CHECK(all[0].name == "n-gpu.acme.io");
  }
}

TEST_CASE("pool-of-more-than-128-devices-is-split", "[dra][slices]") {
  const auto all = slices(cluster({{"big", repeated(300, {"L4", 24576})}}));
  REQUIRE(all.size() == 3);
  CHECK(all[0].name == "big-gpu.example.com-0");
  CHECK(all[2].name == "big-gpu.example.com-2");
  CHECK(all[0].spec.devices.size() == 128);
  CHECK(all[1].spec.devices.size() == 128);
  CHECK(all[2].spec.devices.size() == 44);
  CHECK(all[2].spec.pool.resource_slice_count == 3);
  CHECK(all[1].spec.devices[0].name == "gpu-128");
}

TEST_CASE("names-that-the-api-server-refuses-are-errors", "[dra][slices]") {
  const std::vector<GpuSpec> gpu{{"L4", 24576}};
  CHECK(first_code(cluster({{"Node_1", gpu}})) == "node-name-invalid");
  CHECK(first_code(cluster({{"-a", gpu}})) == "node-name-invalid");
  CHECK(first_code(cluster({{"a..b", gpu}})) == "node-name-invalid");
  CHECK(first_code(cluster({{std::string(254, 'a'), gpu}})) == "node-name-invalid");
  CHECK(first_code(cluster({{std::string(250, 'a'), gpu}})) == "slice-name-invalid");
  CHECK(first_code(cluster({{"a", gpu}}), {.driver = "gpu/example"}) == "driver-name-invalid");
  CHECK(first_code(cluster({{"a", gpu}}), {.driver = std::string(64, 'd')}) == "driver-name-invalid");
  CHECK(first_code(cluster({{"a", {{std::string(65, 'm'), 1024}}}})) == "attribute-too-long");
  CHECK(first_code(cluster({{"a", {{"X", 1024, 0, 1, {{"1g.1gb" + std::string(60, 'x'), 0}}}}}})) ==
        "device-name-invalid");
  CHECK(first_code(cluster({{"a", {{"X", 1024, 0, 1, {{"1g.1gb", 0}, {"1g.1gb", 0}}}}}})) == "device-name-duplicate");
  CHECK(first_code(cluster({{"a-1", gpu}, {"a", repeated(129, gpu[0])}}), {.driver = "1"}) == "slice-name-duplicate");

  SECTION("every-bad-node-is-named") {
    const auto result = slices_of(cluster({{"A", gpu}, {"ok", gpu}, {"B", gpu}}), {});
    REQUIRE_FALSE(result);
    REQUIRE(result.error().size() == 2);
    CHECK(result.error()[0].object == "node A");
    CHECK(result.error()[1].object == "node B");
  }
  SECTION("a-node-without-devices-may-have-any-name") {
    CHECK(slices(cluster({{"Node_1", {}}})).empty());
  }
}

TEST_CASE("nvidia-style-static-devices", "[dra][slices]") {
  const auto all = slices(cluster({{"a",
                                    {{"A100-PCIE-80GB", 81920, 0, 1, {}, 1},
                                     {"A100-SXM4-80GB", 81920, 0, 1, {{"1g.10gb", 0}, {"3g.40gb", 4}}},
                                     {"L4", 23034},
                                     {"SomethingElse", 1000}}}}),
                          nvidia());
  REQUIRE(all.size() == 1);
  CHECK(all[0].name == "a-gpu.nvidia.com");
  CHECK(all[0].spec.driver == "gpu.nvidia.com");
  const auto& devices = all[0].spec.devices;
  CHECK(names(devices) ==
        std::vector<std::string>{"gpu-0", "gpu-1-mig-1g10gb-19-0", "gpu-1-mig-3g40gb-9-4", "gpu-2", "gpu-3"});
  CHECK(attributes(devices[0]) ==
        "type=gpu productName=NVIDIA A100 80GB PCIe architecture=Ampere cudaComputeCapability=v8.0.0 "
        "resource.kubernetes.io/numaNode=1");
  CHECK(capacities(devices[0]) == "memory=80Gi");
  CHECK(attributes(devices[2]) ==
        "type=mig profile=3g.40gb productName=NVIDIA A100-SXM4-80GB architecture=Ampere cudaComputeCapability=v8.0.0");
  CHECK(
      capacities(devices[1]) ==
      "memory=9728Mi multiprocessors=14 copyEngines=1 decoders=0 encoders=0 jpegEngines=0 ofaEngines=0 memorySlice0=1");
  CHECK(capacities(devices[2]).ends_with("memorySlice4=1 memorySlice5=1 memorySlice6=1 memorySlice7=1"));
  CHECK(attributes(devices[3]) ==
        "type=gpu productName=NVIDIA L4 architecture=Ada Lovelace cudaComputeCapability=v8.9.0");
  CHECK(capacities(devices[3]) == "memory=23034Mi");
  CHECK(attributes(devices[4]) == "type=gpu productName=SomethingElse");
}

TEST_CASE("nvidia-product-names", "[dra][slices]") {
  struct Row {
    std::string model;
    std::int32_t memory_mib;
    std::string product;
  };
  const Row rows[] = {
      {"A100-SXM4-80GB", 81920, "NVIDIA A100-SXM4-80GB"},
      {"A100-SXM-80GB", 81920, "NVIDIA A100-SXM4-80GB"},
      {"NVIDIA-A100-80GB-PCIe", 81920, "NVIDIA A100 80GB PCIe"},
      {"H100-SXM5-80GB", 81559, "NVIDIA H100 80GB HBM3"},
      {"NVIDIA-H100-NVL", 95830, "NVIDIA H100 NVL"},
      {"H200", 143771, "NVIDIA H200"},
      {"A100", 81920, "A100"},  // SXM4 or PCIe: both are as likely
      {"T4", 15360, "Tesla T4"},
      {"Tesla-V100-SXM2-32GB", 32768, "Tesla V100-SXM2-32GB"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.model);
    const auto all = slices(cluster({{"a", {{row.model, row.memory_mib}}}}), nvidia());
    const auto* product = objects::find(all[0].spec.devices[0].attributes, "productName");
    REQUIRE(product != nullptr);
    CHECK(std::get<std::string>(*product) == row.product);
  }
}

TEST_CASE("dynamic-mig-of-an-h100-publishes-26-devices", "[dra][slices]") {
  const auto all = slices(cluster({{"h", {{"H100-SXM5-80GB", 81559}}}}), nvidia(true));
  REQUIRE(all.size() == 2);
  CHECK(all[0].name == "h-gpu.nvidia.com-0");
  CHECK(all[0].spec.devices.empty());
  REQUIRE(all[0].spec.shared_counters.size() == 1);
  CHECK(all[0].spec.shared_counters[0].name == "gpu-0-counter-set");
  CHECK(counters(all[0].spec.shared_counters[0].counters) ==
        "memory=81152Mi multiprocessors=132 copy-engines=8 decoders=7 encoders=0 jpeg-engines=7 ofa-engines=1 "
        "memory-slice-0=1 memory-slice-1=1 memory-slice-2=1 memory-slice-3=1 memory-slice-4=1 memory-slice-5=1 "
        "memory-slice-6=1 memory-slice-7=1");
  CHECK(all[1].spec.devices.size() == 26);
  CHECK(all[1].spec.pool.resource_slice_count == 2);
  CHECK(all[1].spec.devices[0].name == "gpu-0");
  CHECK(capacities(all[1].spec.devices[0]).starts_with("memory=81152Mi multiprocessors=132 "));
  const auto& three = device(all, "gpu-0-mig-3g40gb-9-4");
  CHECK(counters(three.consumes_counters.at(0).counters) ==
        "memory=40448Mi multiprocessors=60 copy-engines=3 decoders=3 encoders=0 jpeg-engines=3 ofa-engines=0 "
        "memory-slice-4=1 memory-slice-5=1 memory-slice-6=1 memory-slice-7=1");
  CHECK(objects::find(three.capacity, "memorySlice4") == nullptr);
}

TEST_CASE("dynamic-mig-layout", "[dra][slices]") {
  SECTION("one-slice-a-gpu-with-its-counters-on-1.34") {
    const auto all = slices(cluster({{"h", repeated(2, {"H100-SXM5-80GB", 81559})}}), nvidia(true, 34));
    REQUIRE(all.size() == 2);
    for (const auto& slice : all) {
      CHECK(slice.spec.shared_counters.size() == 1);
      CHECK(slice.spec.devices.size() == 26);
    }
  }
  SECTION("counters-apart-from-1.35-and-at-most-8-sets-in-a-slice") {
    const auto all = slices(cluster({{"h", repeated(10, {"H100-SXM5-80GB", 81559})}}), nvidia(true, 35));
    REQUIRE(all.size() == 12);
    CHECK(all[0].name == "h-gpu.nvidia.com-00");
    CHECK(all[0].spec.shared_counters.size() == 8);
    CHECK(all[1].spec.shared_counters.size() == 2);
    CHECK(all[11].name == "h-gpu.nvidia.com-11");
    CHECK(all[11].spec.devices.front().name == "gpu-9");
  }
  SECTION("ampere-keeps-its-mig-mode") {
    const auto off = slices(cluster({{"a", {{"A100-SXM4-80GB", 81920}}}}), nvidia(true));
    REQUIRE(off.size() == 1);
    CHECK(names(off[0].spec.devices) == std::vector<std::string>{"gpu-0"});
    CHECK(off[0].spec.devices[0].consumes_counters.empty());
    CHECK(capacities(off[0].spec.devices[0]) == "memory=80Gi");
    const auto on = slices(cluster({{"a", {{"A100-SXM4-80GB", 81920, 0, 1, {{"1g.10gb", 0}}}}}}), nvidia(true));
    REQUIRE(on.size() == 2);
    CHECK(on[0].spec.shared_counters.size() == 1);
    CHECK(on[1].spec.devices.size() == 25);
    CHECK(on[1].spec.devices[0].name == "gpu-0-mig-1g10gb-19-0");
    CHECK(on[1].spec.devices[7].name == "gpu-0-mig-1g10gb-me-20-0");
  }
  SECTION("a-gpu-without-mig-is-published-whole") {
    const auto all = slices(cluster({{"a", {{"L4", 23034}, {"H100-SXM5-80GB", 81559}}}}), nvidia(true));
    REQUIRE(all.size() == 3);
    CHECK(all[0].spec.shared_counters[0].name == "gpu-1-counter-set");
    CHECK(names(all[1].spec.devices) == std::vector<std::string>{"gpu-0"});
  }
  SECTION("a-dimension-that-is-unknown-of-one-profile-is-no-counter") {
    const auto all = slices(cluster({{"b", {{"B200", 183359}}}}), nvidia(true));
    for (const auto& [name, value] : all[0].spec.shared_counters[0].counters) CHECK(value.sign() >= 0);
    for (const auto& candidate : all[1].spec.devices) {
      for (const auto& [name, value] : candidate.consumes_counters.at(0).counters) {
        CHECK(objects::find(all[0].spec.shared_counters[0].counters, name) != nullptr);
      }
    }
  }
}

}  // namespace
}  // namespace gpusched::dra
