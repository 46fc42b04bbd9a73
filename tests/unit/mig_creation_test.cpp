#include "gpusched/mig/creation.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gpusched/mig/enumerate.hpp"

using namespace gpusched::mig;

namespace {

std::vector<ProfileIndex> profiles(const Board& board, const std::vector<std::string>& names) {
  std::vector<ProfileIndex> list;
  for (const std::string& name : names) list.push_back(find_profile(board, name).value());
  return list;
}

std::string text(const Board& board, const std::vector<Instance>& instances) {
  std::string result;
  for (const Instance& instance : instances) result += (result.empty() ? "" : " ") + to_string(board, instance);
  return result;
}

std::string created(const Board& board, const std::vector<std::string>& names, StartRule rule) {
  const Creation creation = create_in_order(board, profiles(board, names), rule);
  return text(board, creation.created) + (creation.stopped ? " stopped at " + names[*creation.stopped] : "");
}

const Board& a100_40() {
  return *find_board("A100-SXM4-40GB");
}
const Board& a100_80() {
  return *find_board("A100-SXM4-80GB");
}

}  // namespace

TEST_CASE("mig-creation-sequences-of-the-user-guide") {
  const Board& board = a100_40();
  const StartRule rule = StartRule::kKeepLargest;
  // Requests by profile id: 19,19,14,9 fails at the 3g, 9,19,14,19 works, 14 then 19 five times keeps the lower half.
  CHECK(created(board, {"1g.5gb", "1g.5gb", "2g.10gb", "3g.20gb"}, rule) ==
        "1g.5gb@6 1g.5gb@4 2g.10gb@0 stopped at 3g.20gb");
  CHECK(created(board, {"3g.20gb", "1g.5gb", "2g.10gb", "1g.5gb"}, rule) == "3g.20gb@4 1g.5gb@0 2g.10gb@2 1g.5gb@1");
  CHECK(created(board, {"2g.10gb", "1g.5gb", "1g.5gb", "1g.5gb", "1g.5gb", "1g.5gb"}, rule) ==
        "2g.10gb@4 1g.5gb@6 1g.5gb@0 1g.5gb@1 1g.5gb@2 1g.5gb@3");
}

TEST_CASE("mig-creation-order-decides") {
  const Board& board = a100_80();
  CHECK(created(board, {"3g.40gb", "4g.40gb"}, StartRule::kLowest) == "3g.40gb@0 stopped at 4g.40gb");
  CHECK(created(board, {"4g.40gb", "3g.40gb"}, StartRule::kLowest) == "4g.40gb@0 3g.40gb@4");
  CHECK(created(board, {"1g.10gb", "2g.20gb", "4g.40gb"}, StartRule::kLowest) ==
        "1g.10gb@0 2g.20gb@2 stopped at 4g.40gb");
  CHECK(created(board, {"3g.40gb", "4g.40gb"}, StartRule::kKeepLargest) == "3g.40gb@4 4g.40gb@0");
  CHECK(created(board, {"1g.10gb", "2g.20gb", "4g.40gb"}, StartRule::kKeepLargest) == "1g.10gb@6 2g.20gb@4 4g.40gb@0");

  const CreationOrders two = creation_orders(board, profiles(board, {"3g.40gb", "4g.40gb"}), StartRule::kLowest);
  CHECK(two.orders == 2);
  CHECK(two.working == 1);
  CHECK(two.tries == 1);
  CHECK(text(board, two.created) == "4g.40gb@0 3g.40gb@4");
  const CreationOrders three =
      creation_orders(board, profiles(board, {"1g.10gb", "2g.20gb", "4g.40gb"}), StartRule::kLowest);
  CHECK(three.orders == 6);
  CHECK(three.working == 1);
  CHECK(text(board, three.created) == "4g.40gb@0 2g.20gb@4 1g.10gb@6");
}

TEST_CASE("mig-creation-orders-of-an-impossible-list") {
  const Board& board = a100_80();
  const CreationOrders orders = creation_orders(board, profiles(board, {"3g.40gb", "3g.40gb", "1g.10gb"}), {});
  CHECK(orders.orders == 3);
  CHECK(orders.working == 0);
  CHECK(orders.tries == 0);
  CHECK(creation_orders(board, std::vector<ProfileIndex>(8, 0), {}).orders == 0);
  CHECK(creation_orders(board, std::vector<ProfileIndex>{200}, {}).orders == 0);
  CHECK(creation_orders(board, {}, {}).working == 1);
  CHECK_FALSE(choose_start(board, {}, 200, StartRule::kKeepLargest));
  CHECK_FALSE(choose_start(board, {}, 200, StartRule::kLowest));
}

TEST_CASE("mig-creation-works-in-some-order-for-every-layout-of-plain-profiles") {
  // What mig-parted relies on: it never has to give a start.
  for (const Board& board : boards()) {
    const auto multisets = distinct_multisets(legal_layouts(board, base_profiles(board)));
    for (const auto& list : multisets) {
      for (const StartRule rule : {StartRule::kLowest, StartRule::kKeepLargest}) {
        INFO(board.id << " " << list.size());
        const CreationOrders orders = creation_orders(board, list, rule);
        CHECK(orders.tries > 0);
        CHECK(legal(board, orders.created));
      }
    }
  }
}

TEST_CASE("mig-creation-of-seven-small-ones-keeps-the-largest-gap-and-takes-the-lowest-of-equals") {
  const std::vector<std::string> seven(7, "1g.10gb");
  CHECK(created(a100_80(), seven, StartRule::kKeepLargest) ==
        "1g.10gb@6 1g.10gb@4 1g.10gb@5 1g.10gb@0 1g.10gb@1 1g.10gb@2 1g.10gb@3");
  const Board& rtx = *find_board("RTX PRO 6000");
  CHECK(created(rtx, {"1g.24gb", "1g.24gb", "2g.48gb"}, StartRule::kKeepLargest) == "1g.24gb@0 1g.24gb@3 2g.48gb@6");
}
