#pragma once

#include <memory>

#include "gpusched/gang/options.hpp"
#include "gpusched/model/job.hpp"

namespace gpusched::gang {

class Simulation;

/// The decisions of a mode. It keeps its queue; the Simulation tells it what comes and goes.
class Scheduler {
 public:
  Scheduler() = default;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  virtual ~Scheduler() = default;

  /// A job wants to run: it was submitted, or comes back after a timeout, an eviction or a failure.
  virtual void enqueue(JobId job) = 0;
  /// A waiting job leaves the queue: it timed out and stays out for a while, or for good.
  virtual void remove(JobId job) = 0;
  /// Starts what may start now.
  virtual void pass() = 0;
};

/// Strict and best-effort order, all or nothing: gang without timeout, native, fifo, befifo, sjf.
[[nodiscard]] std::unique_ptr<Scheduler> make_ordered(Simulation& simulation);
/// EASY backfill.
[[nodiscard]] std::unique_ptr<Scheduler> make_easy(Simulation& simulation);
/// Modes in which a part of a job may hold GPUs: pod, gang with timeout, coscheduling.
[[nodiscard]] std::unique_ptr<Scheduler> make_holding(Simulation& simulation);

/// The scheduler of the simulation's mode.
[[nodiscard]] std::unique_ptr<Scheduler> make_scheduler(Simulation& simulation);

}  // namespace gpusched::gang
