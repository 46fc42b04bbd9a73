#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gpusched/io/gpu_inventory.hpp"
#include "support/gpu_inventory_text.hpp"

using namespace gpusched;
using namespace gpusched::io;
using namespace gpusched::io::test;

TEST_CASE("gpu-inventory-allocatable-alone") {
  check({
      {"no-gpus", {{"kubernetes.io/os", "linux"}}, {{"cpu", 8}}, {{"cpu", 8}}, {}},
      {"zero-keys-are-no-devices", {}, {{"nvidia.com/gpu", 0}}, {{"nvidia.com/gpu", 0}}, {}},
      {"units-may-be-replicas",
       {},
       {{"nvidia.com/gpu", 12}},
       {{"nvidia.com/gpu", 12}},
       {"nvidia.com/gpu 12/12: 12? nvidia ? of 0/0 MiB, islands unknown "}},
      {"one-unhealthy",
       {},
       {{"nvidia.com/gpu", 4}},
       {{"nvidia.com/gpu", 3}},
       {"nvidia.com/gpu 3/4: 4? nvidia ? of 0/0 MiB, islands unknown "},
       {"gpus-unhealthy"}},
      {"plugin-gone",
       {},
       {{"nvidia.com/gpu", 4}},
       {{"nvidia.com/gpu", 0}},
       {"nvidia.com/gpu 0/4: 4? nvidia ? of 0/0 MiB, islands unknown  broken"},
       {"gpus-not-allocatable"}},
      {"capacity-only",
       {},
       {{"nvidia.com/gpu", 2}},
       {},
       {"nvidia.com/gpu 0/2: 2? nvidia ? of 0/0 MiB, islands unknown  broken"},
       {"gpus-not-allocatable"}},
      {"allocatable-only",
       {},
       {},
       {{"nvidia.com/gpu", 2}},
       {"nvidia.com/gpu 2/2: 2? nvidia ? of 0/0 MiB, islands unknown "}},
      {"counters-rdma-and-monitoring-are-no-devices",
       {},
       {},
       {{"nvidia.com/gpumem", 30000},
        {"nvidia.com/gpucores", 100},
        {"rdma/hca", 8},
        {"mellanox.com/shared_hca_rdma", 1},
        {"gpu.intel.com/i915_monitoring", 1},
        {"huawei.com/Ascend910B4-memory", 65536},
        {"aliyun.com/gpu-mem", 80},
        {"devices.kubevirt.io/kvm", 1000}},
       {}},
      {"vgpu-as-resource",
       {},
       {},
       {{"nvidia.com/GRID_P40-1Q", 2}},
       {"nvidia.com/GRID_P40-1Q 2/2: 2 nvidia GRID-P40-1Q of 0/1024 MiB vgpu, islands assumed 1+1"}},
      {"passed-through-as-resource",
       {},
       {},
       {{"nvidia.com/GA102_GEFORCE_RTX_3090", 4}},
       {"nvidia.com/GA102_GEFORCE_RTX_3090 4/4: 4 nvidia NVIDIA-GeForce-RTX-3090 of 24576/24576 MiB, islands "
        "unknown "}},
      {"volcano-vgpu",
       {},
       {},
       {{"volcano.sh/vgpu-number", 20}, {"volcano.sh/vgpu-memory", 81920}},
       {"volcano.sh/vgpu-number 20/20: 20? nvidia ? of 0/0 MiB, islands unknown "}},
  });
}

TEST_CASE("gpu-inventory-feature-discovery") {
  check({
      {"whole-gpus",
       gfd("NVIDIA-H100-80GB-HBM3", "81559", "8"),
       {{"nvidia.com/gpu", 8}},
       {{"nvidia.com/gpu", 8}},
       {"nvidia.com/gpu 8/8: 8 nvidia NVIDIA-H100-80GB-HBM3 of 81559/81559 MiB, islands assumed 8"}},
      {"pcie-only",
       gfd("Tesla-T4", "16384", "2"),
       {},
       {{"nvidia.com/gpu", 2}},
       {"nvidia.com/gpu 2/2: 2 nvidia Tesla-T4 of 16384/16384 MiB, islands known 1+1"}},
      {"bridge-may-be-missing",
       gfd("A100-PCIE-40GB", "40536", "2"),
       {},
       {{"nvidia.com/gpu", 2}},
       {"nvidia.com/gpu 2/2: 2 nvidia A100-PCIE-40GB of 40536/40536 MiB, islands unknown "}},
      {"unknown-product",
       gfd("NVIDIA-Future-9000", "500000", "2"),
       {},
       {{"nvidia.com/gpu", 2}},
       {"nvidia.com/gpu 2/2: 2 nvidia NVIDIA-Future-9000 of 500000/500000 MiB, islands unknown "}},
      {"hardware-without-allocatable",
       gfd("Tesla-T4", "15360", "1"),
       {},
       {},
       {"- 0/0: 1 nvidia Tesla-T4 of 15360/15360 MiB, islands known 1 not advertised"},
       {"gpus-not-advertised"}},
      {"allocatable-below-label",
       gfd("NVIDIA-L4", "23034", "4"),
       {{"nvidia.com/gpu", 4}},
       {{"nvidia.com/gpu", 3}},
       {"nvidia.com/gpu 3/4: 4 nvidia NVIDIA-L4 of 23034/23034 MiB, islands known 1+1+1+1"},
       {"gpus-unhealthy"}},
      {"allocatable-above-label",
       gfd("NVIDIA-L4", "23034", "2"),
       {},
       {{"nvidia.com/gpu", 3}},
       {"nvidia.com/gpu 3/3: 3 nvidia NVIDIA-L4 of 23034/23034 MiB, islands known 1+1+1"},
       {"gpu-count-differs"}},
      {"clique",
       with(gfd("NVIDIA-GB200", "189471", "4"), {{"nvidia.com/gpu.clique", "c1.5"}}),
       {},
       {{"nvidia.com/gpu", 4}},
       {"nvidia.com/gpu 4/4: 4 nvidia NVIDIA-GB200 of 189471/189471 MiB, islands known 4"}},
      {"only-marked-as-present",
       {{"nvidia.com/gpu.present", "true"}},
       {},
       {},
       {"- 0/0: 0+ nvidia ? of 0/0 MiB, islands unknown  not advertised"},
       {"gpus-not-advertised"}},
      {"only-a-pci-device-as-node-feature-discovery-tells",
       {{"feature.node.kubernetes.io/pci-0302_10de.present", "true"}},
       {},
       {},
       {"- 0/0: 0+ nvidia ? of 0/0 MiB, islands unknown  not advertised"},
       {"gpus-not-advertised"}},
      {"mig-strategy-on-a-gpu-without-mig",
       with(gfd("Tesla-T4", "15360", "1"), {{"nvidia.com/mig.strategy", "single"}}),
       {},
       {{"nvidia.com/gpu", 1}},
       {"nvidia.com/gpu 1/1: 1 nvidia Tesla-T4 of 15360/15360 MiB, islands known 1"}},
      {"mig-change-unfinished",
       with(gfd("NVIDIA-H100-80GB-HBM3", "81559", "1"),
            {{"nvidia.com/mig.config", "all-1g.10gb"}, {"nvidia.com/mig.config.state", "pending"}}),
       {{"nvidia.com/gpu", 1}},
       {{"nvidia.com/gpu", 0}},
       {"nvidia.com/gpu 0/1: 1 nvidia NVIDIA-H100-80GB-HBM3 of 81559/81559 MiB, islands known 1 broken"},
       {"mig-change-unfinished", "gpus-not-allocatable"}},
      {"vgpu-has-no-mig-geometry",
       with(gfd("GRID-A100-10C", "10240", "1"), {{"nvidia.com/vgpu.present", "true"}}),
       {},
       {{"nvidia.com/gpu", 1}},
       {"nvidia.com/gpu 1/1: 1 nvidia GRID-A100-10C of 0/10240 MiB vgpu, islands known 1"}},
      {"a-word-is-not-a-number",
       {{"nvidia.com/gpu.product", "NVIDIA-L4"}, {"nvidia.com/gpu.count", "two"}, {"nvidia.com/gpu.memory", "-5"}},
       {},
       {{"nvidia.com/gpu", 2}},
       {"nvidia.com/gpu 2/2: 2? nvidia NVIDIA-L4 of 23034/23034 MiB, islands assumed 1+1"}},
  });
}

TEST_CASE("gpu-inventory-bandwidth-and-numa") {
  const GpuInventory azure =
      infer({{"node.kubernetes.io/instance-type", "Standard_ND96asr_v4"}}, {}, {{"nvidia.com/gpu", 8}});
  REQUIRE(azure.groups.size() == 1);
  CHECK(azure.groups[0].nvlink_mbps == 300'000);
  CHECK(azure.groups[0].pcie_mbps == 32'000);
  CHECK(azure.groups[0].numa_nodes == std::vector<std::int32_t>{1, 1, 0, 0, 3, 3, 2, 2});
  CHECK(azure.groups[0].architecture == "ampere");
  REQUIRE(azure.groups[0].mig_board != nullptr);
  CHECK(azure.groups[0].mig_board->id == "a100-40gb");
  CHECK(inferred(azure, "NUMA nodes", "instance type Standard_ND96asr_v4"));
  CHECK(inferred(azure, "islands", "instance type Standard_ND96asr_v4"));

  const GpuInventory one_lost =
      infer({{"node.kubernetes.io/instance-type", "Standard_ND96asr_v4"}}, {}, {{"nvidia.com/gpu", 7}});
  CHECK(one_lost.groups[0].count == 7);
  CHECK(one_lost.groups[0].numa_nodes.empty());

  const GpuInventory vgpu = infer(gfd("GRID-A100-4C", "4096", "1"), {}, {{"nvidia.com/gpu", 1}});
  CHECK(vgpu.groups[0].mig_board == nullptr);
  CHECK(inferred(vgpu, "model", "label nvidia.com/gpu.product"));
}

TEST_CASE("gpu-inventory-resource-roles") {
  struct Role {
    const char* name;
    ResourceRole role;
    const char* vendor;
  };
  const Role roles[] = {
      {"nvidia.com/gpu", ResourceRole::kDevice, "nvidia"},
      {"nvidia.com/gpu.shared", ResourceRole::kDevice, "nvidia"},
      {"nvidia.com/mig-1g.24gb-me", ResourceRole::kMig, "nvidia"},
      {"nvidia.com/mig-1g.10gb.me.all", ResourceRole::kMig, "nvidia"},
      {"nvidia.com/gpumem-percentage", ResourceRole::kCounter, "nvidia"},
      {"nvidia.com/hostdev", ResourceRole::kOther, ""},
      {"nvidia.com/NVIDIA_A10-12Q", ResourceRole::kVgpu, "nvidia"},
      {"amd.com/dpx_nps2", ResourceRole::kVgpu, "amd"},
      {"gpu.intel.com/tiles", ResourceRole::kCounter, "intel"},
      {"huawei.com/Ascend310P", ResourceRole::kDevice, "huawei"},
      {"huawei.com/npu", ResourceRole::kDevice, "huawei"},
      {"cambricon.com/mlu", ResourceRole::kDevice, "cambricon"},
      {"cambricon.com/mlu.smlu.vcore", ResourceRole::kCounter, "cambricon"},
      {"alibabacloud.com/ppu", ResourceRole::kDevice, "thead"},
      {"mthreads.com/vgpu", ResourceRole::kDevice, "mthreads"},
      {"iluvatar.ai/vgpu", ResourceRole::kDevice, "iluvatar"},
      {"enflame.com/gcu", ResourceRole::kDevice, "enflame"},
      {"rdma/hca_shared_devices_a", ResourceRole::kOther, ""},
      {"vpc.amazonaws.com/efa", ResourceRole::kOther, ""},
      {"cpu", ResourceRole::kOther, ""},
      {"", ResourceRole::kOther, ""},
      {"/", ResourceRole::kOther, ""},
  };
  for (const Role& expected : roles) {
    INFO(expected.name);
    const ResourceKind kind = classify_resource(expected.name);
    CHECK(kind.role == expected.role);
    CHECK(kind.vendor == expected.vendor);
  }
}
