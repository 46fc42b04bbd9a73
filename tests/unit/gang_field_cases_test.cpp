// Public reports about gangs and where their pods go.
#include <catch2/catch.hpp>

#include "support/job_builders.hpp"

namespace gpusched::gang {
namespace {

using testing::job;
using testing::JobCluster;
using testing::node;
using testing::schedule;

Options with(Mode mode, placement::Policy policy) {
  Options options;
  options.mode = mode;
  options.placement.policy = policy;
  return options;
}

TEST_CASE("small jobs that are spread leave no node to a whole one") {
  const JobCluster cluster({node("a").gpus(4), node("b").gpus(4), node("c").gpus(2)},
                           {job("two").pods(1, 2).runs(0, 100), job("four-a").pods(1, 4).runs(1, 100),
                            job("four-b").pods(1, 4).runs(2, 100)});
  CHECK(schedule(cluster, cluster.run(with(Mode::kFifo, placement::Policy::kSpread))) ==
        "two 0-100, four-a 1-101, four-b 100-200");
  CHECK(schedule(cluster, cluster.run(with(Mode::kFifo, placement::Policy::kBinpack))) ==
        "two 0-100, four-a 1-101, four-b 2-102");
}

TEST_CASE("the least free capacity comes first, so that the largest stays whole") {
  const JobCluster cluster({node("a").gpus(2), node("b").gpus(1), node("c").gpus(1)},
                           {job("ones").pods(2, 1).runs(0, 100), job("pair").pods(1, 2).runs(1, 100)});
  for (const Mode mode : {Mode::kGang, Mode::kNative}) {
    CHECK(schedule(cluster, cluster.run(with(mode, placement::Policy::kBinpack))) == "ones 0-100, pair 1-101");
  }
}

TEST_CASE("pod sets of one job are a group of groups: all of them or none") {
  const JobCluster cluster({node("a").gpus(4), node("b").gpus(4)}, {job("first").pods(1, 4).pods(1, 4).runs(0, 100),
                                                                    job("second").pods(1, 4).pods(1, 4).runs(0, 100)});
  for (const Mode mode : {Mode::kGang, Mode::kNative, Mode::kCoscheduling}) {
    const SimulationResult result = cluster.run(mode);
    CHECK_FALSE(result.deadlock);
    CHECK(schedule(cluster, result).starts_with("first 0-100, second 1"));
  }
}

}  // namespace
}  // namespace gpusched::gang
