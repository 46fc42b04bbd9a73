#include "gpusched/mig/enumerate.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace gpusched::mig;

namespace {

std::string text(const Board& board, const Layout& layout) {
  std::string result;
  for (const Instance& instance : layout) result += (result.empty() ? "" : " ") + to_string(board, instance);
  return result;
}

/// The base profiles and the double-memory 1g.
ProfileSet plain_profiles(const Board& board) {
  ProfileSet set;
  for (const ProfileIndex i : all_profiles(board)) {
    if (board.profiles[i].variant == Variant::kPlain) set.insert(i);
  }
  return set;
}

using Counts = std::vector<std::size_t>;

/// Placement sets, maximal ones, multisets, maximal multisets.
Counts counts(const Board& board, ProfileSet profiles) {
  const auto legal = legal_layouts(board, profiles);
  const auto maximal = maximal_layouts(board, profiles);
  return {legal.size(), maximal.size(), distinct_multisets(legal).size(), distinct_multisets(maximal).size()};
}

}  // namespace

TEST_CASE("mig-enumeration-counts-of-every-board") {
  for (const Board& board : boards()) {
    INFO(board.id);
    if (!board.starts_known) {
      CHECK(legal_layouts(board, all_profiles(board)).empty());
    } else if (board.compute_slices == 7) {
      CHECK(counts(board, base_profiles(board)) == Counts{297, 19, 37, 14});
      CHECK(counts(board, plain_profiles(board)) == Counts{722, 78, 77, 38});
    } else {
      CHECK(counts(board, base_profiles(board)) == Counts{25, 5, 9, 4});
    }
  }
}

TEST_CASE("mig-enumeration-rows-of-the-user-guide") {
  const Board& board = *find_board("A100-SXM4-40GB");
  std::vector<std::string> rows;
  for (const Layout& layout : maximal_layouts(board, base_profiles(board))) rows.push_back(text(board, layout));
  CHECK(rows == std::vector<std::string>{
                    "1g.5gb@0 1g.5gb@1 1g.5gb@2 1g.5gb@3 1g.5gb@4 1g.5gb@5 1g.5gb@6",
                    "1g.5gb@0 1g.5gb@1 1g.5gb@2 1g.5gb@3 2g.10gb@4 1g.5gb@6",
                    "1g.5gb@0 1g.5gb@1 1g.5gb@2 1g.5gb@3 3g.20gb@4",
                    "1g.5gb@0 1g.5gb@1 2g.10gb@2 1g.5gb@4 1g.5gb@5 1g.5gb@6",
                    "1g.5gb@0 1g.5gb@1 2g.10gb@2 2g.10gb@4 1g.5gb@6",
                    "1g.5gb@0 1g.5gb@1 2g.10gb@2 3g.20gb@4",
                    "2g.10gb@0 1g.5gb@2 1g.5gb@3 1g.5gb@4 1g.5gb@5 1g.5gb@6",
                    "2g.10gb@0 1g.5gb@2 1g.5gb@3 2g.10gb@4 1g.5gb@6",
                    "2g.10gb@0 1g.5gb@2 1g.5gb@3 3g.20gb@4",
                    "2g.10gb@0 2g.10gb@2 1g.5gb@4 1g.5gb@5 1g.5gb@6",
                    "2g.10gb@0 2g.10gb@2 2g.10gb@4 1g.5gb@6",
                    "2g.10gb@0 2g.10gb@2 3g.20gb@4",
                    "3g.20gb@0 1g.5gb@4 1g.5gb@5 1g.5gb@6",
                    "3g.20gb@0 2g.10gb@4 1g.5gb@6",
                    "3g.20gb@0 3g.20gb@4",
                    "4g.20gb@0 1g.5gb@4 1g.5gb@5 1g.5gb@6",
                    "4g.20gb@0 2g.10gb@4 1g.5gb@6",
                    "4g.20gb@0 3g.20gb@4",
                    "7g.40gb@0",
                });
}

TEST_CASE("mig-enumeration-maximal-layouts-of-four-slice-boards") {
  const auto rows = [](const char* model) {
    const Board& board = *find_board(model);
    std::vector<std::string> result;
    for (const Layout& layout : maximal_layouts(board, base_profiles(board))) result.push_back(text(board, layout));
    return result;
  };
  CHECK(rows("A30") == std::vector<std::string>{"1g.6gb@0 1g.6gb@1 1g.6gb@2 1g.6gb@3", "1g.6gb@0 1g.6gb@1 2g.12gb@2",
                                                "2g.12gb@0 1g.6gb@2 1g.6gb@3", "2g.12gb@0 2g.12gb@2", "4g.24gb@0"});
  CHECK(rows("RTX PRO 6000") ==
        std::vector<std::string>{"1g.24gb@0 1g.24gb@3 1g.24gb@6 1g.24gb@9", "1g.24gb@0 1g.24gb@3 2g.48gb@6",
                                 "2g.48gb@0 1g.24gb@6 1g.24gb@9", "2g.48gb@0 2g.48gb@6", "4g.96gb@0"});
}

TEST_CASE("mig-enumeration-documented-maximum-of-every-profile") {
  // With the engine rule and the geometry alone; +me of boards without a known engine budget needs the table's count.
  for (const Board& board : boards()) {
    if (!board.starts_known) continue;
    for (const ProfileIndex i : all_profiles(board)) {
      INFO(board.id << " " << board.profiles[i].name);
      CHECK(remaining(board, {}, i) == board.profiles[i].max_instances);
    }
  }
}
