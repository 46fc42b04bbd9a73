#include "gpusched/objects/pod_set_topology.hpp"

#include <catch2/catch.hpp>

namespace gpusched::objects {
namespace {

TopologyAssignment hosts(std::vector<TopologyDomain> domains) {
  return {{"kubernetes.io/hostname"}, std::move(domains)};
}

TEST_CASE("a topology assignment is compressed as Kueue does it and expands again") {
  SECTION("common-prefix-and-suffix") {
    const auto slices = compress(hosts({{{"node-1-a"}, 2}, {{"node-27-a"}, 2}}));
    REQUIRE(slices.size() == 1);
    CHECK(slices[0].domain_count == 2);
    CHECK(slices[0].values_per_level == std::vector<TopologySliceValues>{{{}, "node-", "-a", {"1", "27"}}});
    CHECK(slices[0].universal_count == 2);
    CHECK(slices[0].counts.empty());
    CHECK(expand(slices) == hosts({{{"node-1-a"}, 2}, {{"node-27-a"}, 2}}).domains);
  }
  SECTION("one-domain-is-universal") {
    const auto slices = compress(hosts({{{"n1"}, 3}}));
    CHECK(slices[0].values_per_level == std::vector<TopologySliceValues>{{"n1", "", "", {}}});
    CHECK(expand(slices) == hosts({{{"n1"}, 3}}).domains);
  }
  SECTION("the-suffix-wins-where-both-overlap") {
    const auto slices = compress(hosts({{{"ababa"}, 1}, {{"aba"}, 2}}));
    CHECK(slices[0].values_per_level == std::vector<TopologySliceValues>{{{}, "", "aba", {"ab", ""}}});
    CHECK_FALSE(slices[0].universal_count);
    CHECK(slices[0].counts == std::vector<std::int32_t>{1, 2});
  }
  SECTION("levels-are-compressed-alone") {
    const TopologyAssignment assignment{{"rack", "zone"}, {{{"r1", "z"}, 1}, {{"r2", "z"}, 1}}};
    const auto slices = compress(assignment);
    CHECK(slices[0].values_per_level == std::vector<TopologySliceValues>{{{}, "r", "", {"1", "2"}}, {"z", "", "", {}}});
    CHECK(expand(slices) == assignment.domains);
  }
  SECTION("no-domains") {
    CHECK(compress(hosts({})).empty());
  }
}

TEST_CASE("slices that do not add up have no domains") {
  CHECK_FALSE(
      expand({{.domain_count = 2, .values_per_level = {{{}, "", "", {"a"}}}, .universal_count = 1, .counts = {}}}));
  CHECK_FALSE(
      expand({{.domain_count = 2, .values_per_level = {{"a", "", "", {}}}, .universal_count = {}, .counts = {1}}}));
  CHECK_FALSE(expand({{.domain_count = -1, .values_per_level = {}, .universal_count = 1, .counts = {}}}));
  CHECK_FALSE(expand({{.domain_count = 2'000'000'000, .values_per_level = {}, .universal_count = 1, .counts = {}}}));
}

}  // namespace
}  // namespace gpusched::objects
