#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "gang/job_shapes.hpp"

namespace gpusched::gang {

/// The waiting jobs in an order that is fixed for the run, found by shape: "the first job of this shape from there on
/// that lasts at most so long" in O(log n).
class RankedQueue {
 public:
  static constexpr std::int64_t kAnyDuration = std::numeric_limits<std::int64_t>::max() - 1;
  static constexpr std::int64_t kSkip = -1;  ///< as a limit: no job of this shape
  static constexpr std::uint32_t kNone = 0xffff'ffffU;

  /// `shortest_first`: after the priority the duration decides. Then the submission, then the input order.
  RankedQueue(std::span<const Job> jobs, const JobShapes& shapes, bool shortest_first);

  void push(JobId job) { set(job, durations_[job.index()]); }
  void erase(JobId job) { set(job, kAbsent); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] JobId job(std::uint32_t rank) const { return order_[rank]; }

  /// The lowest rank from `from` on whose job lasts at most limit(shape); kNone when there is none.
  template <class Limit>
  [[nodiscard]] std::uint32_t next(std::uint32_t from, Limit&& limit) const {
    std::uint32_t best = kNone;
    for (const std::uint32_t shape : alive_) {
      if (const std::int64_t longest = limit(shape); longest >= 0) {
        const std::uint32_t rank = first(shape, from, longest);
        best = rank < best ? rank : best;
      }
    }
    return best;
  }

 private:
  static constexpr std::int64_t kAbsent = std::numeric_limits<std::int64_t>::max();
  struct Shape {
    std::vector<std::uint32_t> ranks;  // ascending, of all jobs of the shape
    std::vector<std::int64_t> least;   // 1-based heap: shortest waiting job below each node
    std::size_t leaves = 1;
    std::size_t waiting = 0;
    std::size_t place = 0;  // in alive_
  };

  void set(JobId job, std::int64_t duration);
  [[nodiscard]] std::uint32_t first(std::uint32_t shape, std::uint32_t from, std::int64_t longest) const;

  std::vector<JobId> order_;  // by rank
  std::vector<std::int64_t> durations_;
  std::vector<std::uint32_t> shape_of_, leaf_of_;  // by job
  std::vector<Shape> shapes_;
  std::vector<std::uint32_t> alive_;  // shapes with waiting jobs
  std::size_t size_ = 0;
};

}  // namespace gpusched::gang
