// Nodes to add: the pods really fit on them, and no fewer (or cheaper) ones than the bound says would do.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gpusched/placement/place.hpp"
#include "gpusched/whatif/min_nodes.hpp"
#include "support/random_cluster.hpp"

namespace gpusched::whatif {
namespace {

using testing::Cluster;
using testing::Random;

testing::NodeSpec random_shape(Random& random, const std::string& name) {
  testing::NodeSpec spec = testing::node(name);
  spec.gpus(random.pick(std::array{1, 2, 4, 8}));
  if (random.one_in(2)) spec.one_island();
  if (random.one_in(2)) spec.allocatable("cpu", random.between(2, 16) * 500);
  return spec;
}

testing::PodSpec random_small_pod(Random& random, const std::string& name) {
  testing::PodSpec spec = testing::pod(name);
  spec.gpus(random.pick(std::array{0, 1, 1, 2, 4, 8}));
  if (random.one_in(2)) spec.requests("cpu", random.between(1, 4) * 500);
  if (random.one_in(4)) spec.nvlink();
  return spec;
}

std::vector<ShapeOffer> offers_of(Random& random, bool priced) {
  std::vector<ShapeOffer> offers;
  for (int i = random.between(1, 3); i > 0; --i) {
    const Cluster one({random_shape(random, "s" + std::to_string(i))});
    offers.push_back({{"s" + std::to_string(i), {}, one.usage.shape_ptr()},
                      priced ? std::optional<std::int64_t>(random.between(1, 40) * 250'000) : std::nullopt});
  }
  return offers;
}

/// The cheapest nodes for all pods: each is put on every node that is there, and on a new one of each kind.
class TryAll {
 public:
  TryAll(const std::vector<testing::PodSpec>& pods, const std::vector<ShapeOffer>& offers) : offers_(offers) {
    const Cluster empty({}, pods);
    ShapeBuilder builder(empty.shape());
    for (std::size_t i = 0; i < offers.size(); ++i) {
      const NodeClassId id = add_node_class(builder, offers[i].node);
      for (std::size_t copy = 0; copy < pods.size(); ++copy) {
        static_cast<void>(builder.node(std::to_string(i) + "-" + std::to_string(copy), id));
      }
    }
    for (const PodId pod : empty.pods) classes_.push_back(empty.usage.pod_class_id(pod));
    usage_.emplace(std::move(builder).build());
  }

  std::int64_t run() {
    extend(0, 0);
    return best_;
  }

 private:
  void extend(std::size_t pod, std::int64_t cost) {
    if (cost >= best_) return;
    if (pod == classes_.size()) {
      best_ = cost;
      return;
    }
    const placement::NodeFilter filter(usage_->shape(), classes_[pod], {});
    bool fits_some = false;
    for (std::size_t i = 0; i < offers_.size(); ++i) {
      bool opened = false;
      for (std::size_t copy = 0; copy < classes_.size() && !opened; ++copy) {
        const NodeId node{i * classes_.size() + copy};
        opened = !usage_->first_pod(node).valid();  // one new node stands for all
        if (filter.evaluate(*usage_, node).reason.kind != placement::ReasonKind::kFits) continue;
        fits_some = true;
        const ClusterUsage::Mark mark = usage_->mark();
        usage_->bind(usage_->add_pod(classes_[pod]), node, filter.choose(*usage_, node));
        extend(pod + 1, cost + (opened ? offers_[i].price.value_or(1) : 0));
        usage_->revert(mark);
      }
    }
    if (!fits_some && !fits_empty(filter)) extend(pod + 1, cost);
  }

  bool fits_empty(const placement::NodeFilter& filter) const {
    const ClusterUsage empty(usage_->shape_ptr());
    for (std::size_t n = 0; n < empty.shape().nodes.size(); ++n) {
      if (filter.evaluate(empty, NodeId{n}).reason.kind == placement::ReasonKind::kFits) return true;
    }
    return false;
  }

  const std::vector<ShapeOffer>& offers_;
  std::vector<PodClassId> classes_;
  std::optional<ClusterUsage> usage_;
  std::int64_t best_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace

TEST_CASE("the nodes to add hold all pods, and the bound holds") {
  std::size_t proven = 0;
  std::size_t best = 0;
  std::size_t all = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    std::vector<testing::PodSpec> pods;
    const int count = random.between(1, 6);
    while (static_cast<int>(pods.size()) < count) {
      pods.push_back(random_small_pod(random, "p" + std::to_string(pods.size())));
      while (random.one_in(2) && static_cast<int>(pods.size()) < count) pods.push_back(pods.back());
    }
    const bool priced = random.one_in(2);
    const std::vector<ShapeOffer> offers = offers_of(random, priced);
    Cluster cluster({}, pods);
    placement::Options options;
    if (random.one_in(3)) options.policy = placement::Policy::kSpread;
    const MinNodesAnswer answer = min_nodes(cluster.usage, cluster.pods, offers, options);
    const std::int64_t cost = priced ? *answer.price : answer.nodes;
    const std::int64_t bound = priced ? *answer.least_price : answer.at_least;
    const std::int64_t least = TryAll(pods, offers).run();
    CHECK(bound <= least);
    CHECK(least <= cost);
    if (answer.optimal) CHECK(cost == least);
    std::size_t never = 0;
    for (const NeverFits& group : answer.never) {
      never += group.pods.size();
      CHECK(group.reasons.size() == offers.size());
    }
    CHECK(answer.places.size() + never == cluster.pods.size());
    std::map<std::size_t, std::int64_t> used;
    for (const AddedPlace& place : answer.places) {
      CHECK((place.number >= 1 && place.number <= answer.added[place.offer]));
      used[place.offer] = std::max(used[place.offer], place.number);
    }
    for (std::size_t i = 0; i < offers.size(); ++i) {
      if (answer.shapes[i].nodes) CHECK(answer.shapes[i].at_least <= *answer.shapes[i].nodes);
    }
    ++all;
    proven += answer.optimal ? 1 : 0;
    best += cost == least ? 1 : 0;
  }
  INFO("proven " << proven << ", best " << best << " of " << all);
  CHECK(proven * 10 > all * 6);
  CHECK(best * 10 > all * 9);
}

}  // namespace gpusched::whatif
