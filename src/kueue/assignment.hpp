#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kueue/state.hpp"

/// Which flavors a Workload would get. Source: Kueue v0.17.0, pkg/scheduler/flavorassigner.
namespace gpusched::kueue {

/// From worst to best.
enum class Mode : std::uint8_t { kNoFit, kPreempt, kFit };

struct FlavorChoice {
  StringId resource;
  FlavorId flavor;
  Column column;
  Mode mode = Mode::kNoFit;
  int tried = 0;   ///< index of the flavor where the search stopped, -1: the last one
  int borrow = 0;  ///< height of the subtree that holds it
};

struct PodSetAssignment {
  std::size_t pod_set = 0;
  std::vector<FlavorChoice> flavors;  ///< in the order of the resources' names
  std::vector<std::string> reasons;   ///< why it does not simply fit
  std::string error;                  ///< why it cannot be assigned at all
  ResourceRow requests;               ///< of all its pods
  std::int32_t count = 0;
  std::optional<DomainAssignment> domains;
  FlavorId topology_flavor;
  bool topology_delayed = false;  ///< until a check is ready

  [[nodiscard]] bool fits() const { return error.empty() && reasons.empty(); }
  [[nodiscard]] Mode mode() const;
  void set_mode(Mode mode);
};

struct Assignment {
  std::vector<PodSetAssignment> pod_sets;
  int borrowing = 0;
  std::vector<Usage> usage;  ///< by column
  LastAssignment last;
  std::optional<Mode> fixed_mode;

  /// The worst mode of the pod sets; once asked it stays, as in Kueue.
  [[nodiscard]] Mode mode();
  [[nodiscard]] std::string message(const WorkloadState& workload) const;
  [[nodiscard]] PodSetAssignment* find(std::size_t pod_set);
  void append(PodSetAssignment pod_set);
};

/// Pod sets to be placed on the topology of each flavor.
struct FlavorRequests {
  FlavorId flavor;
  std::vector<PodSetRequest> requests;
};
using TopologyRequests = std::vector<FlavorRequests>;

struct TopologyResult {
  std::vector<PodSetPlacement> placed;
  std::optional<PlacementFailure> failure;
};

/// The pod sets with requests for `counts` pods, one for each.
[[nodiscard]] std::vector<PodSetState> scaled_pod_sets(const WorkloadState& workload,
                                                       const std::vector<std::int32_t>& counts);

/// What a Workload's pod sets ask of the topologies of their flavors.
class TopologyPlanner {
 public:
  explicit TopologyPlanner(State& state) : state_(state) {}

  [[nodiscard]] bool is_explicit(const PodSetState& pod_set) const;
  /// It names no topology, but the ClusterQueue has nothing else.
  [[nodiscard]] bool is_implied(const QueueState& queue, const PodSetState& pod_set) const;
  [[nodiscard]] bool is_requested(const QueueState& queue, const PodSetState& pod_set) const {
    return is_explicit(pod_set) || is_implied(queue, pod_set);
  }

  /// Requests of the pod sets that have no domains yet. A pod set without exactly one TAS flavor gets an error.
  [[nodiscard]] TopologyRequests requests(const WorkloadState& workload, const QueueState& queue,
                                          Assignment& assignment);
  [[nodiscard]] TopologyResult place(const TopologyRequests& requests, bool simulate_empty) const;
  static void apply(const TopologyResult& result, Assignment& assignment);

  /// What the assignment takes of the topologies in the cycle: once for each resource of a TAS flavor.
  [[nodiscard]] std::vector<TopologyUse> usage(const Assignment& assignment) const;

 private:
  PodSetClass class_of(FlavorId flavor, PodClass pod_class, bool implied);

  State& state_;
  std::unordered_map<std::uint64_t, PodSetClass> classes_;
};

}  // namespace gpusched::kueue
