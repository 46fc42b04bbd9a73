// The MIG search and enumeration against brute force that shares nothing with them but the table's rows.

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "gpusched/mig/enumerate.hpp"
#include "gpusched/mig/layout.hpp"

using namespace gpusched::mig;

namespace {

using Placement = std::pair<int, int>;  // profile, start
using Placements = std::vector<Placement>;

std::vector<int> starts_of(const Profile& profile) {
  std::vector<int> starts;
  for (int i = 0; i < 16; ++i) {
    if ((profile.starts >> i) % 2 == 1) starts.push_back(i);
  }
  return starts;
}

bool within(int sum, int budget) {
  return budget < 0 || sum <= budget;
}

/// The four rules, on plain sets of numbers.
bool naive_legal(const Board& board, const Placements& placements) {
  std::set<int> taken;
  std::map<int, int> counts;
  int compute = 0;
  int engines[5] = {};
  for (const auto& [index, start] : placements) {
    const Profile& profile = board.profiles[static_cast<std::size_t>(index)];
    const std::vector<int> starts = starts_of(profile);
    if (std::find(starts.begin(), starts.end(), start) == starts.end()) return false;
    for (int i = start; i < start + profile.memory_slices; ++i) {
      if (i >= board.memory_slices || !taken.insert(i).second) return false;
    }
    compute += profile.compute_slices;
    if (++counts[index] > profile.max_instances) return false;
    const Engines& e = profile.engines;
    const int own[5] = {e.copy, e.decoder, e.encoder, e.jpeg, e.ofa};
    for (int i = 0; i < 5; ++i) engines[i] += std::max(own[i], 0);
  }
  const Engines& b = board.engine_budget;
  const int budget[5] = {b.copy, b.decoder, b.encoder, b.jpeg, b.ofa};
  for (int i = 0; i < 5; ++i) {
    if (!within(engines[i], budget[i])) return false;
  }
  return compute <= board.compute_slices;
}

Placements all_placements(const Board& board, ProfileSet profiles) {
  Placements all;
  for (const ProfileIndex i : profiles) {
    for (const int start : starts_of(board.profiles[i])) all.emplace_back(i, start);
  }
  return all;
}

/// Every legal non-empty subset, by taking or leaving each placement in turn.
std::set<Placements> naive_layouts(const Board& board, const Placements& all) {
  std::set<Placements> found;
  Placements current;
  const std::function<void(std::size_t)> walk = [&](std::size_t next) {
    if (next == all.size()) {
      Placements sorted = current;
      std::sort(sorted.begin(), sorted.end());
      if (!sorted.empty()) found.insert(sorted);
      return;
    }
    current.push_back(all[next]);
    if (naive_legal(board, current)) walk(next + 1);
    current.pop_back();
    walk(next + 1);
  };
  walk(0);
  return found;
}

Placements to_placements(const Layout& layout) {
  Placements placements;
  for (const Instance& instance : layout) placements.emplace_back(instance.profile, instance.start);
  std::sort(placements.begin(), placements.end());
  return placements;
}

/// The lexicographically first starts for a list in its order, or nothing.
bool naive_place(const Board& board, const std::vector<ProfileIndex>& list, Placements& current) {
  if (current.size() == list.size()) return true;
  const ProfileIndex profile = list[current.size()];
  for (const int start : starts_of(board.profiles[profile])) {
    current.emplace_back(profile, start);
    if (naive_legal(board, current) && naive_place(board, list, current)) return true;
    current.pop_back();
  }
  return false;
}

/// Calls `visit` with every ascending list of at most `longest` profiles.
void for_each_multiset(ProfileSet profiles, std::size_t longest,
                       const std::function<void(const std::vector<ProfileIndex>&)>& visit) {
  std::vector<ProfileIndex> list;
  const std::function<void()> extend = [&] {
    visit(list);
    if (list.size() == longest) return;
    for (const ProfileIndex profile : profiles) {
      if (!list.empty() && profile < list.back()) continue;
      list.push_back(profile);
      extend();
      list.pop_back();
    }
  };
  extend();
}

void check_list(const Board& board, const std::vector<ProfileIndex>& list) {
  Placements expected;
  int compute = 0;
  for (const ProfileIndex i : list) compute += board.profiles[i].compute_slices;
  // Lists with too many compute slices are never legal; walking all their starts would take most of the test's time.
  const bool possible = compute <= board.compute_slices && naive_place(board, list, expected);
  const auto layout = place_layout(board, list);
  const bool agrees = [&] {
    if (layout.has_value() != possible) return false;
    if (!possible) return true;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (Placement((*layout)[i].profile, (*layout)[i].start) != expected[i]) return false;
    }
    return layout->size() == list.size() && legal(board, *layout);
  }();
  if (!agrees) {
    std::string names;
    for (const ProfileIndex i : list) names += std::string(board.profiles[i].name) + " ";
    FAIL(board.id << ": " << names);
  }
}

}  // namespace

TEST_CASE("mig-enumeration-agrees-with-brute-force", "[property]") {
  for (const Board& board : boards()) {
    if (!board.starts_known) continue;
    INFO(board.id);
    for (const ProfileSet profiles : {base_profiles(board), all_profiles(board)}) {
      const Placements all = all_placements(board, profiles);
      const std::set<Placements> expected = naive_layouts(board, all);
      std::set<Placements> found;
      const auto layouts = legal_layouts(board, profiles);
      for (const Layout& layout : layouts) {
        CHECK(std::ranges::is_sorted(layout, {}, &Instance::start));
        found.insert(to_placements(layout));
      }
      CHECK(found.size() == layouts.size());
      CHECK(found == expected);

      std::set<Placements> maximal;
      for (const Placements& layout : expected) {
        const bool extensible = std::any_of(all.begin(), all.end(), [&](const Placement& more) {
          Placements larger = layout;
          larger.push_back(more);
          return naive_legal(board, larger);
        });
        if (!extensible) maximal.insert(layout);
      }
      std::set<Placements> found_maximal;
      for (const Layout& layout : maximal_layouts(board, profiles)) found_maximal.insert(to_placements(layout));
      CHECK(found_maximal == maximal);
    }
  }
}

TEST_CASE("mig-place-layout-is-lexicographically-first", "[property]") {
  std::mt19937 random(20261129);
  for (const Board& board : boards()) {
    if (!board.starts_known) continue;
    for_each_multiset(base_profiles(board), board.compute_slices + std::size_t{1}, [&](std::vector<ProfileIndex> list) {
      for (int round = 0; round < 3; ++round) {
        check_list(board, list);
        for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random() % i]);
      }
    });
  }
}

TEST_CASE("mig-place-layout-with-all-profiles", "[property]") {
  std::mt19937 random(7);
  for (const char* model : {"A30", "A100-SXM4-40GB", "H100-PCIe", "B200", "RTX PRO 6000"}) {
    const Board& board = *find_board(model);
    const std::size_t longest = board.compute_slices == 7 ? 6 : 4;
    for_each_multiset(all_profiles(board), longest, [&](std::vector<ProfileIndex> list) {
      check_list(board, list);
      for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random() % i]);
      check_list(board, list);
    });
  }
}

TEST_CASE("mig-could-add-is-what-a-longer-layout-holds", "[property]") {
  for (const char* model : {"A30", "A100-SXM4-80GB", "RTX PRO 6000"}) {
    const Board& board = *find_board(model);
    for (const Layout& busy : legal_layouts(board, all_profiles(board))) {
      ProfileSet expected;
      for (const Placement& more : all_placements(board, all_profiles(board))) {
        Placements larger = to_placements(busy);
        larger.push_back(more);
        if (naive_legal(board, larger)) expected.insert(static_cast<ProfileIndex>(more.first));
      }
      const CouldAdd result = could_add(board, busy);
      if ((result.base.bits() | result.other.bits()) != expected.bits()) FAIL(board.id);
      if ((result.base.bits() & result.other.bits()) != 0) FAIL(board.id);
      for (const ProfileIndex profile : all_profiles(board)) {
        if ((remaining(board, busy, profile) > 0) != expected.contains(profile)) FAIL(board.id);
      }
    }
  }
}
