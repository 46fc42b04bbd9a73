#include "gpusched/mig/named_config.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gpusched/mig/layout.hpp"

using namespace gpusched;
using namespace gpusched::mig;

namespace {

/// "2 x 1g.10gb" is "1g.10gb 1g.10gb"; the error's code if there is one.
std::string config(const char* model, std::string_view name) {
  const Board& board = *find_board(model);
  const auto found = find_named_config(name, board);
  if (!found) return found.error().front().code;
  std::string text = found->mig_enabled ? "" : "disabled";
  for (const ProfileIndex i : found->profiles) text += (text.empty() ? "" : " ") + std::string(board.profiles[i].name);
  return text;
}

std::string repeat(const std::string& word, int count) {
  std::string text = word;
  for (int i = 1; i < count; ++i) text += " " + word;
  return text;
}

}  // namespace

TEST_CASE("mig-config-names") {
  struct Case {
    const char* model;
    const char* name;
    std::string expected;
  };
  const Case cases[] = {
      {"A100-SXM4-80GB", "all-disabled", "disabled"},
      {"A100-SXM4-80GB", "all-enabled", ""},
      {"A100-SXM4-80GB", "all-1g.10gb", repeat("1g.10gb", 7)},
      {"A100-SXM4-40GB", "all-1g.10gb", repeat("1g.10gb", 4)},
      {"A100-SXM4-40GB", "all-1g.5gb", repeat("1g.5gb", 7)},
      {"H100-NVL", "all-1g.24gb", repeat("1g.24gb", 4)},
      {"RTX PRO 6000", "all-1g.24gb", repeat("1g.24gb", 4)},
      {"RTX PRO 6000", "all-1g.24gb.me.all", "1g.24gb+me.all"},
      {"RTX PRO 6000", "all-1g.24gb-me", repeat("1g.24gb-me", 4)},
      {"H200", "all-1g.35gb", repeat("1g.35gb", 4)},
      {"GB300", "all-1g.35gb", repeat("1g.35gb", 7)},
      {"GB200", "all-7g.189gb", "7g.186gb"},
      {"GB200", "all-1g.24gb", "mig-config-not-on-board"},
      {"A100-SXM4-80GB", "all-1g.10gb.me", "1g.10gb+me"},
      {"A100-SXM4-80GB", "all-balanced", "1g.10gb 1g.10gb 2g.20gb 3g.40gb"},
      {"A100-SXM4-40GB", "all-balanced", "1g.5gb 1g.5gb 2g.10gb 3g.20gb"},
      {"H100-96GB", "all-balanced", "1g.12gb 1g.12gb 2g.24gb 3g.48gb"},
      {"A30", "all-balanced", "1g.6gb 1g.6gb 2g.12gb"},
      {"RTX PRO 6000", "all-balanced", "1g.24gb 1g.24gb 2g.48gb"},
      // generated on the node: not in the static list for this board
      {"H20 SXM5 141GB", "all-balanced", "1g.18gb 1g.18gb 2g.35gb 3g.71gb"},
      {"H20 SXM5 141GB", "all-1g.35gb", repeat("1g.35gb", 4)},
      {"RTX PRO 5000 Blackwell", "all-1g.24gb", repeat("1g.24gb", 2)},
      {"RTX PRO 4500 Blackwell", "all-1g.16gb.gfx", repeat("1g.16gb+gfx", 2)},
      {"A100-SXM4-40GB", "all-1g.10gb.me", "mig-config-not-on-board"},
      {"A100-SXM4-80GB", "all-1g.5gb", "mig-config-not-on-board"},
      {"A30", "all-3g.40gb", "mig-config-not-on-board"},
      {"RTX PRO 4500 Blackwell", "all-balanced", "mig-config-not-on-board"},
      {"A30", "all-8g.10gb", "mig-config-unknown"},
      {"A30", "", "mig-config-unknown"},
      {"A30", "1g.6gb", "mig-config-unknown"},
  };
  for (const Case& c : cases) {
    INFO(c.model << " " << c.name);
    CHECK(config(c.model, c.name) == c.expected);
  }
}

TEST_CASE("mig-config-lists-of-a-board") {
  CHECK(named_configs(*find_board("A30")) == std::vector<std::string>{"all-1g.6gb", "all-1g.6gb.me", "all-2g.12gb",
                                                                      "all-2g.12gb.me", "all-4g.24gb", "all-balanced",
                                                                      "all-disabled", "all-enabled"});
}

TEST_CASE("mig-config-on-no-board-but-known") {
  const auto found = find_named_config("all-7g.278gb", *find_board("A30"));
  REQUIRE_FALSE(found);
  CHECK(found.error().front().message ==
        "MIG configuration \"all-7g.278gb\" asks for profiles that NVIDIA A30 does not have");
  CHECK(
      found.error().front().hint ==
      "NVIDIA A30 has all-1g.6gb, all-1g.6gb.me, all-2g.12gb, all-2g.12gb.me, all-4g.24gb, all-balanced, all-disabled, "
      "all-enabled");
}

TEST_CASE("mig-config-every-one-can-be-created-in-its-order") {
  for (const Board& board : boards()) {
    if (!board.starts_known) continue;
    for (const std::string& name : named_configs(board)) {
      INFO(board.id << " " << name);
      const auto found = find_named_config(name, board);
      REQUIRE(found);
      Occupancy occupancy(board);
      for (const ProfileIndex profile : found->profiles) {
        const auto start = occupancy.lowest_start(profile);
        REQUIRE(start);
        occupancy.add({profile, *start});
      }
      // all-<profile> asks for as many as fit
      const bool uniform = !found->profiles.empty() && found->profiles.front() == found->profiles.back();
      if (uniform) CHECK_FALSE(occupancy.lowest_start(found->profiles.front()));
    }
  }
}
