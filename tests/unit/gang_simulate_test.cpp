// The modes on small clusters.
#include <catch2/catch.hpp>

#include <algorithm>

#include "support/job_builders.hpp"

namespace gpusched::gang {
namespace {

using testing::job;
using testing::JobCluster;
using testing::JobSpec;
using testing::node;
using testing::NodeSpec;
using testing::pod;
using testing::schedule;

const std::vector<NodeSpec> kTwoNodes = {node("a").gpus(8).one_island(), node("b").gpus(8).one_island()};
const std::vector<NodeSpec> kOneNode = {node("a").gpus(8).one_island()};

const std::vector<JobSpec> kLesson = {job("blocker").pods(1, 8).runs(0, 1200), job("llm-a").pods(4, 4).runs(10, 3600),
                                      job("llm-b").pods(4, 4).runs(10, 1800)};

std::size_t count(const SimulationResult& result, EventKind kind) {
  return static_cast<std::size_t>(std::ranges::count(result.events, kind, &Event::kind));
}

Options with(Mode mode, std::int64_t timeout_s) {
  Options options;
  options.mode = mode;
  options.timeout_ms = timeout_s * 1000;
  return options;
}

}  // namespace

TEST_CASE("the lesson's three jobs") {
  const JobCluster cluster(kTwoNodes, kLesson);

  SECTION("pod by pod they lock each other out") {
    const SimulationResult result = cluster.run(Mode::kPod);
    CHECK(schedule(cluster, result) == "blocker 0-1200, llm-a -, llm-b -");
    REQUIRE(result.deadlock);
    CHECK(result.deadlock->time_ms == 1'200'000);
    CHECK(result.deadlock->held_milli == 16'000);
    REQUIRE(result.deadlock->holders.size() == 2);
    const Holder& first = result.deadlock->holders.front();
    CHECK(first.placed == 2);
    CHECK(first.missing == 2);
    CHECK(first.held_milli == 8000);
    CHECK(first.wanted_milli == 8000);
    CHECK(result.held_gpu_seconds == Approx(8 * 1190));
  }
  SECTION("all or nothing holds nothing idle") {
    const SimulationResult result = cluster.run(Mode::kGang);
    CHECK(schedule(cluster, result) == "blocker 0-1200, llm-a 1200-4800, llm-b 4800-6600");
    CHECK(!result.deadlock);
    CHECK(result.held_gpu_seconds == 0);
    CHECK(result.busy_gpu_seconds == Approx(8 * 1200 + 16 * 5400));
  }
  SECTION("with a time-out the gangs take turns in holding") {
    const SimulationResult result = cluster.run(with(Mode::kGang, 300));
    CHECK(schedule(cluster, result) == "blocker 0-1200, llm-a 3000-6600, llm-b 1200-3000");
    CHECK(result.held_gpu_seconds == Approx(8 * 1190));
    CHECK(count(result, EventKind::kTimeout) == 3);
    CHECK(result.jobs[1].timeouts == 2);
  }
  SECTION("coscheduling rejects a group that lacks more than a tenth at once") {
    const SimulationResult result = cluster.run(Mode::kCoscheduling);
    CHECK(schedule(cluster, result) == "blocker 0-1200, llm-a 1200-4800, llm-b 4800-6600");
    CHECK(result.held_gpu_seconds == 0);
  }
}

TEST_CASE("who starts when the head does not fit") {
  // head needs all GPUs at t=1; short ends before 10, long does not, tiny uses what the head leaves.
  const JobCluster cluster(kOneNode, {job("first").pods(1, 6).runs(0, 10), job("head").pods(1, 7).runs(1, 10),
                                      job("long").pods(1, 2).runs(2, 50), job("short").pods(1, 2).runs(3, 7),
                                      job("tiny").pods(1, 1).runs(4, 90)});
  struct Case {
    std::string name;
    Mode mode;
    std::string schedule;
  };
  const std::vector<Case> cases = {
      {"fifo-waits-for-the-head", Mode::kFifo, "first 0-10, head 10-20, long 20-70, short 20-27, tiny 20-110"},
      {"befifo-takes-what-fits", Mode::kBefifo, "first 0-10, head 52-62, long 2-52, short 10-17, tiny 10-100"},
      {"easy-keeps-the-head-on-time", Mode::kEasy, "first 0-10, head 10-20, long 20-70, short 3-10, tiny 10-100"},
      {"sjf-takes-the-shortest", Mode::kSjf, "first 0-10, head 52-62, long 2-52, short 10-17, tiny 10-100"},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    CHECK(schedule(cluster, cluster.run(c.mode)) == c.schedule);
  }
}

TEST_CASE("shortest first among jobs that wait") {
  const JobCluster cluster(
      kOneNode, {job("a").pods(1, 8).runs(0, 10), job("b").pods(1, 8).runs(1, 30), job("c").pods(1, 8).runs(2, 20)});
  CHECK(schedule(cluster, cluster.run(Mode::kSjf)) == "a 0-10, b 30-60, c 10-30");
  CHECK(schedule(cluster, cluster.run(Mode::kBefifo)) == "a 0-10, b 10-40, c 40-60");
}

TEST_CASE("a higher priority evicts whole jobs, no more than it must") {
  const std::vector<JobSpec> jobs = {job("small").pods(1, 2).runs(0, 100), job("large").pods(1, 6).runs(0, 100),
                                     job("urgent").pods(1, 5).runs(10, 20).priority(10)};
  const JobCluster cluster(kOneNode, jobs);
  const SimulationResult result = cluster.run(Mode::kGang);
  CHECK(schedule(cluster, result) == "small 0-100, large 0-130, urgent 10-30");
  CHECK(result.jobs[1].preemptions == 1);
  CHECK(result.jobs[1].run_ms == 110'000);
  CHECK(result.lost_gpu_seconds == Approx(6 * 10));
  CHECK(count(result, EventKind::kPreempt) == 1);

  Options options;
  options.preemption = false;
  CHECK(schedule(cluster, cluster.run(options)) == "small 0-100, large 0-100, urgent 100-120");
}

TEST_CASE("pod by pod a higher priority breaks a deadlock") {
  const JobCluster cluster(kTwoNodes, {job("a").pods(4, 4).runs(0, 100), job("b").pods(4, 4).runs(0, 100),
                                       job("urgent").pods(1, 8).runs(50, 10).priority(1)});
  const SimulationResult result = cluster.run(Mode::kPod);
  CHECK(result.jobs[2].start_ms == 50'000);
  CHECK(count(result, EventKind::kPreempt) >= 1);
}

TEST_CASE("failures restart a job in place until it may not any more") {
  const JobCluster cluster(
      kOneNode, {job("twice").pods(2, 4).runs(0, 100).fails_at({30, 20}, 2),
                 job("out").pods(1, 4).runs(0, 100).fails_at({10, 10}, 1), job("next").pods(1, 8).runs(1, 10)});
  const SimulationResult result = cluster.run(Mode::kGang);
  CHECK(schedule(cluster, result) == "twice 0-150, out 150-170, next 170-180");
  CHECK(result.jobs[0].restarts == 2);
  CHECK(result.jobs[1].state == JobState::kFailed);
  CHECK(result.lost_gpu_seconds == Approx(8 * 50 + 4 * 20));
}

TEST_CASE("a gang starts with its minimum, the rest follows") {
  const JobCluster cluster(kTwoNodes,
                           {job("half").pods(1, 8).runs(0, 100), job("elastic").pods(5, 4).runs(1, 200).at_least(2)});
  for (const Mode mode : {Mode::kGang, Mode::kNative, Mode::kCoscheduling}) {
    const SimulationResult result = cluster.run(mode);
    CHECK(schedule(cluster, result) == "half 0-100, elastic 1-201");
    CHECK(result.jobs[1].places.size() == 4);
    CHECK(result.busy_gpu_seconds == Approx(8 * 100 + 8 * 200 + 8 * 101));
  }
}

TEST_CASE("coscheduling holds a group that lacks a tenth until the permit timer") {
  const JobCluster wide({node("a").gpus(10)},
                        {job("other").pods(1, 1).runs(0, 100), job("ten").pods(10, 1).runs(1, 10)});
  const SimulationResult result = wide.run(Mode::kCoscheduling);
  CHECK(count(result, EventKind::kHold) >= 1);
  CHECK(count(result, EventKind::kTimeout) >= 1);
  CHECK(schedule(wide, result) == "other 0-100, ten 100-110");
  CHECK(result.held_gpu_seconds > 9 * 60);
}

TEST_CASE("jobs wait for those that they come after") {
  const JobCluster cluster(kOneNode,
                           {job("first").pods(1, 1).runs(0, 100), job("second").pods(1, 1).runs(0, 10).after({0})});
  const SimulationResult result = cluster.run(Mode::kFifo);
  CHECK(schedule(cluster, result) == "first 0-100, second 100-110");
  CHECK(result.jobs[1].submission_ms == 100'000);

  const JobCluster cycle(kOneNode,
                         {job("x").pods(1, 1).runs(0, 1).after({1}), job("y").pods(1, 1).runs(0, 1).after({0})});
  const auto failed = simulate(cycle.usage(), cycle.jobs, {});
  REQUIRE(!failed);
  CHECK(failed.error().front().code == "dependency-cycle");
  CHECK(failed.error().front().message == R"(the jobs wait for each other: "x" after "y" after "x")");
}

TEST_CASE("time-outs back off, and end") {
  const JobCluster cluster(kOneNode, {job("long").pods(1, 4).runs(0, 10'000), job("gang").pods(2, 4).runs(1, 10)});
  Options options = with(Mode::kGang, 60);
  options.backoff = Backoff{.base_ms = 60'000, .max_ms = 120'000, .limit = 2};
  const SimulationResult result = cluster.run(options);
  CHECK(result.jobs[1].state == JobState::kGivenUp);
  CHECK(result.jobs[1].timeouts == 3);
  // Held 1-61, out for 60 s, held 121-181, out for 120 s, held 301-361.
  CHECK(result.held_gpu_seconds == Approx(4 * 180));
  CHECK(result.events.back().kind == EventKind::kFinish);
}

TEST_CASE("holding and letting go for ever is seen") {
  // The node's other half is held by a pod of the cluster for good.
  testing::Cluster held(kOneNode, {pod("stays").gpus(1), pod("p").gpus(4)});
  held.bind("stays", "a", {0});
  Job gang;
  gang.duration_ms = 1000;
  gang.pod_sets = {{{}, held.pod_class("p").gpus == 4 ? held.usage.pod_class_id(held.pod("p")) : PodClassId{}, 2}};
  const std::vector<Job> jobs = {gang};
  const SimulationResult result = simulate(held.usage, jobs, with(Mode::kGang, 60)).value();
  CHECK(result.livelock);
  CHECK(result.jobs[0].state == JobState::kWaiting);
}

TEST_CASE("a job that cannot start says how far it would get") {
  const JobCluster cluster(kTwoNodes, {job("never").pods(5, 4).runs(0, 10)});
  CHECK(oversized(cluster.usage(), cluster.jobs, {}).size() == 1);
  const SimulationResult result = cluster.run(Mode::kNative);
  CHECK(result.jobs[0].state == JobState::kWaiting);
  CHECK(result.jobs[0].placeable == 4);
  REQUIRE(result.jobs[0].reasons != nullptr);
  CHECK(placement::fit_error(cluster.shape(), cluster.shape().pod_classes[result.jobs[0].next_pod_class.index()],
                             *result.jobs[0].reasons) == "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.");
}

TEST_CASE("a topology keeps a job, or each pod set alone, in one domain") {
  const auto rack = [](std::string_view name, std::string_view value) {
    NodeSpec spec = node(name);
    spec.gpus(8).label("rack", value);
    return spec;
  };
  const std::vector<NodeSpec> nodes = {rack("a", "r1"), rack("b", "r1"), rack("c", "r2"), rack("d", "r2")};
  const JobCluster shared(
      nodes, {job("filler").pods(1, 8).runs(0, 50), job("one").pods(2, 8).runs(1, 10).topology("rack", false),
              job("two").pods(2, 8).runs(1, 10).topology("rack", false)});
  CHECK(schedule(shared, shared.run(Mode::kGang)) == "filler 0-50, one 1-11, two 11-21");

  const JobCluster exclusive(nodes, {job("set").pods(1, 2).pods(1, 2).runs(0, 10).topology("rack", true),
                                     job("other").pods(1, 2).runs(1, 10).topology("rack", true)});
  const SimulationResult result = exclusive.run(Mode::kGang);
  CHECK(schedule(exclusive, result) == "set 0-10, other 10-20");
  CHECK(exclusive.shape().name(result.jobs[0].places[0].node) == "a");
  CHECK(exclusive.shape().name(result.jobs[0].places[1].node) == "c");
}

}  // namespace gpusched::gang
