#pragma once

#include <span>
#include <string>
#include <vector>

#include "kueue/assignment.hpp"
#include "kueue/eligibility.hpp"
#include "kueue/preemption.hpp"

namespace gpusched::kueue {

/// Chooses flavors for the pod sets of a Workload against the state as it is. Source: Kueue v0.17.0,
/// pkg/scheduler/flavorassigner/flavorassigner.go.
class FlavorAssigner {
 public:
  FlavorAssigner(State& state, TopologyPlanner& topologies, Eligibility& eligibility, PreemptionSearch& preemption)
      : state_(state), topologies_(topologies), eligibility_(eligibility), preemption_(preemption) {}

  /// With `counts`: as if the pod sets had so many pods.
  [[nodiscard]] Assignment assign(WorkloadId workload, QueueId queue, const std::vector<std::int32_t>* counts);

 private:
  /// Pod sets that get one flavor together.
  struct PodSetGroup {
    std::string key;
    std::vector<std::size_t> pod_sets;
  };
  /// How well a flavor suits; Kueue's granularMode.
  enum class Level : std::uint8_t { kNoFit, kNoCandidates, kPreempt, kReclaim, kFit };
  struct Grade {
    Level level = Level::kFit;
    int borrow = 0;
  };
  struct Search {
    std::vector<FlavorChoice> flavors;
    std::vector<std::string> reasons;
    bool found_group = true;
  };

  [[nodiscard]] std::vector<PodSetGroup> groups_of(const WorkloadState& workload) const;
  /// What the Workload has got already, without its topology.
  [[nodiscard]] Assignment reserved_assignment() const;
  void place_as_before(const AssignedPodSet& reserved, PodSetAssignment& assigned) const;
  /// Whether all pod sets of the group got what they need.
  bool assign_group(const PodSetGroup& group, Assignment& assignment);
  [[nodiscard]] Search find_flavor(const PodSetGroup& group, const ResourceRow& requests, StringId resource,
                                   const Assignment& assignment);
  [[nodiscard]] const std::string& refusal(std::size_t group_index, std::size_t flavor, const PodSetGroup& group);
  /// Grades one flavor; the choices for its resources go to `choices`.
  [[nodiscard]] Grade grade_flavor(const GroupState& group, std::size_t flavor, const ResourceRow& requests,
                                   const Assignment& assignment, std::vector<FlavorChoice>& choices,
                                   std::vector<std::string>& reasons);
  [[nodiscard]] Grade grade(const FlavorChoice& choice, std::int64_t assumed, std::int64_t request,
                            std::vector<std::string>& reasons);
  [[nodiscard]] bool is_preferred(const Grade& a, const Grade& b) const;
  [[nodiscard]] bool try_next(const Grade& grade) const;
  [[nodiscard]] std::size_t first_flavor(std::size_t pod_set, StringId resource) const;
  void place(Assignment& assignment);

  State& state_;
  TopologyPlanner& topologies_;
  Eligibility& eligibility_;
  PreemptionSearch& preemption_;

  // The question that is being answered.
  WorkloadId workload_;
  QueueId queue_;
  std::vector<PodSetState> changed_pod_sets_;  // when they are not those of the Workload
  std::span<const PodSetState> pod_sets_;
};

}  // namespace gpusched::kueue
