// The figures of fragmentation against counting on the fingers.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "gpusched/frag/fragmentation.hpp"
#include "gpusched/frag/thresholds.hpp"
#include "gpusched/mig/layout.hpp"
#include "gpusched/placement/place.hpp"
#include "support/random_cluster.hpp"

namespace gpusched::frag {
namespace {

using testing::Cluster;
using testing::Random;

struct Naive {
  std::int64_t total = 0, free = 0, cordoned = 0;
  int largest_block = 0, largest_island = 0;
  std::vector<int> blocks, islands;  // free GPUs of each node and of each island
};

Naive count(const ClusterUsage& usage) {
  Naive naive;
  for (std::size_t n = 0; n < usage.shape().nodes.size(); ++n) {
    const NodeClass& node_class = usage.node_class(NodeId{n});
    int block = 0;
    std::map<int, int> islands;
    for (std::size_t i = 0; i < node_class.gpus.size(); ++i) {
      const Gpu& gpu = node_class.gpus[i];
      if (gpu.mig || gpu.replicas > 1) continue;
      ++naive.total;
      if (usage.free_milli(NodeId{n})[i] != kWholeGpuMilli) continue;
      if (usage.cordoned(NodeId{n})) {
        ++naive.cordoned;
        continue;
      }
      ++block;
      ++islands[gpu.island];
    }
    naive.free += block;
    naive.blocks.push_back(block);
    naive.largest_block = std::max(naive.largest_block, block);
    for (const auto& [island, free] : islands) {
      naive.islands.push_back(free);
      naive.largest_island = std::max(naive.largest_island, free);
    }
  }
  return naive;
}

std::int64_t pods_on(const std::vector<int>& blocks, int size) {
  std::int64_t pods = 0;
  for (int block : blocks) {
    for (; block >= size; block -= size) ++pods;
  }
  return pods;
}

}  // namespace

TEST_CASE("rows equal a naive count") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    Cluster cluster(testing::random_nodes(random), testing::random_pods(random, random.below(25)));
    static_cast<void>(placement::place_pods(cluster.usage, cluster.pods, testing::random_options(random)));
    const std::vector<int> sizes{1, 2, 3, 4, 8};
    const std::vector<Gang> gangs{{2, 2}, {3, 1}};
    const Fragmentation result = fragmentation(cluster.usage, sizes, gangs);
    const Naive naive = count(cluster.usage);
    CHECK(result.exclusive.total == naive.total);
    CHECK(result.exclusive.free == naive.free);
    CHECK(result.exclusive.cordoned == naive.cordoned);
    CHECK(result.exclusive.largest_block == naive.largest_block);
    CHECK(result.exclusive.largest_island == naive.largest_island);
    REQUIRE(result.exclusive.rows.size() == sizes.size());
    for (const SizeRow& row : result.exclusive.rows) {
      const std::int64_t by_count = pods_on(naive.blocks, row.size);
      CHECK(row == SizeRow{row.size, by_count, pods_on(naive.islands, row.size), naive.free - by_count * row.size});
      CHECK(row.within_island.max <= row.by_count);
    }
    CHECK(result.exclusive.gangs[0].by_count == pods_on(naive.blocks, 2) / 2);
    CHECK(result.exclusive.gangs[1].within_island == pods_on(naive.islands, 1) / 3);
  }
}

TEST_CASE("groups add up to the whole") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    Cluster cluster(testing::random_nodes(random), testing::random_pods(random, random.below(25)));
    static_cast<void>(placement::place_pods(cluster.usage, cluster.pods, {}));
    const std::vector<int> sizes{1};
    const ExclusiveGpus whole = fragmentation(cluster.usage, sizes).exclusive;
    for (const GroupBy by : {GroupBy::kModel, GroupBy::kPool, GroupBy::kNode}) {
      std::int64_t total = 0;
      std::int64_t free = 0;
      const std::vector<Group> groups = fragmentation_by(cluster.usage, sizes, by);
      for (const Group& group : groups) {
        total += group.exclusive.total;
        free += group.exclusive.free;
        CHECK(group.exclusive.rows.front().by_count == group.exclusive.free);
      }
      CHECK(total == whole.total);
      CHECK(free == whole.free);
      CHECK(std::ranges::is_sorted(groups, {}, &Group::name));
    }
  }
}

TEST_CASE("a repartition keeps what is used") {
  std::size_t seen = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    Cluster cluster(testing::random_nodes(random), testing::random_pods(random, 20));
    static_cast<void>(placement::place_pods(cluster.usage, cluster.pods, {}));
    for (const MigGpu& gpu : fragmentation(cluster.usage, std::vector<int>{1}).mig) {
      ++seen;
      const NodeClass& node_class = cluster.usage.node_class(gpu.node);
      const mig::Board& board = mig::boards()[cluster.shape().board(node_class.gpus[gpu.gpu]).mig_board];
      mig::Occupancy used(board);
      for (const std::uint16_t i : gpu.used) {
        used.add({node_class.instances[i].mig_profile, node_class.instances[i].start});
      }
      for (const mig::ProfileIndex profile : mig::all_profiles(board)) {
        CHECK((gpu.could_add.contains(profile) || gpu.could_add_other.contains(profile)) ==
              used.lowest_start(profile).has_value());
        CHECK((!gpu.could_add.contains(profile) || board.profiles[profile].base()));
      }
    }
  }
  CHECK(seen > 50);
}

TEST_CASE("thresholds are compared exactly") {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Random random(seed);
    ExclusiveGpus gpus;
    gpus.free = random.below(2000);
    gpus.rows = {{8, random.below(5), 0, random.below(static_cast<int>(gpus.free) + 1)}};
    const Threshold most{ThresholdKind::kMaxStranded, 8, random.below(101)};
    const Threshold least{ThresholdKind::kMinFit, 8, random.below(5)};
    const bool crossed = gpus.free > 0 && gpus.rows[0].stranded * 100 > most.limit * gpus.free;
    CHECK(violations(gpus, std::vector{most}).size() == (crossed ? 1 : 0));
    CHECK(violations(gpus, std::vector{least}).size() == (gpus.rows[0].by_count < least.limit ? 1 : 0));
  }
}

}  // namespace gpusched::frag
