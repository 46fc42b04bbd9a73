#include "gang/job_shapes.hpp"

#include <map>

namespace gpusched::gang {

JobShapes::JobShapes(std::span<const Job> jobs) {
  std::map<std::vector<std::int64_t>, std::uint32_t> known;
  std::vector<std::int64_t> key;
  of_.reserve(jobs.size());
  for (const Job& job : jobs) {
    key.assign({job.priority, job.min_pods, job.topology.key.value, job.topology.exclusive ? 1 : 0});
    for (const PodSet& set : job.pod_sets) {
      key.push_back(set.pod_class.value);
      key.push_back(set.count);
    }
    of_.push_back(known.try_emplace(key, static_cast<std::uint32_t>(known.size())).first->second);
  }
  count_ = known.size();
}

}  // namespace gpusched::gang
