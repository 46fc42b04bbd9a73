#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gpusched/io/gpu_inventory.hpp"
#include "support/gpu_inventory_text.hpp"

using namespace gpusched;
using namespace gpusched::io;
using namespace gpusched::io::test;

TEST_CASE("gpu-inventory-mig") {
  check({
      {"single",
       {{"nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb"},
        {"nvidia.com/gpu.count", "14"},
        {"nvidia.com/gpu.memory", "9984"},
        {"nvidia.com/gpu.replicas", "1"}},
       {},
       {{"nvidia.com/gpu", 14}},
       {"nvidia.com/gpu 14/14: 2+ nvidia NVIDIA-H100-80GB-HBM3 of 81559/9984 MiB, mig single 1g.10gb=14, "
        "islands assumed 2"}},
      {"single-shared",
       {{"nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb-SHARED"},
        {"nvidia.com/gpu.count", "7"},
        {"nvidia.com/gpu.replicas", "2"},
        {"nvidia.com/gpu.sharing-strategy", "time-slicing"}},
       {},
       {{"nvidia.com/gpu", 14}},
       {"nvidia.com/gpu 14/14: 1+ nvidia NVIDIA-H100-80GB-HBM3 of 81559/0 MiB time-slicing x2, mig single 1g.10gb=7, "
        "islands assumed 1"}},
      {"gke-partition-size",
       {{"cloud.google.com/gke-accelerator", "nvidia-tesla-a100"},
        {"cloud.google.com/gke-accelerator-count", "1"},
        {"cloud.google.com/gke-gpu-partition-size", "1g.5gb"}},
       {},
       {{"nvidia.com/gpu", 7}},
       {"nvidia.com/gpu 7/7: 1 nvidia NVIDIA-A100-SXM4-40GB of 40960/0 MiB, mig single 1g.5gb=7, islands known 1"}},
      {"single-rules-broken",
       {{"nvidia.com/gpu.product", "NVIDIA-A30-MIG-INVALID"}, {"nvidia.com/gpu.count", "0"}},
       {},
       {{"nvidia.com/gpu", 0}},
       {"nvidia.com/gpu 0/0: 0+ nvidia NVIDIA-A30 of 24576/0 MiB, mig single , islands unknown  broken"},
       {"mig-strategy-violated", "gpus-not-allocatable"}},
      {"mixed-with-whole-gpus",
       gfd("NVIDIA-A100-SXM4-40GB", "40960", "8"),
       {{"nvidia.com/gpu", 6},
        {"nvidia.com/mig-1g.5gb", 4},
        {"nvidia.com/mig-2g.10gb", 2},
        {"nvidia.com/mig-3g.20gb", 2}},
       {{"nvidia.com/gpu", 6},
        {"nvidia.com/mig-1g.5gb", 4},
        {"nvidia.com/mig-2g.10gb", 2},
        {"nvidia.com/mig-3g.20gb", 2}},
       {"nvidia.com/gpu 6/6: 6 nvidia NVIDIA-A100-SXM4-40GB of 40960/40960 MiB, islands assumed 6",
        "- 0/0: 2 nvidia NVIDIA-A100-SXM4-40GB of 40960/0 MiB, mig mixed 1g.5gb=4 2g.10gb=2 3g.20gb=2, "
        "islands assumed 2"}},
      {"keys-with-zero",
       gfd("NVIDIA-A100-SXM4-40GB", "40960", "1", "0"),
       {{"nvidia.com/gpu", 0}, {"nvidia.com/mig-1g.5gb", 0}, {"nvidia.com/mig-7g.40gb", 1}},
       {{"nvidia.com/gpu", 0}, {"nvidia.com/mig-1g.5gb", 0}, {"nvidia.com/mig-7g.40gb", 1}},
       {"- 0/0: 1 nvidia NVIDIA-A100-SXM4-40GB of 40960/0 MiB, mig mixed 7g.40gb=1, islands known 1"}},
      {"old-label-of-the-resource",
       {{"nvidia.com/mig-3g.21gb.count", "16"}, {"nvidia.com/mig-3g.21gb.memory", "20096"}},
       {},
       {{"nvidia.com/mig-3g.20gb", 16}},
       {"- 0/0: 8+ nvidia ? of 40960/0 MiB, mig mixed 3g.20gb=16, islands unknown "}},
      {"half-of-the-instances-lost",
       gfd("NVIDIA-A30", "24576", "1", "0"),
       {{"nvidia.com/mig-1g.6gb", 4}},
       {{"nvidia.com/mig-1g.6gb", 2}},
       {"- 0/0: 1 nvidia NVIDIA-A30 of 24576/0 MiB, mig mixed 1g.6gb=4, islands known 1"},
       {"gpus-unhealthy"}},
      {"all-instances-lost",
       gfd("NVIDIA-A30", "24576", "1", "0"),
       {{"nvidia.com/mig-1g.6gb", 4}},
       {{"nvidia.com/mig-1g.6gb", 0}},
       {"- 0/0: 1 nvidia NVIDIA-A30 of 24576/0 MiB, mig mixed 1g.6gb=4, islands known 1 broken"},
       {"gpus-not-allocatable"}},
      {"labels-only",
       with(gfd("NVIDIA-A30", "24576", "1", "0"), {{"nvidia.com/mig-1g.6gb.count", "4"}}),
       {},
       {},
       {"- 0/0: 1 nvidia NVIDIA-A30 of 24576/0 MiB, mig mixed 1g.6gb=4, islands known 1 not advertised"},
       {"gpus-not-advertised"}},
      {"too-many-instances",
       gfd("NVIDIA-A30", "24576", "1", "0"),
       {},
       {{"nvidia.com/mig-1g.6gb", 5}},
       {"- 0/0: 1 nvidia NVIDIA-A30 of 24576/0 MiB, mig mixed 1g.6gb=5, islands known 1"},
       {"mig-layout-unknown"}},
      {"profile-of-another-board",
       gfd("NVIDIA-A30", "24576", "1", "0"),
       {},
       {{"nvidia.com/mig-3g.71gb", 1}},
       {"- 0/0: 1 nvidia NVIDIA-A30 of 24576/0 MiB, mig mixed 3g.71gb=1, islands known 1"},
       {"mig-layout-unknown"}},
      {"suffix-as-in-resources",
       gfd("NVIDIA-H100-80GB-HBM3", "81559", "1", "0"),
       {},
       {{"nvidia.com/mig-1g.10gb.me", 1}, {"nvidia.com/mig-1g.10gb", 6}},
       {"- 0/0: 1 nvidia NVIDIA-H100-80GB-HBM3 of 81559/0 MiB, mig mixed 1g.10gb=6 1g.10gb+me=1, islands known 1"}},
      {"a-billion-instances",
       gfd("NVIDIA-A30", "24576", "1", "0"),
       {},
       {{"nvidia.com/mig-1g.6gb", 1'000'000'000}},
       {"- 0/0: 1 nvidia NVIDIA-A30 of 24576/0 MiB, mig mixed 1g.6gb=1000000000, islands known 1"},
       {"mig-layout-unknown"}},
  });
}

TEST_CASE("gpu-inventory-mig-layouts") {
  const auto layouts = [](const GpuGroup& group) {
    std::vector<std::string> texts;
    for (const mig::Layout& layout : group.layouts) {
      std::vector<std::string> words;
      for (const mig::Instance& instance : layout) words.push_back(mig::to_string(*group.mig_board, instance));
      texts.push_back(join(words, " "));
    }
    return texts;
  };
  using Texts = std::vector<std::string>;
  const Labels two = gfd("NVIDIA-A100-SXM4-40GB", "40960", "2", "0");

  const GpuInventory equal =
      infer(two, {}, {{"nvidia.com/mig-1g.5gb", 4}, {"nvidia.com/mig-2g.10gb", 2}, {"nvidia.com/mig-3g.20gb", 2}});
  CHECK(layouts(equal.groups[0]) ==
        Texts{"1g.5gb@0 1g.5gb@1 2g.10gb@2 3g.20gb@4", "1g.5gb@0 1g.5gb@1 2g.10gb@2 3g.20gb@4"});
  CHECK(equal.groups[0].layout_basis == Basis::kAssumed);
  CHECK(inferred(equal, "layout assumed", "counts of MIG instances: same on every GPU if possible, lowest starts"));

  const GpuInventory different = infer(two, {}, {{"nvidia.com/mig-1g.5gb", 7}, {"nvidia.com/mig-7g.40gb", 1}});
  CHECK(layouts(different.groups[0]) ==
        Texts{"1g.5gb@0 1g.5gb@1 1g.5gb@2 1g.5gb@3 1g.5gb@4 1g.5gb@5 1g.5gb@6", "7g.40gb@0"});

  const GpuInventory listed_order_fails = infer(gfd("NVIDIA-H100-80GB-HBM3", "81559", "1", "0"), {},
                                                {{"nvidia.com/mig-3g.40gb", 1}, {"nvidia.com/mig-4g.40gb", 1}});
  CHECK(layouts(listed_order_fails.groups[0]) == Texts{"4g.40gb@0 3g.40gb@4"});

  const GpuInventory empty_gpu = infer(two, {}, {{"nvidia.com/mig-7g.40gb", 1}});
  CHECK(layouts(empty_gpu.groups[0]) == Texts{"7g.40gb@0", ""});

  // The same name is the plain 1g on 80 GB and the double-memory one on 40 GB.
  const GpuInventory by_board =
      infer(gfd("NVIDIA-A100-SXM4-40GB", "40960", "1", "0"), {}, {{"nvidia.com/mig-1g.10gb", 4}});
  CHECK(layouts(by_board.groups[0]) == Texts{"1g.10gb@0 1g.10gb@2 1g.10gb@4 1g.10gb@6"});
}
