#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kueue/assignment.hpp"
#include "kueue/controller.hpp"
#include "kueue/eligibility.hpp"
#include "kueue/flavor_assigner.hpp"
#include "kueue/journal.hpp"
#include "kueue/preemption.hpp"
#include "kueue/state.hpp"

namespace gpusched::kueue {

/// A Workload in a scheduling cycle.
struct Entry {
  enum class Status : std::uint8_t { kNotNominated, kSkipped, kAssumed };

  WorkloadId workload;
  QueueId queue;
  Assignment assignment;
  std::vector<Target> targets;
  Status status = Status::kNotNominated;
  std::string_view reason = "Pending";  ///< of condition QuotaReserved
  std::string message;                  ///< why it is not admitted
  Controller::Requeue requeue = Controller::Requeue::kGeneric;
  int second_pass = 0;  ///< it holds quota, and its topology is looked for the n-th time
};

/// One scheduling cycle: the heads of all queues are assigned flavors against the same state, then admitted one after
/// another as long as they still fit. Source: Kueue v0.17.0, pkg/scheduler/scheduler.go, fair_sharing_iterator.go.
class Scheduler {
 public:
  Scheduler(State& state, Journal& journal, Controller& controller)
      : state_(state),
        journal_(journal),
        controller_(controller),
        topologies_(state),
        eligibility_(state, topologies_),
        preemption_(state, topologies_),
        assigner_(state, topologies_, eligibility_, preemption_) {}

  [[nodiscard]] bool has_heads() const;
  void run_cycle();
  /// A ClusterQueue was replaced.
  void forget_flavors() { eligibility_.forget(); }

 private:
  struct Booking {
    QuotaNode node;
    Usage usage;
    bool own_node_only = false;
  };

  void pop_heads();
  void pop_second_passes();
  /// Whether it can be tried; else `message` says why not.
  bool nominate(Entry& entry);
  void get_assignment(Entry& entry);
  [[nodiscard]] std::vector<Target> find_targets(const Entry& entry, Assignment& assignment);
  bool admit_partially(Entry& entry);
  void place_preemptor(Entry& entry);

  void sort_entries();
  [[nodiscard]] std::size_t next_entry(const std::vector<bool>& done);
  [[nodiscard]] std::size_t run_tournament(QuotaNode cohort, const std::vector<bool>& done);
  [[nodiscard]] bool is_fairer(std::size_t a, std::size_t b, QuotaNode cohort) const;
  void compute_shares(QuotaNode root, const std::vector<bool>& done);

  void process(Entry& entry);
  void reserve(Entry& entry);
  [[nodiscard]] bool still_fits(const Entry& entry);
  void book(const Entry& entry);
  void revert_bookings();
  void preempt(Entry& entry);
  void admit(Entry& entry);
  void requeue(Entry& entry);
  [[nodiscard]] bool waits_for_ready_pods() const;
  [[nodiscard]] std::string path_of(QueueId queue) const;

  State& state_;
  Journal& journal_;
  Controller& controller_;
  TopologyPlanner topologies_;
  Eligibility eligibility_;
  PreemptionSearch preemption_;
  FlavorAssigner assigner_;

  // Of the cycle that runs.
  std::vector<Entry> entries_;
  std::vector<Entry> inadmissible_;
  std::vector<Booking> bookings_;
  std::vector<TopologyUse> topology_bookings_;
  std::vector<WorkloadId> preempted_;
  std::vector<std::size_t> entry_of_queue_;     // fair sharing: entries_.size() when there is none
  std::vector<std::vector<FairShare>> shares_;  // fair sharing: by entry, then by depth of the cohort from below
};

}  // namespace gpusched::kueue
