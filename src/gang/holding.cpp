#include <algorithm>
#include <tuple>

#include "gang/hold_queue.hpp"
#include "gang/scheduler.hpp"
#include "gang/simulation.hpp"

namespace gpusched::gang {

namespace {

constexpr std::int64_t kPermitMs = 60'000;      // permitWaitingTimeSeconds of scheduler-plugins' coscheduling
constexpr std::int64_t kRejectPercentage = 10;  // podGroupRejectPercentage

/// What the modes share: a queue of jobs that may hold a part of their pods.
class Holding : public Scheduler {
 public:
  explicit Holding(Simulation& simulation)
      : simulation_(simulation), queue_(simulation.usage().shape().pod_classes.size(), simulation.jobs().size()) {}

  void remove(JobId job) override { queue_.erase(job); }

 protected:
  [[nodiscard]] Simulation& simulation() { return simulation_; }
  [[nodiscard]] HoldQueue& queue() { return queue_; }

  void push(JobId job, std::int64_t order) {
    queue_.push(job, {-std::int64_t{simulation_.job(job).priority}, order, job.value}, simulation_.next_pod_class(job));
  }
  /// The first job after `after` whose next pod may have a place.
  [[nodiscard]] JobId next(const HoldQueue::Key& after) const {
    return queue_.next(after, [this](PodClassId pod_class) { return !simulation_.blocked_class(pod_class); });
  }
  /// As many pods of the job as find a node.
  void place_all(JobId job) {
    while (simulation_.placed(job) < simulation_.needed(job) && simulation_.place_next(job)) {
    }
    place_the_rest(job);
  }
  /// A job that has what it needs starts; true when it did.
  bool start_if_complete(JobId job) {
    if (simulation_.placed(job) < simulation_.needed(job)) {
      queue_.move(job, simulation_.next_pod_class(job));
      return false;
    }
    queue_.erase(job);
    simulation_.start(job);
    return true;
  }

 private:
  void place_the_rest(JobId job) {
    while (simulation_.placed(job) >= simulation_.needed(job) && simulation_.next_pod_class(job).valid() &&
           simulation_.place_next(job)) {
    }
  }

  Simulation& simulation_;
  HoldQueue queue_;
};

/// One pod of each job in turn, as in the scheduler's queue when the jobs' pods were made at the same time; who is
/// bound stays bound.
class PodByPod final : public Holding {
 public:
  using Holding::Holding;

  void enqueue(JobId job) override { push(job, ++arrivals_); }

  void pass() override {
    bool progress = true;
    while (progress) {
      progress = false;
      HoldQueue::Key key = HoldQueue::kBegin;
      for (JobId job = next(key); job.valid(); job = next(key)) {
        key = queue().key(job);
        if (simulation().place_next(job)) {
          progress = true;
          if (!start_if_complete(job)) {
            simulation().hold(job, -1);
          }
        }
      }
    }
  }

 private:
  std::int64_t arrivals_ = 0;
};

/// A job takes all pods that fit and waits for the rest until the time-out; then it goes behind the others.
class WithTimeout final : public Holding {
 public:
  using Holding::Holding;

  void enqueue(JobId job) override { push(job, ++arrivals_); }

  void pass() override {
    HoldQueue::Key key = HoldQueue::kBegin;
    for (JobId job = next(key); job.valid(); job = next(key)) {
      key = queue().key(job);
      place_all(job);
      if (!start_if_complete(job) && simulation().placed(job) > 0) {
        simulation().hold(job, timeout(job));
      }
    }
  }

 private:
  std::int64_t timeout(JobId job) {
    const std::int64_t own = simulation().job(job).hold_timeout_ms;
    return own >= 0 ? own : simulation().options().timeout_ms.value_or(0);
  }
  std::int64_t arrivals_ = 0;
};

/// scheduler-plugins' coscheduling. Groups keep the order of their creation. A pod that fits waits at Permit; an
/// unschedulable one has the whole group rejected when more than a tenth of minMember is missing (PostFilter), and so
/// does the permit timer of the pod that waits longest.
class Coscheduling final : public Holding {
 public:
  using Holding::Holding;

  void enqueue(JobId job) override { push(job, simulation().job(job).submission_ms); }

  void pass() override {
    HoldQueue::Key key = HoldQueue::kBegin;
    for (JobId job = next(key); job.valid(); job = next(key)) {
      key = queue().key(job);
      const bool held = simulation().placed(job) > 0;
      place_all(job);
      if (start_if_complete(job)) {
        continue;
      }
      const std::int64_t missing = simulation().needed(job) - simulation().placed(job);
      if (missing * 100 > kRejectPercentage * simulation().needed(job)) {
        if (held) {
          simulation().give_back(job, EventKind::kReject);
        } else {
          simulation().undo_placing(job);
        }
        queue().move(job, simulation().next_pod_class(job));
      } else {
        simulation().hold(job, timeout(job));
      }
    }
  }

 private:
  std::int64_t timeout(JobId job) {
    const std::int64_t own = simulation().job(job).hold_timeout_ms;
    return own >= 0 ? own : simulation().options().timeout_ms.value_or(kPermitMs);
  }
};

}  // namespace

std::unique_ptr<Scheduler> make_holding(Simulation& simulation) {
  switch (simulation.options().mode) {
    case Mode::kPod:
      return std::make_unique<PodByPod>(simulation);
    case Mode::kCoscheduling:
      return std::make_unique<Coscheduling>(simulation);
    default:
      return std::make_unique<WithTimeout>(simulation);
  }
}

}  // namespace gpusched::gang
