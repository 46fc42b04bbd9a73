#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gpusched/io/hardware_file.hpp"

using namespace gpusched;
using namespace gpusched::io;

namespace {

using Islands = std::vector<std::vector<std::uint32_t>>;
using Texts = std::vector<std::string>;

Result<HardwareFile> read(const std::string& text) {
  const auto documents = parse_documents({"hardware.yaml", text});
  REQUIRE(documents);
  REQUIRE(documents->size() == 1);
  return read_hardware(documents->front());
}

Texts errors(const std::string& text) {
  const Result<HardwareFile> file = read(text);
  Texts lines;
  if (file) return lines;
  for (const Diagnostic& d : file.error()) lines.push_back(fmt::format("{}: {}", d.code, d.pointer));
  return lines;
}

const std::vector<LabelFact> kLabels = {{"nvidia.com/gpu.product", "NVIDIA-A100-80GB-PCIe"},
                                        {"nvidia.com/gpu.memory", "81920"},
                                        {"nvidia.com/gpu.count", "4"},
                                        {"node.kubernetes.io/instance-type", "Custom-4xA100"},
                                        {"pool", "training"}};
const std::vector<ResourceFact> kFour = {{"nvidia.com/gpu", 4}};

GpuInventory apply(const std::string& rules, const std::vector<LabelFact>& labels = kLabels,
                   const std::vector<ResourceFact>& amounts = kFour) {
  const Result<HardwareFile> file = read("hardware:\n" + rules);
  REQUIRE(file);
  const NodeFacts node{"n1", labels, amounts, amounts, {}};
  GpuInventory inventory = infer_gpus(node);
  apply_hardware(inventory, node, *file);
  REQUIRE(inventory.groups.size() == 1);
  return inventory;
}

}  // namespace

TEST_CASE("hardware-selects") {
  struct Case {
    const char* name;
    const char* selector;
    bool applies;
  };
  const Case cases[] = {
      {"every-gpu", "", true},
      {"product", "products: [NVIDIA-A100-80GB-PCIe]", true},
      {"product-in-other-words", "products: [a100 80gb pcie]", true},
      {"another-product", "products: [NVIDIA-A100-SXM4-80GB]", false},
      {"one-of-the-products", "products: [NVIDIA-L4, NVIDIA-A100-80GB-PCIe]", true},
      {"node-selector", "node_selector: {pool: training}", true},
      {"node-selector-other-value", "node_selector: {pool: serving}", false},
      {"node-selector-missing-label", "node_selector: {rack: r1}", false},
      {"instance-type-in-any-case", "instance_types: [custom-4xa100]", true},
      {"another-instance-type", "instance_types: [p4d.24xlarge]", false},
      {"count", "count: 4", true},
      {"another-count", "count: 8", false},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    const GpuInventory inventory = apply(fmt::format("- pcie_gbps: 12.5\n  {}\n", c.selector));
    CHECK((inventory.groups[0].pcie_mbps == 12'500) == c.applies);
  }
}

TEST_CASE("hardware-sets") {
  SECTION("islands-numa-nodes-and-bandwidth") {
    const GpuInventory inventory =
        apply("- islands: [[0, 1], [2, 3]]\n  numa_nodes: [[0, 2], [1]]\n  nvlink_gbps: 300\n  pcie_gbps: 32\n");
    const GpuGroup& group = inventory.groups[0];
    CHECK(group.islands == Islands{{0, 1}, {2, 3}});
    CHECK(group.islands_basis == Basis::kKnown);
    CHECK(group.numa_nodes == std::vector<std::int32_t>{0, 1, 0, -1});
    CHECK(group.nvlink_mbps == 300'000);
    CHECK(inventory.inferred.back() == Inference{"hardware of NVIDIA-A100-80GB-PCIe", "rule 1 of the hardware file"});
  }
  SECTION("a-gpu-in-no-list-is-alone") {
    CHECK(apply("- islands: [[1, 2]]\n").groups[0].islands == Islands{{1, 2}, {0}, {3}});
  }
  SECTION("the-later-rule-wins") {
    CHECK(apply("- pcie_gbps: 16\n- pcie_gbps: 64\n").groups[0].pcie_mbps == 64'000);
  }
  SECTION("a-list-beyond-the-node-is-left-out") {
    const GpuInventory inventory = apply("- islands: [[0, 7]]\n  pcie_gbps: 64\n");
    CHECK(inventory.groups[0].islands_basis == Basis::kUnknown);
    CHECK(inventory.groups[0].pcie_mbps == 64'000);
    REQUIRE(inventory.warnings.size() == 1);
    CHECK(inventory.warnings[0].code == "hardware-does-not-fit");
    CHECK(inventory.warnings[0].object == "node n1");
  }
  SECTION("what-a-bare-node-is") {
    const GpuInventory inventory =
        apply("- model: NVIDIA-A100-SXM4-40GB\n  memory_gib: 40\n  time_slicing: 12\n", {}, {{"nvidia.com/gpu", 24}});
    const GpuGroup& group = inventory.groups[0];
    CHECK(group.count == 2);
    CHECK(group.count_basis == CountBasis::kKnown);
    CHECK(group.replicas == 12);
    CHECK(group.sharing == Sharing::kTimeSlicing);
    CHECK(group.unit_memory_mib == 40'960);
    REQUIRE(group.mig_board != nullptr);
    CHECK(group.mig_board->id == "a100-40gb");
  }
  SECTION("replicas-that-do-not-divide") {
    const GpuInventory inventory = apply("- time_slicing: 3\n");
    CHECK(inventory.groups[0].replicas == 1);
    CHECK(inventory.warnings.back().code == "hardware-does-not-fit");
  }
}

TEST_CASE("hardware-file-errors") {
  struct Case {
    const char* name;
    const char* text;
    Texts errors;
  };
  const Case cases[] = {
      {"good", "apiVersion: gpusched/v1alpha1\nkind: Hardware\nhardware: [{pcie_gbps: 16}]", {}},
      {"no-rules", "hardware: []", {}},
      {"missing", "kind: Hardware", {"missing-key: "}},
      {"another-kind", "kind: Node\nhardware: []", {"unknown-value: /kind"}},
      {"mistyped-key", "hardware: [{island: [[0]], pcie_gbps: 1}]", {"unknown-key: /hardware/0/island"}},
      {"says-nothing", "hardware: [{products: [NVIDIA-L4]}]", {"missing-key: /hardware/0"}},
      {"index-twice", "hardware: [{islands: [[0, 1], [1]]}]", {"duplicate-value: /hardware/0/islands/1/0"}},
      {"negative-index", "hardware: [{numa_nodes: [[-1]]}]", {"out-of-range: /hardware/0/numa_nodes/0/0"}},
      {"no-list-of-lists",
       "hardware: [{islands: [0, 1]}]",
       {"wrong-type: /hardware/0/islands/0", "wrong-type: /hardware/0/islands/1"}},
      {"too-many-gpus", "hardware: [{count: 5000, pcie_gbps: 1}]", {"out-of-range: /hardware/0/count"}},
      {"negative-bandwidth", "hardware: [{nvlink_gbps: -1}]", {"out-of-range: /hardware/0/nvlink_gbps"}},
      {"rule-is-no-object", "hardware: [16]", {"wrong-type: /hardware/0"}},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    CHECK(errors(c.text) == c.errors);
  }
}
