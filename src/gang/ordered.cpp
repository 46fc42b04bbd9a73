#include "gang/ranked_queue.hpp"
#include "gang/scheduler.hpp"
#include "gang/simulation.hpp"

namespace gpusched::gang {

namespace {

/// All or nothing in one order. Strict: the first job that does not fit ends the pass.
class Ordered final : public Scheduler {
 public:
  explicit Ordered(Simulation& simulation)
      : simulation_(simulation),
        queue_(simulation.jobs(), simulation.shapes(), simulation.options().mode == Mode::kSjf),
        strict_(simulation.options().mode == Mode::kFifo) {}

  void enqueue(JobId job) override { queue_.push(job); }
  void remove(JobId job) override { queue_.erase(job); }

  void pass() override {
    std::uint32_t rank = 0;
    while ((rank = next(rank)) != RankedQueue::kNone) {
      const JobId job = queue_.job(rank);
      if (simulation_.place_whole(job)) {
        queue_.erase(job);
        simulation_.start(job);
      } else if (strict_) {
        return;
      }
      ++rank;
    }
  }

 private:
  std::uint32_t next(std::uint32_t from) const {
    return queue_.next(from, [this](std::uint32_t shape) {
      return !strict_ && simulation_.blocked_shape(shape) ? RankedQueue::kSkip : RankedQueue::kAnyDuration;
    });
  }

  Simulation& simulation_;
  RankedQueue queue_;
  bool strict_;
};

}  // namespace

std::unique_ptr<Scheduler> make_ordered(Simulation& simulation) {
  return std::make_unique<Ordered>(simulation);
}

}  // namespace gpusched::gang
