#include "gpusched/mig/repartition.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace gpusched;
using namespace gpusched::mig;

namespace {

Instance instance(const Board& board, const std::string& text) {
  const std::size_t at = text.find('@');
  return {find_profile(board, text.substr(0, at)).value(), static_cast<std::uint8_t>(std::stoi(text.substr(at + 1)))};
}

/// "1g.10gb@0*" is in use.
std::vector<HeldInstance> held(const Board& board, const std::vector<std::string>& texts) {
  std::vector<HeldInstance> list;
  for (const std::string& text : texts) list.push_back({instance(board, text), text.back() == '*'});
  return list;
}

std::vector<LayoutEntry> wanted(const Board& board, const std::vector<std::string>& names) {
  std::vector<LayoutEntry> entries;
  for (const std::string& name : names) {
    if (name.find('@') == std::string::npos) {
      entries.push_back({.profile = find_profile(board, name).value()});
    } else {
      const Instance fixed = instance(board, name);
      entries.push_back({fixed.profile, fixed.start});
    }
  }
  return entries;
}

/// "+3g.40gb@4 =1g.10gb@0 -2g.20gb@2 !1g.10gb@4": created, kept, removed, drained.
std::string plan(const Board& board, const std::vector<std::string>& existing, const std::vector<std::string>& names) {
  const auto now = held(board, existing);
  const auto result = plan_repartition(board, now, wanted(board, names));
  if (!result) return result.error().front().code;
  std::string text;
  const auto add = [&](char sign, const Instance& i) {
    text += (text.empty() ? "" : " ") + std::string(1, sign) + to_string(board, i);
  };
  for (const Instance& i : result->created) add('+', i);
  for (const std::size_t i : result->kept) add('=', now[i].instance);
  for (const std::size_t i : result->removed) add('-', now[i].instance);
  for (const std::size_t i : result->drained) add('!', now[i].instance);
  return text;
}

}  // namespace

TEST_CASE("mig-repartition-keeps-what-is-used") {
  const Board& a100 = *find_board("A100-SXM4-80GB");
  const Board& a30 = *find_board("A30");
  struct Case {
    const char* name;
    const Board& board;
    std::vector<std::string> existing, names;
    const char* expected;
  };
  const Case cases[] = {
      {"two-more-beside-two-used",
       a30,
       {"1g.6gb@0*", "1g.6gb@1*"},
       std::vector<std::string>(4, "1g.6gb"),
       "+1g.6gb@2 +1g.6gb@3 =1g.6gb@0 =1g.6gb@1"},
      {"a-2g-beside-two-used",
       a30,
       {"1g.6gb@0*", "1g.6gb@1*"},
       {"2g.12gb", "1g.6gb", "1g.6gb"},
       "+2g.12gb@2 =1g.6gb@0 =1g.6gb@1"},
      {"used-ones-apart-stand-in-the-way",
       a30,
       {"1g.6gb@0*", "1g.6gb@2*"},
       {"2g.12gb", "1g.6gb", "1g.6gb"},
       "+2g.12gb@0 +1g.6gb@3 =1g.6gb@2 !1g.6gb@0"},
      {"an-unused-one-goes-before-a-used-one",
       a100,
       {"3g.40gb@0*", "3g.40gb@4"},
       {"3g.40gb", "2g.20gb", "1g.10gb"},
       "+2g.20gb@4 +1g.10gb@6 =3g.40gb@0 -3g.40gb@4"},
      {"a-4g-has-one-place", a100, {"3g.40gb@0*"}, {"3g.40gb", "4g.40gb"}, "+3g.40gb@4 +4g.40gb@0 !3g.40gb@0"},
      {"a-fixed-start-is-kept-to", a100, {"1g.10gb@0*"}, {"1g.10gb@6"}, "+1g.10gb@6 !1g.10gb@0"},
      {"everything-goes", a100, {"1g.10gb@0*", "1g.10gb@1"}, {}, "-1g.10gb@1 !1g.10gb@0"},
      {"nothing-to-do", a100, {"7g.80gb@0*"}, {"7g.80gb"}, "=7g.80gb@0"},
      {"impossible", a100, {}, {"4g.40gb", "4g.40gb"}, "mig-layout-impossible"},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    CHECK(plan(c.board, c.existing, c.names) == c.expected);
  }
}

TEST_CASE("mig-repartition-of-a-dump-with-an-illegal-instance") {
  // What a dump shows is a fact: an instance where no table has one goes like any other.
  const Board& a100 = *find_board("A100-SXM4-80GB");
  const std::vector<HeldInstance> now = {{{200, 9}, true}};
  const auto result = plan_repartition(a100, now, wanted(a100, {"1g.10gb"}));
  REQUIRE(result);
  CHECK(result->drained == std::vector<std::size_t>{0});
}

TEST_CASE("mig-manager-leaves-equal-profiles-alone") {
  const Board& a30 = *find_board("A30");
  const auto now = held(a30, {"1g.6gb@2*", "2g.12gb@0"});
  CHECK(same_profiles(now, std::vector<Instance>{instance(a30, "2g.12gb@2"), instance(a30, "1g.6gb@0")}));
  CHECK_FALSE(same_profiles(now, std::vector<Instance>{instance(a30, "2g.12gb@2")}));
}
