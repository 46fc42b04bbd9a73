// The layouts for a mix of MIG instances are as good as the best of all layouts of all GPUs.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <vector>

#include "gpusched/mig/enumerate.hpp"
#include "gpusched/whatif/repartition.hpp"
#include "support/random_cluster.hpp"

namespace gpusched::whatif {
namespace {

using testing::Cluster;
using testing::Random;

/// GPUs changed, put into MIG mode; instances destroyed, created.
using Price = std::array<std::int64_t, 4>;
/// Instances and slices served (negated: fewer is worse), and the price.
using Cost = std::tuple<std::int64_t, std::int64_t, Price>;
using Served = std::vector<std::int64_t>;

struct OneGpu {
  const mig::Board* board;
  bool whole;
  std::vector<mig::Instance> busy, free;
};

std::vector<OneGpu> changeable(const ClusterUsage& usage) {
  std::vector<OneGpu> gpus;
  for (const NodeId node : usage.shape().nodes_by_name) {
    const NodeClass& node_class = usage.node_class(node);
    for (std::uint16_t g = 0; g < node_class.gpus.size(); ++g) {
      const std::uint16_t board = usage.shape().board(node_class.gpus[g]).mig_board;
      if (board == kNoMigBoard || usage.cordoned(node)) continue;
      OneGpu gpu{&mig::boards()[board], !node_class.gpus[g].mig, {}, {}};
      if (!node_class.gpus[g].mig && usage.free_milli(node)[g] != kWholeGpuMilli) continue;
      for (std::size_t i = 0; i < node_class.instances.size(); ++i) {
        const MigInstance& instance = node_class.instances[i];
        if (instance.gpu != g) continue;
        (usage.instance_holders(node)[i].valid() ? gpu.busy : gpu.free)
            .push_back({instance.mig_profile, instance.start});
      }
      gpus.push_back(gpu);
    }
  }
  return gpus;
}

bool contains(std::span<const mig::Instance> layout, const mig::Instance& instance) {
  return std::ranges::find(layout, instance) != layout.end();
}

/// Every layout of a GPU that keeps the busy instances: what it serves, whether it changes, what it destroys.
std::map<Served, Price> ways(const OneGpu& gpu, const std::vector<MixEntry>& mix) {
  std::map<Served, Price> best;
  std::vector<mig::Layout> layouts = mig::legal_layouts(*gpu.board, mig::all_profiles(*gpu.board));
  layouts.emplace_back();
  for (const mig::Layout& layout : layouts) {
    if (!std::ranges::all_of(gpu.busy, [&](const auto& instance) { return contains(layout, instance); })) continue;
    const auto kept = std::ranges::count_if(gpu.free, [&](const auto& instance) { return contains(layout, instance); });
    const std::int64_t destroyed = std::ssize(gpu.free) - kept;
    const bool changed = destroyed > 0 || layout.size() != gpu.busy.size() + gpu.free.size();
    Served served;
    for (const MixEntry& entry : mix) {
      const auto profile = mig::find_profile(*gpu.board, entry.profile);
      const auto is_free = [&](const auto& i) { return profile && i.profile == *profile && !contains(gpu.busy, i); };
      served.push_back(std::ranges::count_if(layout, is_free));
    }
    const std::int64_t created = std::ssize(layout) - std::ssize(gpu.busy) - kept;
    const Price price{changed ? 1 : 0, changed && gpu.whole ? 1 : 0, destroyed, created};
    const auto [entry, added] = best.try_emplace(served, price);
    if (!added) entry->second = std::min(entry->second, price);
  }
  return best;
}

Cost cost_of(const Served& served, const std::vector<MixEntry>& mix, const Price& price) {
  std::int64_t instances = 0;
  std::int64_t slices = 0;
  for (std::size_t i = 0; i < mix.size(); ++i) {
    const std::int64_t count = std::min(served[i], mix[i].count);
    instances += count;
    slices += count * (mix[i].profile[0] - '0');
  }
  return {-instances, -slices, price};
}

void try_all(std::span<const OneGpu> gpus, const std::vector<MixEntry>& mix, const Served& served, const Price& price,
             Cost& best) {
  if (gpus.empty()) {
    best = std::min(best, cost_of(served, mix, price));
    return;
  }
  for (const auto& [more, more_price] : ways(gpus.front(), mix)) {
    Served sum = served;
    Price prices = price;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
    for (std::size_t i = 0; i < prices.size(); ++i) prices[i] += more_price[i];
    try_all(gpus.subspan(1), mix, sum, prices, best);
  }
}

}  // namespace

TEST_CASE("the layouts serve as much as any, with as few changes") {
  constexpr std::array kProfiles = {"1g.10gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb", "1g.20gb"};
  std::size_t changed = 0;
  std::size_t whole = 0;
  std::size_t partial = 0;
  for (std::uint64_t seed = 0; seed < 160; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    std::vector<testing::NodeSpec> nodes;
    const std::vector<std::vector<std::string>> layouts = {
        {"1g.10gb", "1g.10gb", "2g.20gb", "3g.40gb"}, {"3g.40gb", "3g.40gb"}, {"1g.10gb", "2g.20gb"}, {"7g.80gb"}};
    for (int n = random.between(1, 2); n > 0; --n) {
      const std::string name = "n" + std::to_string(n);
      nodes.push_back(random.one_in(3) ? testing::node(name).gpus(1)
                                       : testing::node(name).gpus(1).mig({random.pick(layouts)}));
    }
    std::vector<testing::PodSpec> pods;
    for (int p = random.below(4); p > 0; --p) {
      pods.push_back(testing::pod("p" + std::to_string(p)).mig(random.pick(kProfiles)));
    }
    Cluster cluster(nodes, pods);
    for (const testing::NodeSpec& node : nodes) {
      const std::size_t count = cluster.usage.node_class(cluster.id(node.name())).instances.size();
      for (std::size_t i = 0; i < count && !pods.empty(); ++i) {
        if (random.one_in(4)) {
          cluster.bind_instances(pods.back().name(), node.name(), {static_cast<int>(i)});
          pods.pop_back();
        }
      }
    }
    std::vector<MixEntry> mix;
    for (const char* const profile : kProfiles) {
      if (mix.size() < 3 && random.one_in(2)) mix.push_back({profile, random.between(1, 5)});
    }
    const auto answer = repartition_for(cluster.usage, mix);
    REQUIRE(answer.has_value());
    CHECK(answer->optimal);
    Served served;
    Price price{std::ssize(answer->gpus), 0, 0, 0};
    for (const MixRow& row : answer->rows) served.push_back(row.served);
    for (const RepartitionedGpu& gpu : answer->gpus) {
      const mig::Board& board = mig::boards()[gpu.mig_board];
      CHECK(mig::legal(board, gpu.after));
      CHECK(std::ranges::all_of(gpu.busy, [&](const auto& instance) { return contains(gpu.after, instance); }));
      CHECK(gpu.after.size() == gpu.before.size() + gpu.created.size() - gpu.destroyed.size());
      price[1] += gpu.enable_mig ? 1 : 0;
      price[2] += std::ssize(gpu.destroyed);
      price[3] += std::ssize(gpu.created);
    }
    Cost best{1, 0, {}};
    try_all(changeable(cluster.usage), mix, Served(mix.size(), 0), {}, best);
    CHECK(cost_of(served, mix, price) == best);
    changed += answer->gpus.empty() ? 0 : 1;
    (answer->all_served() ? whole : partial) += 1;
  }
  CHECK(changed > 40);
  CHECK(whole > 20);
  CHECK(partial > 20);
}

TEST_CASE("spellings of one profile ask for instances of their own") {
  Cluster cluster({testing::node("n1").gpus(1)});
  const std::vector<MixEntry> mix{{"7g.80gb", 1}, {"7g.79gb", 1}, {"mig-7g.80gb", 1}};
  const auto answer = repartition_for(cluster.usage, mix);
  REQUIRE(answer);
  REQUIRE(answer->rows.size() == 1);
  CHECK(answer->rows.front().profile == "7g.80gb");
  CHECK(answer->rows.front().wanted == 3);
  CHECK(answer->rows.front().served == 1);
  CHECK_FALSE(answer->all_served());
}

}  // namespace gpusched::whatif
