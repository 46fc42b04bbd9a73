#include "gang/ranked_queue.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace gpusched::gang {

RankedQueue::RankedQueue(std::span<const Job> jobs, const JobShapes& shapes, bool shortest_first) {
  order_.reserve(jobs.size());
  durations_.reserve(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    order_.emplace_back(i);
    durations_.push_back(jobs[i].duration_ms);
    shape_of_.push_back(shapes.of(JobId{i}));
  }
  std::ranges::sort(order_, {}, [&](JobId id) {
    const Job& job = jobs[id.index()];
    return std::tuple(-std::int64_t{job.priority}, shortest_first ? job.duration_ms : 0, job.submission_ms, id);
  });
  shapes_.resize(shapes.size());
  leaf_of_.resize(jobs.size());
  for (std::uint32_t rank = 0; rank < order_.size(); ++rank) {
    Shape& shape = shapes_[shape_of_[order_[rank].index()]];
    leaf_of_[order_[rank].index()] = static_cast<std::uint32_t>(shape.ranks.size());
    shape.ranks.push_back(rank);
  }
  for (Shape& shape : shapes_) {
    shape.leaves = std::bit_ceil(shape.ranks.size());
    shape.least.assign(2 * shape.leaves, kAbsent);
  }
}

void RankedQueue::set(JobId job, std::int64_t duration) {
  const std::uint32_t id = shape_of_[job.index()];
  Shape& shape = shapes_[id];
  std::size_t i = shape.leaves + leaf_of_[job.index()];
  if ((shape.least[i] == kAbsent) == (duration == kAbsent)) {
    return;
  }
  if (duration == kAbsent) {
    --size_;
    if (--shape.waiting == 0) {
      shapes_[alive_.back()].place = shape.place;
      alive_[shape.place] = alive_.back();
      alive_.pop_back();
    }
  } else {
    ++size_;
    if (shape.waiting++ == 0) {
      shape.place = alive_.size();
      alive_.push_back(id);
    }
  }
  shape.least[i] = duration;
  while ((i /= 2) > 0) {
    shape.least[i] = std::min(shape.least[2 * i], shape.least[2 * i + 1]);
  }
}

std::uint32_t RankedQueue::first(std::uint32_t id, std::uint32_t from, std::int64_t longest) const {
  const Shape& shape = shapes_[id];
  const auto begin = static_cast<std::size_t>(std::ranges::lower_bound(shape.ranks, from) - shape.ranks.begin());
  if (begin == shape.ranks.size() || shape.least[1] > longest) {
    return kNone;
  }
  // Up until the subtree to the right holds one, then down to its leftmost.
  std::size_t i = shape.leaves + begin;
  while (shape.least[i] > longest) {
    while (i % 2 == 1) {  // a right child: its parent has nothing more to the right
      i /= 2;
    }
    if (i == 0) {
      return kNone;
    }
    ++i;
  }
  while (i < shape.leaves) {
    i = shape.least[2 * i] <= longest ? 2 * i : 2 * i + 1;
  }
  return shape.ranks[i - shape.leaves];
}

}  // namespace gpusched::gang
