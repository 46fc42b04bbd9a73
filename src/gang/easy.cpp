#include <vector>

#include "gang/ranked_queue.hpp"
#include "gang/reservation.hpp"
#include "gang/scheduler.hpp"
#include "gang/simulation.hpp"

namespace gpusched::gang {

namespace {

/// EASY backfill (Lifka, JSSPP 1995): the heads start while they fit; then the next one has a reservation, and later
/// jobs start if they end before it or use only what it leaves.
class Easy final : public Scheduler {
 public:
  explicit Easy(Simulation& simulation)
      : simulation_(simulation),
        queue_(simulation.jobs(), simulation.shapes(), false),
        reservation_(simulation),
        no_room_beside_(simulation.shapes().size()) {}

  void enqueue(JobId job) override { queue_.push(job); }
  void remove(JobId job) override { queue_.erase(job); }

  void pass() override {
    const std::uint32_t head = start_heads();
    if (head == RankedQueue::kNone || queue_.size() < 2) {
      return;
    }
    ++pass_;
    reserved_ = false;
    std::uint32_t rank = head + 1;
    while ((rank = next(head, rank)) != RankedQueue::kNone) {
      backfill(queue_.job(rank));
      ++rank;
    }
  }

 private:
  /// The rank of the first job that does not fit.
  std::uint32_t start_heads() {
    std::uint32_t rank = 0;
    while ((rank = queue_.next(rank, [](std::uint32_t) { return RankedQueue::kAnyDuration; })) != RankedQueue::kNone) {
      const JobId job = queue_.job(rank);
      if (!simulation_.place_whole(job)) {
        break;
      }
      queue_.erase(job);
      simulation_.start(job);
    }
    return rank;
  }

  std::uint32_t next(std::uint32_t head, std::uint32_t from) {
    return queue_.next(from, [&](std::uint32_t shape) {
      if (simulation_.blocked_shape(shape)) {
        return RankedQueue::kSkip;
      }
      if (!reserved_) {  // only worth the work when some job could start
        reservation_.make(queue_.job(head));
        reserved_ = true;
      }
      return no_room_beside_[shape] != pass_ ? RankedQueue::kAnyDuration : window();
    });
  }

  /// How long a job may run that ends before the head starts.
  [[nodiscard]] std::int64_t window() const {
    return reservation_.start_ms() ? *reservation_.start_ms() - simulation_.now() : RankedQueue::kAnyDuration;
  }

  void backfill(JobId job) {
    const bool ends_before = simulation_.job(job).duration_ms <= window();
    const std::uint32_t shape = simulation_.shapes().of(job);
    if (!ends_before && !reservation_.may_fit_beside(gpu_milli(simulation_.usage().shape(), simulation_.job(job)))) {
      no_room_beside_[shape] = pass_;
      return;
    }
    if (!simulation_.place_whole(job)) {
      return;
    }
    if (!ends_before && !reservation_.take(simulation_.milli_by_node(job))) {
      simulation_.take_back_whole(job);
      no_room_beside_[shape] = pass_;
      return;
    }
    queue_.erase(job);
    simulation_.start(job);
  }

  Simulation& simulation_;
  RankedQueue queue_;
  Reservation reservation_;
  std::vector<std::uint64_t> no_room_beside_;  // by shape: the pass in which it was seen
  std::uint64_t pass_ = 0;
  bool reserved_ = false;
};

}  // namespace

std::unique_ptr<Scheduler> make_easy(Simulation& simulation) {
  return std::make_unique<Easy>(simulation);
}

}  // namespace gpusched::gang
