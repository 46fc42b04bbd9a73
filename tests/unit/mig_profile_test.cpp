#include "gpusched/mig/profile.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace gpusched::mig;

namespace {

std::string profile_name(const char* model, std::string_view name) {
  const Board& board = *find_board(model);
  const auto found = find_profile(board, name);
  return found ? std::string(board.profiles[*found].name) : "";
}

}  // namespace

TEST_CASE("mig-profile-spellings") {
  struct Case {
    const char* model;
    const char* name;
    const char* profile;
  };
  const Case cases[] = {
      {"A100-SXM4-80GB", "1g.10gb", "1g.10gb"},
      {"A100-SXM4-80GB", "mig-1g.10gb", "1g.10gb"},
      {"A100-SXM4-80GB", "nvidia.com/mig-3g.40gb", "3g.40gb"},
      {"A100-SXM4-80GB", "1g.10gb+me", "1g.10gb+me"},
      {"A100-SXM4-80GB", "mig-1g.10gb.me", "1g.10gb+me"},
      {"RTX PRO 6000", "1g.24gb.me", "1g.24gb+me"},
      {"RTX PRO 6000", "1g.24gb.me.all", "1g.24gb+me.all"},
      {"RTX PRO 6000", "1g.24gb+me.all", "1g.24gb+me.all"},
      {"RTX PRO 6000", "1g.24gb.gfx", "1g.24gb+gfx"},
      {"RTX PRO 6000", "mig-1g.24gb-me", "1g.24gb-me"},
      // names of other drivers
      {"A100-SXM4-80GB", "7g.79gb", "7g.80gb"},
      {"A100-SXM4-80GB", "mig-3g.39gb", "3g.40gb"},
      {"A100-SXM4-40GB", "3g.21gb", "3g.20gb"},
      {"GB200", "7g.189gb", "7g.186gb"},
      {"GB200", "3g.95gb", "3g.93gb"},
      {"GB200", "1g.24gb.me", "1g.23gb+me"},
      // another board's, a compute instance, not a profile; the DGX Station's names are not the table's GB300
      {"A100-SXM4-40GB", "7g.79gb", ""},
      {"A100-SXM4-80GB", "1g.5gb", ""},
      {"A100-SXM4-80GB", "1c.3g.40gb", ""},
      {"A100-SXM4-80GB", "", ""},
      {"A100-SXM4-80GB", "mig-", ""},
      {"GB300", "7g.251gb", ""},
  };
  for (const Case& c : cases) {
    INFO(c.model << " " << c.name);
    CHECK(profile_name(c.model, c.name) == c.profile);
  }
}

TEST_CASE("mig-profile-one-name-two-profiles") {
  const Board& a40 = *find_board("A100-SXM4-40GB");
  const Board& a80 = *find_board("A100-SXM4-80GB");
  CHECK(a40.profiles[*find_profile(a40, "1g.10gb")].gi_profile_id == 15);
  CHECK(a80.profiles[*find_profile(a80, "1g.10gb")].gi_profile_id == 19);
  const Board& h200 = *find_board("H200");
  const Board& gb300 = *find_board("GB300");
  CHECK(h200.profiles[*find_profile(h200, "1g.35gb")].max_instances == 4);
  CHECK(gb300.profiles[*find_profile(gb300, "1g.35gb")].max_instances == 7);
}

TEST_CASE("mig-profile-resource-names") {
  const Board& board = *find_board("RTX PRO 6000");
  std::vector<std::string> suffixes;
  for (const Profile& profile : board.profiles) suffixes.push_back(resource_suffix(profile));
  CHECK(suffixes == std::vector<std::string>{"1g.24gb", "1g.24gb.me", "1g.24gb.gfx", "1g.24gb.me.all", "1g.24gb-me",
                                             "2g.48gb", "2g.48gb.gfx", "2g.48gb.me.all", "2g.48gb-me", "4g.96gb",
                                             "4g.96gb.gfx"});
  CHECK(resource_name(board.profiles[3]) == "nvidia.com/mig-1g.24gb.me.all");
}

TEST_CASE("mig-profile-every-name-leads-back") {
  for (const Board& board : boards()) {
    for (std::size_t i = 0; i < board.profiles.size(); ++i) {
      CHECK(find_profile(board, board.profiles[i].name) == static_cast<ProfileIndex>(i));
      CHECK(find_profile(board, resource_name(board.profiles[i])) == static_cast<ProfileIndex>(i));
    }
  }
}

TEST_CASE("mig-profile-base") {
  const auto base = [](const char* model) {
    const Board& board = *find_board(model);
    return join_names(board, base_profiles(board));
  };
  CHECK(base("A100-SXM4-80GB") == "1g.10gb, 2g.20gb, 3g.40gb, 4g.40gb, 7g.80gb");
  CHECK(base("A100-SXM4-40GB") == "1g.5gb, 2g.10gb, 3g.20gb, 4g.20gb, 7g.40gb");
  CHECK(base("H200") == "1g.18gb, 2g.35gb, 3g.71gb, 4g.71gb, 7g.141gb");
  CHECK(base("A30") == "1g.6gb, 2g.12gb, 4g.24gb");
  CHECK(base("RTX PRO 6000") == "1g.24gb, 2g.48gb, 4g.96gb");
  CHECK(join_names(*find_board("A30"), ProfileSet()) == "none");
}

TEST_CASE("mig-profile-name-from-memory") {
  struct Case {
    std::uint64_t total_mib;
    std::vector<std::uint32_t> eighths;
    std::vector<std::uint32_t> gb;
  };
  const Case cases[] = {
      {40960, {1, 2, 4, 8}, {5, 10, 20, 40}},     {81920, {1, 2, 4, 8}, {10, 20, 40, 80}},
      {81559, {1, 2, 4, 8}, {10, 20, 40, 80}},    {95830, {1, 2, 4, 8}, {12, 24, 47, 94}},
      {97887, {2, 4, 8}, {24, 48, 96}},           {183359, {1, 2, 4, 8}, {23, 45, 90, 180}},
      {189471, {1, 2, 4, 8}, {23, 47, 93, 186}},  {275040, {1, 2, 4, 8}, {34, 67, 135, 269}},
      {284208, {1, 2, 4, 8}, {35, 70, 139, 278}},
  };
  for (const Case& c : cases) {
    for (std::size_t i = 0; i < c.gb.size(); ++i) {
      INFO(c.total_mib << " " << c.eighths[i] << "/8");
      // An instance has a little less than its share of the memory.
      CHECK(name_gb(c.total_mib * c.eighths[i] / 8 - 100, c.total_mib) == c.gb[i]);
    }
  }
  CHECK(name_gb(1000, 0) == 0);
}

TEST_CASE("mig-profile-names-of-the-table-follow-from-memory") {
  for (const Board& board : boards()) {
    for (const Profile& profile : board.profiles) {
      if (board.memory_total_mib == 0 || profile.memory_mib == 0) continue;
      INFO(board.id << " " << profile.name);
      const std::string figure = "." + std::to_string(name_gb(profile.memory_mib, board.memory_total_mib)) + "gb";
      CHECK(profile.name.find(figure) != std::string_view::npos);
    }
  }
}
