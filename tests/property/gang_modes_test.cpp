// The queue modes against a plain re-telling of their rules on one pool of GPUs, and the books of every mode.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "gpusched/gang/metrics.hpp"
#include "support/job_builders.hpp"
#include "support/random_cluster.hpp"

namespace gpusched::gang {
namespace {

using testing::job;
using testing::JobCluster;
using testing::JobSpec;
using testing::node;
using testing::NodeSpec;
using testing::Random;
using testing::schedule;

struct PlainJob {
  int arrival = 0, gpus = 0, duration = 0, priority = 0;
  int start = -1;

  [[nodiscard]] int end() const { return start + duration; }
};

/// Every second, every job: no index, no event, nothing shared with the engine.
class PlainSimulator {
 public:
  PlainSimulator(std::vector<PlainJob> jobs, int gpus, Mode mode) : jobs_(std::move(jobs)), gpus_(gpus), mode_(mode) {}

  std::vector<PlainJob> run() {
    for (int now = 0; std::ranges::any_of(jobs_, [](const PlainJob& j) { return j.start < 0; }); ++now) {
      pass(now);
    }
    return jobs_;
  }

 private:
  [[nodiscard]] int free(int now) const {
    int used = 0;
    for (const PlainJob& j : jobs_) {
      used += j.start >= 0 && j.start <= now && j.end() > now ? j.gpus : 0;
    }
    return gpus_ - used;
  }

  std::vector<std::size_t> queue(int now) const {
    std::vector<std::size_t> waiting;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (jobs_[i].start < 0 && jobs_[i].arrival <= now) {
        waiting.push_back(i);
      }
    }
    std::ranges::stable_sort(waiting, {}, [&](std::size_t i) {
      return std::tuple(-jobs_[i].priority, mode_ == Mode::kSjf ? jobs_[i].duration : 0, jobs_[i].arrival);
    });
    return waiting;
  }

  void pass(int now) {
    const std::vector<std::size_t> waiting = queue(now);
    std::size_t next = 0;
    for (; next < waiting.size(); ++next) {
      if (PlainJob& j = jobs_[waiting[next]]; j.gpus <= free(now)) {
        j.start = now;
      } else if (mode_ == Mode::kFifo) {
        return;
      } else if (mode_ == Mode::kEasy) {
        backfill(now, waiting, next);
        return;
      }
    }
  }

  void backfill(int now, const std::vector<std::size_t>& waiting, std::size_t head) {
    int shadow = now;
    while (free(shadow) < jobs_[waiting[head]].gpus) {
      ++shadow;
    }
    int spare = free(shadow) - jobs_[waiting[head]].gpus;
    for (std::size_t i = head + 1; i < waiting.size(); ++i) {
      PlainJob& j = jobs_[waiting[i]];
      const bool in_time = now + j.duration <= shadow;
      if (j.gpus <= free(now) && (in_time || j.gpus <= spare)) {
        j.start = now;
        spare -= in_time ? 0 : j.gpus;
      }
    }
  }

  std::vector<PlainJob> jobs_;
  int gpus_;
  Mode mode_;
};

/// Whatever ran or was held was somewhere, and never two pods on one GPU at a time.
void check_stays(const SimulationResult& result) {
  double running = 0;
  double held = 0;
  std::map<std::pair<NodeId, std::uint16_t>, std::int64_t> busy_until;
  for (const Stay& stay : result.stays) {
    const double seconds = static_cast<double>(stay.until_ms - stay.from_ms) / 1000.0;
    (stay.runs ? running : held) += seconds * static_cast<double>(stay.place.shares.size());
    for (const GpuShare& share : stay.place.shares) {
      std::int64_t& until = busy_until[{stay.place.node, share.gpu}];
      REQUIRE(until <= stay.from_ms);
      until = stay.until_ms;
    }
    if (stay.open) {
      REQUIRE(result.jobs[stay.job.index()].state == JobState::kWaiting);
      REQUIRE(stay.until_ms == result.events.back().time_ms);
    }
  }
  REQUIRE(running == Approx(result.busy_gpu_seconds));
  REQUIRE(held == Approx(result.held_gpu_seconds));
}

std::vector<PlainJob> random_jobs(Random& random, int gpus) {
  std::vector<PlainJob> jobs(static_cast<std::size_t>(random.between(1, 25)));
  int now = 0;
  for (PlainJob& j : jobs) {
    now += random.one_in(3) ? 0 : random.below(8);
    j = {.arrival = now,
         .gpus = random.between(1, gpus),
         .duration = random.between(1, 20),
         .priority = random.one_in(4) ? random.below(3) : 0};
  }
  return jobs;
}

}  // namespace

TEST_CASE("queue modes do what a plain simulator does") {
  Random random(20261129);
  for (int round = 0; round < 400; ++round) {
    const int gpus = random.between(1, 12);
    const std::vector<PlainJob> plain = random_jobs(random, gpus);
    std::vector<JobSpec> specs;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      specs.push_back(job("j" + std::to_string(i))
                          .pods(1, plain[i].gpus)
                          .runs(plain[i].arrival, plain[i].duration)
                          .priority(plain[i].priority));
    }
    const JobCluster cluster({node("pool").gpus(gpus).one_island()}, specs);
    for (const Mode mode : {Mode::kFifo, Mode::kBefifo, Mode::kSjf, Mode::kEasy}) {
      const std::vector<PlainJob> expected = PlainSimulator(plain, gpus, mode).run();
      const SimulationResult result = cluster.run(mode);
      INFO("round " << round << ", mode " << mode_info(mode).name << ", " << gpus
                    << " GPUs: " << schedule(cluster, result));
      for (std::size_t i = 0; i < expected.size(); ++i) {
        INFO("job " << i << " of " << plain[i].gpus << " GPUs arrives at " << plain[i].arrival << " for "
                    << plain[i].duration);
        REQUIRE(result.jobs[i].start_ms == expected[i].start * 1000LL);
        REQUIRE(result.jobs[i].end_ms == expected[i].end() * 1000LL);
      }
    }
  }
}

TEST_CASE("every mode keeps its books") {
  Random random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<NodeSpec> nodes;
    const int node_count = random.between(1, 4);
    for (int i = 0; i < node_count; ++i) {
      nodes.push_back(node("n" + std::to_string(i)).gpus(8).one_island());
    }
    std::vector<JobSpec> specs;
    std::vector<int> failures;
    const int jobs = random.between(1, 20);
    int now = 0;
    for (int i = 0; i < jobs; ++i) {
      now += random.below(10);
      const int pods = random.between(1, 2 * node_count);
      JobSpec spec = job("j" + std::to_string(i)).pods(pods, random.between(1, 4)).runs(now, random.between(1, 30));
      spec.priority(random.one_in(3) ? random.below(3) : 0);
      failures.push_back(random.one_in(4) ? 1 : 0);
      if (failures.back() == 1) {
        spec.fails_at({random.between(0, 10)}, 1);
      }
      specs.push_back(std::move(spec));
    }
    const JobCluster cluster(nodes, specs);
    for (const ModeInfo& mode : kModes) {
      Options options;
      options.mode = mode.mode;
      options.stays = true;
      if (mode.mode == Mode::kGang && random.one_in(2)) {
        options.timeout_ms = 5000 * random.between(1, 4);
      }
      const SimulationResult result = cluster.run(options);
      INFO("round " << round << ", mode " << mode.name << ": " << schedule(cluster, result));
      double gpu_seconds = 0;
      for (std::size_t i = 0; i < result.jobs.size(); ++i) {
        const JobOutcome& outcome = result.jobs[i];
        gpu_seconds += static_cast<double>(gpu_milli(cluster.shape(), cluster.jobs[i])) / 1000.0 *
                       static_cast<double>(outcome.run_ms) / 1000.0;
        if (outcome.state == JobState::kFinished) {
          REQUIRE(outcome.start_ms >= outcome.submission_ms);
          REQUIRE(outcome.end_ms - outcome.start_ms >= cluster.jobs[i].duration_ms);
          REQUIRE(outcome.run_ms >= cluster.jobs[i].duration_ms);
          REQUIRE(outcome.places.size() == static_cast<std::size_t>(pod_count(cluster.jobs[i])));
        } else {
          REQUIRE(mode.mode == Mode::kPod);  // all others end, since every job fits the empty cluster
          REQUIRE(result.deadlock);
        }
      }
      REQUIRE(result.busy_gpu_seconds == Approx(gpu_seconds));
      const double offered = static_cast<double>(result.capacity_milli) / 1000.0 *
                             static_cast<double>(result.events.back().time_ms - result.first_ms) / 1000.0;
      REQUIRE(result.busy_gpu_seconds + result.held_gpu_seconds <= offered * (1 + 1e-9));
      if (mode.mode != Mode::kPod && mode.mode != Mode::kCoscheduling && !options.timeout_ms) {
        REQUIRE(result.held_gpu_seconds == 0);
      }
      if (result.deadlock) {
        std::int64_t held = 0;
        for (const Holder& holder : result.deadlock->holders) {
          REQUIRE(holder.placed > 0);
          REQUIRE(holder.missing > 0);
          held += holder.held_milli;
        }
        REQUIRE(held == result.deadlock->held_milli);
      }
      check_stays(result);
      options.stays = false;
      const SimulationResult again = cluster.run(options);
      REQUIRE(again.stays.empty());
      REQUIRE(schedule(cluster, again) == schedule(cluster, result));
      REQUIRE(again.events.size() == result.events.size());
    }
  }
}

}  // namespace gpusched::gang
