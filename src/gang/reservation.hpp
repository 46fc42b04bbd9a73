#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "gpusched/model/job.hpp"

namespace gpusched::gang {

class Simulation;

/// When the first job of a queue can start at the latest, and what is left for others beside it then. It counts GPUs by
/// node, with the exact end times of the jobs that run, and knows of labels, taints and models what follows from a
/// node's class; islands and other resources it does not see.
class Reservation {
 public:
  explicit Reservation(Simulation& simulation);

  /// Works out the reservation of a job that does not fit now.
  void make(JobId head);
  /// When the head can start; none: not before something unforeseen happens.
  [[nodiscard]] std::optional<std::int64_t> start_ms() const { return start_ms_; }
  /// Whether a job of so many milli-GPUs could run beside the head.
  [[nodiscard]] bool may_fit_beside(std::int64_t milli) const { return milli <= spare_total_; }
  /// Takes what a job that runs past start_ms() has got by node from what is left beside the head; false, and nothing
  /// is taken, when it is more than that.
  bool take(std::span<const std::pair<NodeId, std::int64_t>> milli_by_node);

 private:
  void read_changes();
  [[nodiscard]] std::int64_t free_on(NodeId node) const;
  [[nodiscard]] bool fits(const Job& job);
  [[nodiscard]] bool place_on_spare(const Job& job);
  void change(NodeId node, std::int64_t milli);

  Simulation& simulation_;
  std::vector<std::int64_t> free_;   // milli-GPUs by node, now
  std::vector<std::int64_t> spare_;  // at start_ms_, without the head
  std::vector<bool> eligible_;       // nodes that the head could use
  std::size_t read_ = 0;             // of ClusterUsage::touched
  std::int64_t pod_milli_ = 0;       // of the head's pods when they are equal; else 0
  std::int64_t pods_that_fit_ = 0;   // on spare_, when the head's pods are equal
  std::int64_t spare_total_ = 0;
  std::optional<std::int64_t> start_ms_;
};

}  // namespace gpusched::gang
