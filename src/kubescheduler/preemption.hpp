#pragma once

#include <span>
#include <string>
#include <vector>

#include "kubescheduler/filters.hpp"

namespace gpusched::kubescheduler {

struct PreemptionResult {
  enum class Outcome : std::uint8_t { kCandidate, kNone, kError };
  struct Candidate {
    std::string node;
    std::vector<PodIndex> victims;  ///< by importance
  };

  Outcome outcome = Outcome::kNone;
  std::string text;                   ///< for kNone and kError, with its prefix "preemption: "
  std::vector<Candidate> candidates;  ///< for kCandidate: all that are equally good, sorted by node
};

/// Plugin DefaultPreemption's PostFilter. `statuses` are those of the nodes, by index; a node that was not looked at
/// has kSuccess and counts as kUnresolvable.
/// Source: kube-scheduler 1.37, framework/preemption. With more than 100 candidate nodes the real one tries only a
/// random part of them; here all are tried.
[[nodiscard]] PreemptionResult preempt(Cycle& cycle, Filters& filters, std::span<const Status> statuses);

}  // namespace gpusched::kubescheduler
