#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gpusched/io/gpu_inventory.hpp"
#include "support/gpu_inventory_text.hpp"

using namespace gpusched;
using namespace gpusched::io;
using namespace gpusched::io::test;

namespace {

/// A device with texts as attributes; "numaNode" and "nvlinkIsland" are numbers.
struct Device {
  const char* driver;
  const char* name;
  std::vector<std::pair<std::string_view, AttributeFact>> attributes;
  std::int64_t memory_mib = 0;
  const char* counter_set = "";
};

GpuInventory infer_devices(const std::vector<Device>& devices, const Labels& labels = {}, const Amounts& amounts = {},
                           const InventoryOptions& options = {}) {
  std::vector<Amounts> capacities;
  for (const Device& device : devices) capacities.push_back({{"memory", device.memory_mib * 1024 * 1024}});
  std::vector<DeviceFacts> facts;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    facts.push_back(
        {devices[i].driver, "n1", devices[i].name, devices[i].attributes, capacities[i], devices[i].counter_set});
  }
  return infer_gpus({"n1", labels, amounts, amounts, facts}, options);
}

Device h100(const char* name, const char* counter_set = "") {
  return {"gpu.nvidia.com", name, {{"type", "gpu"}, {"productName", "NVIDIA H100 80GB HBM3"}}, 81559, counter_set};
}

Device h100_mig(const char* name, const char* profile, const char* counter_set = "") {
  return {"gpu.nvidia.com",
          name,
          {{"type", "mig"}, {"productName", "NVIDIA H100 80GB HBM3"}, {"profile", profile}, {"parentUUID", "GPU-1"}},
          9984,
          counter_set};
}

}  // namespace

TEST_CASE("gpu-inventory-slices") {
  using Texts = std::vector<std::string>;
  SECTION("whole-gpus") {
    const GpuInventory inventory = infer_devices({h100("gpu-0"), h100("gpu-1")});
    CHECK(summaries(inventory) == Texts{"- 0/0: 2 nvidia NVIDIA-H100-80GB-HBM3 of 81559/81559 MiB, islands assumed 2"});
    CHECK(inferred(inventory, "GPUs of nvidia", "ResourceSlices of gpu.nvidia.com"));
  }
  SECTION("partitions-of-a-counter-set-are-one-gpu") {
    const GpuInventory inventory = infer_devices(
        {h100("gpu-0", "gpu-0-counter-set"), h100_mig("gpu-0-mig-1g10gb-19-0", "1g.10gb", "gpu-0-counter-set"),
         h100_mig("gpu-0-mig-1g10gb-19-1", "1g.10gb", "gpu-0-counter-set"), h100("gpu-1", "gpu-1-counter-set")});
    CHECK(summaries(inventory) == Texts{"- 0/0: 2 nvidia NVIDIA-H100-80GB-HBM3 of 81559/81559 MiB, islands assumed 2"});
    CHECK(codes(inventory).empty());
  }
  SECTION("static-mig-with-starts") {
    for (const auto& names :
         {std::pair{"gpu-0-mig-1g10gb-19-4", "gpu-0-mig-3g40gb-9-0"}, std::pair{"gpu-0-mig-19-4-1", "gpu-0-mig-9-0-4"},
          std::pair{"gpu-0-mig-1g-10gb-4", "gpu-0-mig-3g-40gb-0"}}) {
      const GpuInventory inventory =
          infer_devices({h100_mig(names.first, "1g.10gb"), h100_mig(names.second, "3g.40gb")});
      REQUIRE(inventory.groups.size() == 1);
      const GpuGroup& group = inventory.groups[0];
      CHECK(group.count == 1);
      CHECK(instances(group) == ", mig dynamic 1g.10gb=1 3g.40gb=1");
      CHECK(group.layout_basis == Basis::kKnown);
      REQUIRE(group.layouts.size() == 1);
      CHECK(mig::to_string(*group.mig_board, group.layouts[0][0]) == "3g.40gb@0");
      CHECK(mig::to_string(*group.mig_board, group.layouts[0][1]) == "1g.10gb@4");
    }
  }
  SECTION("whole-and-part-without-counters") {
    Device whole = h100("gpu-1");
    whole.attributes.push_back({"uuid", "GPU-1"});
    const GpuInventory inventory = infer_devices({whole, h100_mig("gpu-1-mig-1g10gb-19-0", "1g.10gb")});
    CHECK(inventory.groups[0].count == 1);
    CHECK(codes(inventory) == Texts{"overlapping-devices"});
  }
  SECTION("double-booking") {
    const GpuInventory inventory = infer_devices({h100("gpu-0"), h100("gpu-1")}, {}, {{"nvidia.com/gpu", 2}});
    CHECK(summaries(inventory) ==
          Texts{"nvidia.com/gpu 2/2: 2 nvidia NVIDIA-H100-80GB-HBM3 of 81559/81559 MiB, islands assumed 2"});
    CHECK(codes(inventory) == Texts{"double-booking"});
  }
  SECTION("device-plugin-with-more") {
    const GpuInventory inventory =
        infer_devices({h100("gpu-0")}, gfd("NVIDIA-H100-80GB-HBM3", "81559", "8"), {{"nvidia.com/gpu", 8}});
    CHECK(inventory.groups.size() == 1);
    CHECK(inventory.groups[0].count == 8);
    CHECK(codes(inventory) == Texts{"double-booking", "gpu-count-differs"});
  }
  SECTION("labels-fill-what-slices-leave-open") {
    const GpuInventory inventory =
        infer_devices({{"gpu.nvidia.com", "gpu-0", {{"type", "gpu"}}, 0}}, gfd("NVIDIA-L4", "23034", "1"));
    CHECK(summaries(inventory) == Texts{"- 0/0: 1 nvidia NVIDIA-L4 of 23034/0 MiB, islands known 1"});
  }
  SECTION("islands-and-numa-nodes-as-attributes") {
    std::vector<Device> devices;
    for (const std::int64_t i : {0, 1, 2, 3}) {
      devices.push_back({"gpu.example.com",
                         "gpu",
                         {{"model", "A100"}, {"nvlinkIsland", i / 2}, {"resource.kubernetes.io/numaNode", 1 - i / 2}},
                         40960});
    }
    devices[0].name = "gpu-0";
    devices[1].name = "gpu-1";
    devices[2].name = "gpu-2";
    devices[3].name = "gpu-3";
    const GpuInventory inventory = infer_devices(devices);
    CHECK(inventory.groups[0].islands == std::vector<std::vector<std::uint32_t>>{{0, 1}, {2, 3}});
    CHECK(inventory.groups[0].islands_basis == Basis::kKnown);
    CHECK(inventory.groups[0].numa_nodes == std::vector<std::int32_t>{1, 1, 0, 0});
  }
  SECTION("amd-partitions") {
    const auto partition = [](const char* name, const char* parent) {
      return Device{"gpu.amd.com",
                    name,
                    {{"type", "amdgpu-partition"},
                     {"productName", "AMD_Instinct_MI300X_OAM"},
                     {"partitionProfile", "cpx_nps1"},
                     {"parentPciAddr", parent}},
                    24574};
    };
    const GpuInventory inventory =
        infer_devices({partition("gpu-4-132", "a"), partition("gpu-5-133", "a"), partition("gpu-12-140", "b")});
    CHECK(summaries(inventory) == Texts{"- 0/0: 2 amd AMD_Instinct_MI300X_OAM of 196592/24574 MiB, islands unknown "});
    CHECK(inventory.groups[0].partition == "cpx_nps1");
  }
  SECTION("not-gpus") {
    CHECK(infer_devices({{"compute-domain.nvidia.com", "channel-0", {{"type", "channel"}}},
                         {"dra.cpu", "cpu-0", {}},
                         {"gpu.nvidia.com", "odd", {{"type", "channel"}}}})
              .groups.empty());
  }
  SECTION("driver-given-by-the-user") {
    const std::vector<Device> devices = {{"gpu.acme.example", "a", {{"gpu.acme.example/model", "Acme 1"}}, 1024}};
    CHECK(infer_devices(devices).groups.empty());
    CHECK(summaries(infer_devices(devices, {}, {}, {{"gpu.acme.example"}})) ==
          Texts{"- 0/0: 1 gpu.acme.example Acme-1 of 1024/1024 MiB, islands known 1"});
  }
}
