#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "kubescheduler/cycle.hpp"

namespace gpusched::kubescheduler {

/// Why nodes refused a pod, as the scheduler counts it. Source: kube-scheduler 1.37, framework/types.go, FitError.
class FitError {
 public:
  explicit FitError(std::size_t node_count) : node_count_(node_count) {}

  /// Each reason of the status counts once more.
  void add(const Status& status);
  /// What all nodes without a status of their own say; "" leaves them silent.
  void set_absent_reason(std::string reason) { absent_reason_ = std::move(reason); }

  /// "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable." and after a space the text of the
  /// PostFilter plugins, if any. The counts are sorted as texts.
  [[nodiscard]] std::string message(std::string_view post_filter = {}) const;
  /// The same when PreFilter refused the pod: its text takes the place of the counts.
  [[nodiscard]] static std::string message_of_pre_filter(std::size_t node_count, std::string_view text,
                                                         std::string_view post_filter);

 private:
  std::size_t node_count_;
  std::size_t explicit_nodes_ = 0;
  std::map<std::string_view, std::size_t> counts_;
  std::string absent_reason_;
};

}  // namespace gpusched::kubescheduler
