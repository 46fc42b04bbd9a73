#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "gpusched/model/job.hpp"

namespace gpusched::gang {

/// Waiting jobs in order, each filed under the class of its next pod, so that a pass does not look at jobs whose pods
/// are known to fit nowhere.
class HoldQueue {
 public:
  using Key = std::array<std::int64_t, 3>;  ///< negative priority, order, job
  static constexpr Key kBegin = {std::numeric_limits<std::int64_t>::min(), 0, 0};

  HoldQueue(std::size_t pod_classes, std::size_t jobs) : by_class_(pod_classes), keys_(jobs), class_of_(jobs) {}

  void push(JobId job, const Key& key, PodClassId pod_class) {
    keys_[job.index()] = key;
    class_of_[job.index()] = pod_class;
    by_class_[pod_class.index()].insert(key);
  }
  void erase(JobId job) {
    if (class_of_[job.index()].valid()) {
      by_class_[class_of_[job.index()].index()].erase(keys_[job.index()]);
      class_of_[job.index()] = {};
    }
  }
  /// The job's next pod is of another class now.
  void move(JobId job, PodClassId pod_class) {
    if (class_of_[job.index()] != pod_class) {
      erase(job);
      push(job, keys_[job.index()], pod_class);
    }
  }
  [[nodiscard]] const Key& key(JobId job) const { return keys_[job.index()]; }

  /// The first job behind `after` whose class is wanted; invalid when there is none.
  template <class Wanted>
  [[nodiscard]] JobId next(const Key& after, Wanted&& wanted) const {
    const Key* best = nullptr;
    for (std::size_t i = 0; i < by_class_.size(); ++i) {
      if (by_class_[i].empty() || !wanted(PodClassId{i})) {
        continue;
      }
      const auto found = by_class_[i].upper_bound(after);
      if (found != by_class_[i].end() && (best == nullptr || *found < *best)) {
        best = &*found;
      }
    }
    return best == nullptr ? JobId{} : JobId{static_cast<std::size_t>((*best)[2])};
  }

 private:
  std::vector<std::set<Key>> by_class_;
  std::vector<Key> keys_;
  std::vector<PodClassId> class_of_;
};

}  // namespace gpusched::gang
