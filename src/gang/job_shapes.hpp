#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpusched/model/cluster_shape.hpp"
#include "gpusched/model/job.hpp"

namespace gpusched::gang {

/// Jobs of one shape ask for the same pods on the same terms: when there is no room for one, there is none for the
/// others until something is given back.
class JobShapes {
 public:
  explicit JobShapes(std::span<const Job> jobs);

  [[nodiscard]] std::uint32_t of(JobId job) const { return of_[job.index()]; }
  [[nodiscard]] std::size_t size() const { return count_; }

 private:
  std::vector<std::uint32_t> of_;
  std::size_t count_ = 0;
};

}  // namespace gpusched::gang
