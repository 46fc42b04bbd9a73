#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/explain/explain.hpp"

/// Messages of FailedScheduling events and PodScheduled conditions, read back without a cluster.
namespace gpusched::explain {

struct CountedReason {
  std::int64_t count = 0;  ///< of nodes; 0 when the text gives none
  std::string reason;      ///< without the count and the full stop

  bool operator==(const CountedReason&) const = default;
};

/// A message taken apart. What the text does not have stays empty.
struct SchedulingMessage {
  /// Who writes like this: "kube-scheduler", "kueue", "cluster-autoscaler", "kai-scheduler", "volcano", "HAMi",
  /// "DRA driver", "unknown".
  std::string source;
  std::optional<std::int64_t> nodes;  ///< N of 0/N
  std::vector<CountedReason> reasons;
  std::string pre_filter;                 ///< one text for all nodes in place of the counts
  std::string claims;                     ///< what plugin DynamicResources adds: "no new claims to deallocate", …
  std::vector<CountedReason> preemption;  ///< behind "preemption: 0/N nodes are available:"
  std::string preemption_text;            ///< another text behind "preemption: "
  bool cut = false;                       ///< the text ends in the middle
  bool before_1_28 = false;               ///< two full stops at the end: 1.23 to 1.27

  bool operator==(const SchedulingMessage&) const = default;
};

/// Reads any text; what nothing is known about is one reason of an unknown source.
[[nodiscard]] SchedulingMessage parse_message(std::string_view text);

/// The verdict as far as a bare message allows one, what each reason means, and last ("gather") the command whose
/// output would settle the rest.
[[nodiscard]] std::vector<Finding> explain_message(const SchedulingMessage& message);

}  // namespace gpusched::explain
