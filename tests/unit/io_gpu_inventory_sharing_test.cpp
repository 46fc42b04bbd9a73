#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gpusched/io/gpu_inventory.hpp"
#include "support/gpu_inventory_text.hpp"

using namespace gpusched;
using namespace gpusched::io;
using namespace gpusched::io::test;

namespace {

constexpr std::string_view kHami = "hami.io/node-nvidia-register", kVolcano = "volcano.sh/node-vgpu-register";

/// A node with everything allocatable.
Case node(const char* name, const Labels& labels, const Amounts& amounts, const Labels& annotations, const char* group,
          const std::vector<std::string>& warnings = {}) {
  return {name, labels, amounts, amounts, {group}, warnings, annotations};
}

}  // namespace

// Lines and lists as HAMi's DecodeNodeDevices and UnMarshalNodeDevices and Volcano's decodeNodeDevices take them.
TEST_CASE("gpu-inventory-registered-by-a-sharing-plugin") {
  check({
      node("two-gpus", {}, {{"nvidia.com/gpu", 20}},
           {{kHami,
             "GPU-1,10,32768,100,NVIDIA-Tesla V100-PCIE-32GB,0,true:GPU-2,10,32768,100,NVIDIA-Tesla "
             "V100-PCIE-32GB,0,true:"}},
           {"nvidia.com/gpu 20/20: 2 nvidia Tesla-V100-PCIE-32GB of 32768/32768 MiB shared x10, islands unknown "}),
      node("index-and-mode", {}, {{"nvidia.com/gpu", 10}},
           {{kHami, "GPU-1,10,81559,100,NVIDIA-NVIDIA H100 80GB HBM3,0,true,0,hami-core:"}},
           {"nvidia.com/gpu 10/10: 1 nvidia NVIDIA-H100-80GB-HBM3 of 81559/81559 MiB shared x10, islands known 1"}),
      node(
          "a-list", {}, {{"nvidia.com/gpu", 20}},
          {{kHami, R"([{"id":"GPU-1","count":10,"devmem":23034,"devcore":100,"type":"NVIDIA-NVIDIA L4","health":true},)"
                   R"({"id":"GPU-2","index":1,"count":10,"devmem":23034,"type":"NVIDIA-NVIDIA L4"}])"}},
          {"nvidia.com/gpu 20/20: 2 nvidia NVIDIA-L4 of 23034/23034 MiB shared x10, islands known 1+1"}),
      node("more-memory-promised-than-there-is", {}, {{"nvidia.com/gpu", 10}},
           {{kHami, "GPU-1,10,73728,300,NVIDIA-NVIDIA GeForce RTX 3090,0,true:"}},
           {"nvidia.com/gpu 10/10: 1 nvidia NVIDIA-GeForce-RTX-3090 of 24576/24576 MiB shared x10, islands known 1"}),
      node("not-split", {}, {{"nvidia.com/gpu", 1}}, {{kHami, "GPU-1,1,23034,100,NVIDIA-NVIDIA L4,0,true:"}},
           {"nvidia.com/gpu 1/1: 1 nvidia NVIDIA-L4 of 23034/23034 MiB, islands known 1"}),
      node("beside-feature-discovery", gfd("NVIDIA-L4", "23034", "2"), {{"nvidia.com/gpu", 20}},
           {{kHami, "GPU-1,10,46068,100,NVIDIA-NVIDIA L4,0,true:GPU-2,10,46068,100,NVIDIA-NVIDIA L4,0,true:"}},
           {"nvidia.com/gpu 20/20: 2 nvidia NVIDIA-L4 of 23034/23034 MiB shared x10, islands known 1+1"}),
      node("only-registered", {}, {}, {{kHami, "GPU-1,10,23034,100,NVIDIA-NVIDIA L4,0,true:"}},
           {"- 0/0: 1 nvidia NVIDIA-L4 of 23034/23034 MiB, islands known 1 not advertised"}, {"gpus-not-advertised"}),
      node("volcano", {}, {{"volcano.sh/vgpu-number", 20}, {"volcano.sh/vgpu-memory", 65536}},
           {{kVolcano,
             "GPU-1,10,32768,NVIDIA-Tesla V100-PCIE-32GB,true,hami-core:GPU-2,10,32768,NVIDIA-Tesla "
             "V100-PCIE-32GB,true,hami-core"}},
           {"volcano.sh/vgpu-number 20/20: 2 nvidia Tesla-V100-PCIE-32GB of 32768/32768 MiB shared x10, islands "
            "unknown "}),
      node("a-register-of-another-resource",  // its units are not those of nvidia.com/gpu
           {}, {{"nvidia.com/gpu", 2}},
           {{kVolcano, "GPU-1,4,23034,NVIDIA-NVIDIA L4,true,hami-core:GPU-2,4,23034,NVIDIA-NVIDIA L4,true,hami-core"}},
           {"nvidia.com/gpu 2/2: 2 nvidia NVIDIA-L4 of 23034/23034 MiB, islands known 1+1"}),
      node("different-gpus", {}, {{"nvidia.com/gpu", 20}},
           {{kHami, "GPU-1,10,23034,100,NVIDIA-NVIDIA L4,0,true:GPU-2,10,15360,100,NVIDIA-Tesla T4,0,true:"}},
           {"nvidia.com/gpu 20/20: 2 nvidia ? of 0/0 MiB shared x10, islands unknown "}),
  });
}

TEST_CASE("gpu-inventory-registers-that-cannot-be-read-say-nothing") {
  for (const char* const text :
       {"", ":", ",", "GPU-1", "GPU-1,10,23034,100,NVIDIA-NVIDIA L4,0", "GPU-1,x,23034,100,NVIDIA-NVIDIA L4,0,true:",
        "GPU-1,-1,23034,100,NVIDIA-NVIDIA L4,0,true:", "GPU-1,99999999999999999999,23034,100,L4,0,true:", "[", "[1]",
        "[[[[[[[[", "[{\"count\":-1}]", "[]", "[] []", "{}"}) {
    INFO(text);
    const GpuInventory inventory = infer({}, {{"nvidia.com/gpu", 10}}, {{"nvidia.com/gpu", 10}}, {{kHami, text}});
    REQUIRE(inventory.groups.size() == 1);
    CHECK(inventory.groups.front().replicas == 1);
    CHECK(inventory.groups.front().model.empty());
  }
}

TEST_CASE("gpu-inventory-units-that-labels-call-whole") {
  check({{"replicas-1-and-ten-units-a-gpu",
          gfd("NVIDIA-L4", "23034", "2"),
          {{"nvidia.com/gpu", 20}},
          {{"nvidia.com/gpu", 20}},
          {"nvidia.com/gpu 20/20: 2 nvidia NVIDIA-L4 of 23034/23034 MiB shared x10, islands known 1+1"},
          {"gpus-shared-otherwise"}}});
}

TEST_CASE("gpu-inventory-gpus-given-out-in-parts") {
  struct Case {
    Amounts amounts;
    std::string_view parts;
    std::vector<std::string> groups;
  };
  const Labels ack = {{"aliyun.accelerator/nvidia_count", "2"},
                      {"aliyun.accelerator/nvidia_mem", "16276MiB"},
                      {"aliyun.accelerator/nvidia_name", "Tesla-P100-PCIE-16GB"}};
  const std::string unknown = "- 0/0: 2 nvidia ? of 0/0 MiB, islands unknown  not advertised";
  for (const Case& c : std::vector<Case>{
           {{{"aliyun.com/gpu-count", 2}, {"aliyun.com/gpu-mem", 30}}, "aliyun.com/gpu-mem", {unknown}},
           {{{"tencent.com/vcuda-core", 200}, {"tencent.com/vcuda-memory", 60}}, "tencent.com/vcuda-core", {unknown}},
           {{{"elasticgpu.io/gpu-core", 200}}, "elasticgpu.io/gpu-core", {unknown}},
           {{{"tke.cloud.tencent.com/qgpu-core", 200}}, "tke.cloud.tencent.com/qgpu-core", {unknown}},
           {{{"vke.volcengine.com/mgpu-core", 200}}, "vke.volcengine.com/mgpu-core", {unknown}},
           {{{"volcano.sh/gpu-core.percentage", 200}}, "volcano.sh/gpu-core.percentage", {unknown}},
           {{{"koordinator.sh/gpu", 200}}, "koordinator.sh/gpu", {unknown}},
           {{{"koordinator.sh/gpu-core", 200}, {"nvidia.com/gpu", 2}},
            "koordinator.sh/gpu-core",
            {"nvidia.com/gpu 2/2: 2 nvidia ? of 0/0 MiB, islands unknown "}},
           {{{"volcano.sh/gpu-memory", 30000}, {"volcano.sh/gpu-number", 2}},
            "volcano.sh/gpu-memory",
            {"volcano.sh/gpu-number 2/2: 2 nvidia ? of 0/0 MiB, islands unknown "}},
           {{{"volcano.sh/gpu-number", 2}},
            "",
            {"volcano.sh/gpu-number 2/2: 2? nvidia ? of 0/0 MiB, islands unknown "}},
       }) {
    INFO(c.parts);
    const GpuInventory inventory = infer({}, c.amounts, c.amounts);
    CHECK(inventory.parts == c.parts);
    CHECK(summaries(inventory) == c.groups);
  }
  const Amounts shares = {{"aliyun.com/gpu-count", 2}, {"aliyun.com/gpu-mem", 30}};
  CHECK(summaries(infer(ack, shares, shares)) ==
        std::vector<std::string>{
            "- 0/0: 2 nvidia Tesla-P100-PCIE-16GB of 16276/16276 MiB, islands known 1+1 not advertised"});
  // Koordinator counts other vendors' devices by the same names.
  const Amounts percent = {{"koordinator.sh/gpu-core", 800}};
  CHECK(infer({{"node.koordinator.sh/gpu-vendor", "huawei"}}, percent, percent).groups.empty());
}

TEST_CASE("gpu-inventory-labels-of-providers") {
  struct Case {
    Labels labels;
    std::string group;
  };
  const std::string t4 = "nvidia.com/gpu 1/1: 1 nvidia Tesla-T4 of 15360/15360 MiB, islands known 1";
  for (const Case& c : std::vector<Case>{
           {{{"karpenter.azure.com/sku-gpu-name", "T4"},
             {"karpenter.azure.com/sku-gpu-manufacturer", "nvidia"},
             {"karpenter.azure.com/sku-gpu-count", "1"}},
            t4},
           {{{"karpenter.k8s.gcp/instance-gpu-name", "nvidia-tesla-t4"}, {"karpenter.k8s.gcp/instance-gpu-count", "1"}},
            t4},
           {{{"aliyun.accelerator/nvidia_name", "Tesla-T4"}, {"aliyun.accelerator/nvidia_count", "1"}}, t4},
           {{{"crusoe.ai/accelerator", "nvidia-t4"}},
            "nvidia.com/gpu 1/1: 1? nvidia Tesla-T4 of 15360/15360 MiB, islands assumed 1"},
           {{{"nebius.com/gpu-name", "B200"}},
            "nvidia.com/gpu 1/1: 1? nvidia NVIDIA-B200 of 183359/183359 MiB, islands assumed 1"},
           {{{"doks.digitalocean.com/gpu-brand", "nvidia"}, {"doks.digitalocean.com/gpu-model", "l40s"}},
            "nvidia.com/gpu 1/1: 1? nvidia NVIDIA-L40S of 46068/46068 MiB, islands assumed 1"},
           {{{"node.koordinator.sh/gpu-vendor", "nvidia"}, {"node.koordinator.sh/gpu-model", "NVIDIA-L4"}},
            "nvidia.com/gpu 1/1: 1? nvidia NVIDIA-L4 of 23034/23034 MiB, islands assumed 1"},
           {{{"doks.digitalocean.com/gpu-brand", "amd"}, {"doks.digitalocean.com/gpu-model", "mi300x"}},
            "nvidia.com/gpu 1/1: 1? nvidia ? of 0/0 MiB, islands assumed 1"},
           {{{"crusoe.ai/accelerator", "amd-mi300x"}}, "nvidia.com/gpu 1/1: 1? nvidia ? of 0/0 MiB, islands assumed 1"},
       }) {
    const Amounts one = {{"nvidia.com/gpu", 1}};
    INFO(c.labels.front().first);
    CHECK(summaries(infer(c.labels, one, one)) == std::vector{c.group});
  }
}
