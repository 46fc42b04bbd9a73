#include "gpusched/io/topology_matrix.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace gpusched;
using namespace gpusched::io;

namespace {

using Lists = std::vector<std::vector<std::uint32_t>>;
using Numa = std::vector<std::int16_t>;

std::string first_error(std::string text) {
  const auto matrix = parse_topology_matrix({"topo.txt", std::move(text)});
  return matrix ? "" : matrix.error().front().message;
}

TopologyMatrix read(std::string text) {
  auto matrix = parse_topology_matrix({"topo.txt", std::move(text)});
  REQUIRE(matrix);
  return *std::move(matrix);
}

// Two bridged pairs on four NUMA nodes, as an Azure VM prints them.
constexpr const char* kPairs =
    "\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\tNUMA Affinity\n"
    "GPU0\t X \tNV12\tSYS\tSYS\t0-23\t0\n"
    "GPU1\tNV12\t X \tSYS\tSYS\t24-47\t1\n"
    "GPU2\tSYS\tSYS\t X \tNV12\t48-71\t2\n"
    "GPU3\tSYS\tSYS\tNV12\t X \t72-95\t3\n";

}  // namespace

TEST_CASE("topology-matrix-of-bridged-pairs") {
  const TopologyMatrix matrix = read(kPairs);
  CHECK(matrix.islands() == Lists{{0, 1}, {2, 3}});
  CHECK(matrix.numa_nodes == Numa{0, 1, 2, 3});
  CHECK(matrix.nvlinks[0][1] == 12);
  CHECK(matrix.nvlinks[0][2] == 0);
}

TEST_CASE("topology-matrix-with-nics-legend-and-underlining") {
  // Blanks instead of tabs, an underlined header, NIC columns and rows, GPU NUMA ID, several NUMA nodes.
  const TopologyMatrix matrix = read(
      "\x1b[4m        GPU0    GPU1    NIC0    CPU Affinity    NUMA Affinity   GPU NUMA ID\x1b[0m\n"
      "GPU0     X      NV18    PIX     0-71    0,3-9,11-17     2\r\n"
      "GPU1    NV18     X      SYS     72-143  1,19-25         10\r\n"
      "NIC0    PIX     SYS      X\n"
      "\nLegend:\n\n  X    = Self\n  SYS  = Connection traversing PCIe\n\nNIC Legend:\n\n  NIC0: mlx5_0\n");
  CHECK(matrix.islands() == Lists{{0, 1}});
  CHECK(matrix.numa_nodes == Numa{0, 1});
}

TEST_CASE("topology-matrix-of-a-cube-mesh-is-one-island") {
  const TopologyMatrix matrix = read(
      "\tGPU0\tGPU1\tGPU2\tGPU3\tGPU4\tGPU5\tGPU6\tGPU7\tCPU Affinity\n"
      "GPU0\tX\tNV1\tNV1\tNV2\tNV2\tSYS\tSYS\tSYS\t0-19\n"
      "GPU1\tNV1\tX\tNV2\tNV1\tSYS\tNV2\tSYS\tSYS\t0-19\n"
      "GPU2\tNV1\tNV2\tX\tNV2\tSYS\tSYS\tNV1\tSYS\t0-19\n"
      "GPU3\tNV2\tNV1\tNV2\tX\tSYS\tSYS\tSYS\tNV1\t0-19\n"
      "GPU4\tNV2\tSYS\tSYS\tSYS\tX\tNV1\tNV1\tNV2\t20-39\n"
      "GPU5\tSYS\tNV2\tSYS\tSYS\tNV1\tX\tNV2\tNV1\t20-39\n"
      "GPU6\tSYS\tSYS\tNV1\tSYS\tNV1\tNV2\tX\tNV2\t20-39\n"
      "GPU7\tSYS\tSYS\tSYS\tNV1\tNV2\tNV1\tNV2\tX\t20-39\n");
  CHECK(matrix.islands().size() == 1);
  CHECK(matrix.numa_nodes == Numa(8, -1));
}

TEST_CASE("topology-matrix-without-nvlink-and-with-words-of-older-drivers") {
  CHECK(read("\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tSOC\t0-7\nGPU1\tSOC\t X \t8-15\n").islands() == Lists{{0}, {1}});
  CHECK(read("\tGPU0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tN/A\tN/A\n").numa_nodes == Numa{-1});
}

TEST_CASE("topology-matrix-errors") {
  CHECK(first_error("nothing here\n") == "expected the matrix of nvidia-smi topo -m, found no header with GPU0");
  CHECK(first_error("\tGPU0\tGPU1\nGPU0\tX\tNV4\nGPU1\tNV2\tX\n") ==
        "GPU0 and GPU1 disagree on the NVLinks between them: 4 and 2");
  CHECK(first_error("\tGPU0\tGPU1\nGPU0\tX\tNV4\n") == "the row of GPU1 is missing");
  CHECK(first_error("\tGPU0\tGPU1\nGPU0\tX\tNV4\nGPU0\tX\tNV4\n") == "a second row for GPU0");
  CHECK(first_error("\tGPU0\tGPU1\nGPU0\tX\nGPU1\tNV4\tX\n") == "the row of GPU0 has 1 cells, the header 2");
  CHECK(first_error("\tGPU0\tGPU1\nGPU0\tX\tNV99\nGPU1\tNV99\tX\n") == "unknown connection \"NV99\" of GPU0 and GPU1");
  CHECK(first_error("\tGPU0\nGPU0\tX\nGPU5\tX\n") == "a row for GPU5, but the header has 1 GPUs");
  const auto matrix = parse_topology_matrix({"topo.txt", "\tGPU0\nGPU0\tPIXIE\n"});
  REQUIRE_FALSE(matrix);
  CHECK(matrix.error().front().source == "topo.txt");
  CHECK(matrix.error().front().line == 2);
}

TEST_CASE("topology-matrix-is-laid-over-a-node-of-that-size") {
  NodeClass node;
  node.gpus.resize(4);
  node.islands_known = false;
  REQUIRE(apply_topology(node, read(kPairs)));
  CHECK(node.islands_known);
  CHECK(node.gpus[1].island == 0);
  CHECK(node.gpus[3].island == 1);
  CHECK(node.gpus[3].numa_node == 3);
  node.gpus.resize(8);
  CHECK_FALSE(apply_topology(node, read(kPairs)));
}
