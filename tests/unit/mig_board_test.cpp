#include "gpusched/mig/board.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gpusched/mig/profile.hpp"

using namespace gpusched::mig;

namespace {

std::string board_id(std::string_view model, std::uint64_t memory_mib = 0) {
  const Board* board = find_board(model, memory_mib);
  return board == nullptr ? "" : std::string(board->id);
}

struct NameCase {
  const char* model;
  const char* board;
};

}  // namespace

TEST_CASE("mig-board-table") {
  CHECK(boards().size() == 19);
  std::size_t unknown = 0;
  for (const Board& board : boards()) {
    if (!board.starts_known) ++unknown;
  }
  CHECK(unknown == 3);

  const Board& a100 = *find_board("A100-SXM4-80GB");
  CHECK(a100.compute_slices == 7);
  CHECK(a100.memory_slices == 8);
  CHECK(a100.memory_total_mib == 81920);
  CHECK(a100.engine_budget == Engines{7, 5, 0, 1, 1});
  const Profile& profile = a100.profiles[*find_profile(a100, "3g.40gb")];
  CHECK(profile.starts == 0b0001'0001);
  CHECK(profile.memory_slices == 4);
  CHECK(profile.compute_slices == 3);
  CHECK(profile.max_instances == 2);
  CHECK(profile.gi_profile_id == 9);
  CHECK(profile.memory_mib == 40192);
  CHECK(profile.multiprocessors == 42);
}

TEST_CASE("mig-board-unknown-figures-are-not-zero") {
  const Board& h20 = *find_board("NVIDIA-H20");
  CHECK(h20.engine_budget.decoder == kUnknownEngines);
  CHECK(h20.profiles[0].engines.encoder == 0);
  CHECK(h20.profiles[0].engines.copy == kUnknownEngines);
  CHECK(h20.profiles[0].memory_mib == 0);
}

TEST_CASE("mig-board-every-product-and-id-names-its-board") {
  for (const Board& board : boards()) {
    CHECK(board_id(board.id) == board.id);
    for (const std::string_view product : board.products) {
      INFO(product);
      CHECK(board_id(product) == board.id);
    }
  }
}

TEST_CASE("mig-board-names") {
  const NameCase cases[] = {
      // the lesson's and other short forms
      {"A100-SXM4-80GB", "a100-80gb"},
      {"A100-PCIE-80GB", "a100-80gb"},
      {"A100-SXM4-40GB", "a100-40gb"},
      {"A100 80GB PCIe", "a100-80gb"},
      {"a100-80gb", "a100-80gb"},
      {"A100 80 GB", "a100-80gb"},
      {"H100-SXM-80GB", "h100-sxm5-80gb"},
      {"H100-80GB", "h100-sxm5-80gb"},
      {"H100 80GB HBM3 (SXM5)", "h100-sxm5-80gb"},
      {"H100-PCIe", "h100-pcie-80gb"},
      {"H100-PCIE-80GB", "h100-pcie-80gb"},
      {"H100-NVL", "h100-94gb"},
      {"H100 SXM5 94GB", "h100-94gb"},
      {"H100-96GB", "h100-96gb"},
      {"H200", "h200-141gb"},
      {"H200-SXM-141GB", "h200-141gb"},
      {"H200 (SXM5)", "h200-141gb"},
      {"B200", "b200-180gb"},
      {"B200 (SXM6)", "b200-180gb"},
      {"GB200", "gb200-186gb"},
      {"GB200-NVL72", "gb200-186gb"},
      {"B300 (SXM6)", "b300-269gb"},
      {"GB300", "gb300-278gb"},
      {"RTX PRO 6000 Blackwell Server Edition", "rtx-pro-6000-blackwell-96gb"},
      {"RTX PRO 4500 Blackwell", "rtx-pro-4500-blackwell-32gb"},
      // GPU Feature Discovery, NVML
      {"NVIDIA-A100-SXM4-80GB", "a100-80gb"},
      {"NVIDIA A100-SXM4-80GB", "a100-80gb"},
      {"NVIDIA-A100-80GB-PCIe", "a100-80gb"},
      {"NVIDIA-A100-PCIE-40GB", "a100-40gb"},
      {"NVIDIA-A30", "a30-24gb"},
      {"NVIDIA-A800-SXM4-80GB", "a100-80gb"},
      {"NVIDIA A800 40GB Active", "a100-40gb"},
      {"NVIDIA-H100-80GB-HBM3", "h100-sxm5-80gb"},
      {"nvidia-h100-80gb-hbm3", "h100-sxm5-80gb"},
      {"NVIDIA-H100-PCIe", "h100-pcie-80gb"},
      {"NVIDIA-H100-NVL", "h100-94gb"},
      {"NVIDIA H800", "h100-sxm5-80gb"},
      {"NVIDIA-GH200-480GB", "h100-96gb"},
      {"NVIDIA-GH200-144G-HBM3e", "gh200-144gb"},
      {"NVIDIA-H200-NVL", "h200-141gb"},
      {"NVIDIA-H20", "h20-96gb"},
      {"NVIDIA H20-3e", "h20-141gb"},
      {"NVIDIA-B300-SXM6-AC", "b300-269gb"},
      {"NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition", "rtx-pro-6000-blackwell-96gb"},
      {"NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", "rtx-pro-6000-blackwell-96gb"},
      // suffixes of GPU Feature Discovery
      {"NVIDIA-A100-SXM4-40GB-SHARED", "a100-40gb"},
      {"NVIDIA-H100-80GB-HBM3-MIG-1g.10gb", "h100-sxm5-80gb"},
      {"NVIDIA-H100-80GB-HBM3-MIG-1g.10gb-SHARED", "h100-sxm5-80gb"},
      {"NVIDIA-A100-SXM4-80GB-MIG-INVALID", "a100-80gb"},
      {"A100-SXM4-40GB-MIG-1g.5g", "a100-40gb"},
      {"NVIDIA-H20-MIG-1g.18gb", "h20-141gb"},
      {"NVIDIA-H20-MIG-1g.12gb", "h20-96gb"},
      // cloud labels
      {"nvidia-tesla-a100", "a100-40gb"},
      {"nvidia-a100-80gb", "a100-80gb"},
      {"nvidia-h100-80gb", "h100-sxm5-80gb"},
      {"nvidia-h100-mega-80gb", "h100-sxm5-80gb"},
      {"nvidia-h200-141gb", "h200-141gb"},
      {"nvidia-rtx-pro-6000", "rtx-pro-6000-blackwell-96gb"},
      {"A100_NVLINK_80GB", "a100-80gb"},
      {"H100_NVLINK_80GB", "h100-sxm5-80gb"},
  };
  for (const NameCase& c : cases) {
    INFO(c.model);
    CHECK(board_id(c.model) == c.board);
  }
}

TEST_CASE("mig-board-names-without-mig-or-unclear") {
  const char* models[] = {"",
                          "L4",
                          "NVIDIA-L40S",
                          "L40",
                          "Tesla-T4",
                          "T4G",
                          "V100-SXM2-32GB",
                          "Tesla-V100-SXM2-16GB-N",
                          "A40",
                          "A10",
                          "A10G",
                          "NVIDIA-A16",
                          "GRID-A100-4C",
                          "GRID A100-40C",
                          "NVIDIA A100-40C",
                          "NVIDIA A100-1-5C",
                          "NVIDIA RTX Pro 6000 Blackwell DC-96Q",
                          "NVIDIA RTX 6000 Ada Generation",
                          "Quadro RTX 6000",
                          "NVIDIA-GB10",
                          "MI300X",
                          "A100",
                          "NVIDIA A100-SXM4",
                          "A100-PCIE",
                          "A100_NVLINK",
                          "H100",
                          "H100-SXM5",
                          "GH200",
                          "A100-SXM-64GB",
                          "A100-SXM4-40GB-80GB",
                          "H100 PCIe NVL",
                          "NVIDIA RTX PRO 5000 72GB Blackwell",
                          "A100X",
                          "-MIG-1g.10gb",
                          "80GB",
                          "---"};
  for (const char* model : models) {
    INFO(model);
    CHECK(board_id(model).empty());
  }
  CHECK(board_id(std::string(1'000'000, 'A')).empty());
}

TEST_CASE("mig-board-memory-decides") {
  CHECK(board_id("A100", 40960) == "a100-40gb");
  CHECK(board_id("A100", 40536) == "a100-40gb");
  CHECK(board_id("NVIDIA-A100-PCIE", 80 * 1024) == "a100-80gb");
  CHECK(board_id("A100", 64 * 1024).empty());
  CHECK(board_id("H100", 81559) == "h100-sxm5-80gb");
  CHECK(board_id("H100-PCIe", 81559) == "h100-pcie-80gb");
  CHECK(board_id("H100", 95830) == "h100-94gb");
  CHECK(board_id("H100", 97871) == "h100-96gb");
  CHECK(board_id("GH200", 97871) == "h100-96gb");
  CHECK(board_id("GH200", 146831) == "gh200-144gb");
  CHECK(board_id("H20", 97871) == "h20-96gb");
  CHECK(board_id("H20", 143771) == "h20-141gb");
  CHECK(board_id("nvidia-tesla-a100", 81920) == "a100-80gb");
}

TEST_CASE("mig-board-memory-in-the-name-wins") {
  CHECK(board_id("A100-SXM4-80GB", 40960) == "a100-80gb");
  // GFD reports the memory of one instance here.
  CHECK(board_id("NVIDIA-H200-MIG-1g.18gb", 16384) == "h200-141gb");
}

TEST_CASE("mig-board-dgx-station-gb300-is-another-geometry") {
  CHECK(board_id("NVIDIA GB300", 284208) == "gb300-278gb");
  CHECK(board_id("NVIDIA GB300", 251 * 1024).empty());
}

TEST_CASE("mig-board-candidates-for-a-message") {
  std::vector<std::string> ids;
  for (const Board* board : board_candidates("A100")) ids.emplace_back(board->id);
  CHECK(ids == std::vector<std::string>{"a100-40gb", "a100-80gb"});
  CHECK(board_candidates("L4").empty());
}
