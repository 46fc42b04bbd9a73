#include <catch2/catch.hpp>
#include <limits>

#include "kueue/quota_tree.hpp"

namespace gpusched::kueue {
namespace {

constexpr FlavorResource kGpu{FlavorId(0), StringId(0)};

Quota quota(std::int64_t nominal) {
  Quota result;
  result.nominal = nominal;
  return result;
}
Quota lending(std::int64_t nominal, std::int64_t limit) {
  Quota result = quota(nominal);
  result.has_lending_limit = true;
  result.lending_limit = limit;
  return result;
}
Quota borrowing(std::int64_t nominal, std::int64_t limit) {
  Quota result = quota(nominal);
  result.has_borrowing_limit = true;
  result.borrowing_limit = limit;
  return result;
}

/// Queues a and b, below cohort 2 (whose parent is cohort 3 in a deep tree).
QuotaTree tree_of(Quota a, Quota b, bool deep = false) {
  QuotaTree tree;
  std::vector<QuotaNodeSpec> specs = {{QuotaNode(2), {{kGpu, a}}, 1}, {QuotaNode(deep ? 3 : 2), {{kGpu, b}}, 1}, {}};
  if (deep) {
    specs[2].parent = QuotaNode(3);
    specs.push_back({});
  }
  tree.build(specs, 2);
  tree.set_active(std::vector<bool>{true, true});
  return tree;
}

constexpr QuotaNode kA(0), kB(1), kParent(2);
constexpr Column kColumn(0);

}  // namespace

TEST_CASE("what a queue lends is what the other can use") {
  QuotaTree tree = tree_of(quota(8), quota(4));
  CHECK(tree.potential(kB, kColumn) == 12);
  CHECK(tree.available(kB, kColumn) == 12);
  CHECK(tree.lowest_fit(kB, kColumn, 10).height == 1);
  CHECK(tree.lowest_fit(kB, kColumn, 4).height == 0);
  CHECK(tree_of(quota(8), borrowing(4, 2)).potential(kB, kColumn) == 6);
  CHECK(tree_of(lending(8, 3), quota(4)).potential(kB, kColumn) == 7);
}

TEST_CASE("usage beyond what is kept back counts in the cohort") {
  QuotaTree tree = tree_of(lending(8, 3), quota(4));
  tree.add(kA, Usage{kColumn, 6});
  CHECK(tree.usage(kParent, kColumn) == 1);
  CHECK(tree.available(kB, kColumn) == 6);
  CHECK(tree.available(kA, kColumn) == 6);
  tree.remove(kA, Usage{kColumn, 6});
  CHECK(tree.usage(kParent, kColumn) == 0);
}

TEST_CASE("adding and removing in any order is neutral") {
  QuotaTree tree = tree_of(lending(8, 3), borrowing(4, 5), true);
  const Usage first{kColumn, 3}, second{kColumn, 7};
  tree.add(kA, first);
  tree.add(kA, second);
  tree.add(kB, first);
  tree.remove(kA, first);
  tree.remove(kB, first);
  tree.remove(kA, second);
  for (const QuotaNode node : {kA, kB, kParent, QuotaNode(3)}) {
    CHECK(tree.usage(node, kColumn) == 0);
  }
}

TEST_CASE("a level is the height of the lowest subtree that holds the amount") {
  const QuotaTree tree = tree_of(quota(8), quota(4), true);
  CHECK(tree.height(kParent) == 1);
  CHECK(tree.height(QuotaNode(3)) == 2);
  CHECK(tree.lowest_fit(kA, kColumn, 8).height == 0);
  CHECK(tree.lowest_fit(kA, kColumn, 8).below_root);
  CHECK(tree.lowest_fit(kA, kColumn, 12).height == 2);
  CHECK_FALSE(tree.lowest_fit(kA, kColumn, 12).below_root);
}

TEST_CASE("shares are borrowed amounts by what can be lent") {
  QuotaTree tree = tree_of(quota(8), quota(2));
  tree.add(kB, Usage{kColumn, 7});
  const FairShare share = tree.fair_share(kB);
  CHECK(share.borrowing);
  CHECK(share.ratio == 500);  // 5 of 10, times 1000
  CHECK(compare(share, tree.fair_share(kA)) > 0);
  FairShare weightless = share;
  weightless.weight = 0;
  CHECK(compare(weightless, share) > 0);
}

TEST_CASE("quotas at the end of int64 wrap as in Go") {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const QuotaTree tree = tree_of(quota(kMax), quota(kMax));
  CHECK(tree.potential(kA, kColumn) == -2);
}

}  // namespace gpusched::kueue
