#include "kueue/scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "kueue/wrapping.hpp"

namespace gpusched::kueue {

bool Scheduler::has_heads() const {
  return !waits_for_ready_pods() && std::ranges::any_of(state_.queues, [](const QueueState& queue) {
    return queue.active && queue.pending.has_heads();
  });
}

void Scheduler::run_cycle() {
  entries_.clear();
  inadmissible_.clear();
  preempted_.clear();
  pop_second_passes();
  pop_heads();
  sort_entries();
  std::vector<bool> done(entries_.size(), false);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const std::size_t next = next_entry(done);
    done[next] = true;
    process(entries_[next]);
  }
  revert_bookings();
  for (Entry& entry : entries_) {
    if (entry.status == Entry::Status::kAssumed) {
      state_.cache(entry.workload);
    }
  }
  for (auto* const list : {&entries_, &inadmissible_}) {
    for (Entry& entry : *list) {
      if (entry.status != Entry::Status::kAssumed) {
        requeue(entry);
      }
    }
  }
}

/// Workloads that hold quota and got their last admission check: only their topology is left to be found.
void Scheduler::pop_second_passes() {
  for (const auto& [id, iteration] : controller_.take_second_passes()) {
    const WorkloadState& workload = state_.workloads[id.index()];
    if (!workload.admission || !workload.admission->queue.valid()) {
      continue;
    }
    Entry& entry = entries_.emplace_back();
    entry.queue = workload.admission->queue;
    entry.workload = id;
    entry.second_pass = iteration;
    if (!nominate(entry)) {
      inadmissible_.push_back(std::move(entry));
      entries_.pop_back();
    }
  }
}

void Scheduler::pop_heads() {
  for (std::size_t i = 0; i < state_.queues.size(); ++i) {
    if (!state_.queues[i].active || !state_.queues[i].pending.has_heads()) {
      continue;
    }
    const WorkloadId head = state_.queues[i].pending.pop();
    if (state_.workloads[head.index()].cached_in == QueueId(i)) {
      continue;  // it is accounted for already
    }
    Entry& entry = entries_.emplace_back();
    entry.queue = QueueId(i);
    entry.workload = head;
    if (!nominate(entry)) {
      inadmissible_.push_back(std::move(entry));
      entries_.pop_back();
    }
  }
}

bool Scheduler::nominate(Entry& entry) {
  const WorkloadState& workload = state_.workloads[entry.workload.index()];
  QueueState& queue = state_.queues[entry.queue.index()];
  if (workload.has_check(CheckState::Value::kRetry) || workload.has_check(CheckState::Value::kRejected)) {
    entry.message = "The workload has failed admission checks";
  } else if (!state_.visible(queue)) {
    entry.message = fmt::format("ClusterQueue {} is inactive", queue.object.meta.name);
  } else if (!state_.namespace_matches(queue, workload.object->meta.namespace_name)) {
    entry.message = "Workload namespace doesn't match ClusterQueue selector";
    entry.requeue = Controller::Requeue::kNamespaceMismatch;
  } else if (!workload.invalid.empty()) {
    entry.message = workload.invalid;
  } else {
    get_assignment(entry);
    entry.message = entry.assignment.message(workload);
    if (entry.second_pass > 0) {
      entry.assignment.usage.clear();  // it is in the state already
    }
    controller_.set_last(entry.workload, std::move(entry.assignment.last));
    return true;
  }
  return false;
}

void Scheduler::get_assignment(Entry& entry) {
  entry.assignment = assigner_.assign(entry.workload, entry.queue, nullptr);
  Mode mode = entry.assignment.mode();
  if (mode == Mode::kPreempt) {
    entry.targets = find_targets(entry, entry.assignment);
  }
  if (mode != Mode::kFit && entry.targets.empty() && state_.features().partial_admission && admit_partially(entry)) {
    mode = entry.assignment.mode();
  }
  if (mode == Mode::kPreempt && state_.features().topology_aware_scheduling) {
    place_preemptor(entry);
  }
}

std::vector<Target> Scheduler::find_targets(const Entry& entry, Assignment& assignment) {
  const WorkloadState& workload = state_.workloads[entry.workload.index()];
  Preemptor preemptor;
  preemptor.workload = entry.workload;
  preemptor.queue = entry.queue;
  if (state_.features().topology_aware_scheduling) {
    preemptor.topology = topologies_.requests(workload, state_.queues[entry.queue.index()], assignment);
  }
  for (const PodSetAssignment& pod_set : assignment.pod_sets) {
    for (const FlavorChoice& choice : pod_set.flavors) {
      if (choice.mode == Mode::kPreempt) {
        preemptor.contested.push_back(choice.column);
      }
    }
  }
  std::ranges::sort(preemptor.contested);
  const auto repeated = std::ranges::unique(preemptor.contested);
  preemptor.contested.erase(repeated.begin(), repeated.end());
  std::ranges::copy_if(assignment.usage, std::back_inserter(preemptor.usage),
                       [](const Usage& usage) { return usage.amount != 0; });
  return preemption_.targets(preemptor);
}

/// The largest counts between minCount and count, by a binary search that takes for granted that fewer pods fit better.
bool Scheduler::admit_partially(Entry& entry) {
  const WorkloadState& workload = state_.workloads[entry.workload.index()];
  std::vector<std::int32_t> full, deltas;
  std::int32_t total = 0;
  bool any = false;
  for (const PodSetState& pod_set : workload.pod_sets) {
    const objects::PodSet& object = *pod_set.object;
    full.push_back(object.count);
    deltas.push_back(wrap_sub(object.count, object.min_count.value_or(object.count)));
    any |= deltas.back() > 0;
    total = wrap_add(total, deltas.back());
  }
  if (!any || total <= 0) {
    return false;
  }
  Assignment best;
  std::vector<Target> best_targets;
  std::int64_t best_step = 0;
  std::int64_t low = 0;
  std::int64_t high = std::int64_t{total} + 1;
  while (low < high) {
    const std::int64_t step = low + (high - low) / 2;
    std::vector<std::int32_t> counts = full;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      counts[i] = wrap_sub(counts[i], static_cast<std::int32_t>(std::int64_t{deltas[i]} * step / total));
    }
    Assignment assignment = assigner_.assign(entry.workload, entry.queue, &counts);
    std::vector<Target> targets;
    if (assignment.mode() == Mode::kPreempt) {
      targets = find_targets(entry, assignment);
    }
    if (assignment.mode() == Mode::kFit || !targets.empty()) {
      best = std::move(assignment);
      best_targets = std::move(targets);
      best_step = step;
      high = step;
    } else {
      low = step + 1;
    }
  }
  if (best.pod_sets.empty() || low != best_step) {
    return false;
  }
  entry.assignment = std::move(best);
  entry.targets = std::move(best_targets);
  return true;
}

/// Domains that the Workload will get after the preemption, or that are kept for it while it waits.
void Scheduler::place_preemptor(Entry& entry) {
  const WorkloadState& workload = state_.workloads[entry.workload.index()];
  const QueueState& queue = state_.queues[entry.queue.index()];
  const bool asks = std::ranges::any_of(workload.pod_sets,
                                        [&](const PodSetState& pod_set) { return topologies_.is_explicit(pod_set); });
  if (!asks && !queue.topology_only) {
    return;
  }
  const TopologyRequests requests = topologies_.requests(workload, queue, entry.assignment);
  for (const Target& target : entry.targets) {
    state_.remove_usage(state_.workloads[target.workload.index()]);
  }
  TopologyPlanner::apply(topologies_.place(requests, entry.targets.empty()), entry.assignment);
  for (const Target& target : entry.targets) {
    state_.add_usage(state_.workloads[target.workload.index()]);
  }
}

void Scheduler::process(Entry& entry) {
  const Mode mode = entry.assignment.mode();
  if (mode == Mode::kNoFit) {
    return;
  }
  if (mode == Mode::kPreempt && entry.targets.empty()) {
    reserve(entry);
    return;
  }
  const auto skip = [&](std::string_view message) {
    entry.status = Entry::Status::kSkipped;
    entry.message = message;
    controller_.set_last(entry.workload, std::nullopt);
  };
  const bool overlaps = std::ranges::any_of(entry.targets, [&](const Target& target) {
    return std::ranges::find(preempted_, target.workload) != preempted_.end();
  });
  if (overlaps) {
    skip("Workload has overlapping preemption targets with another workload");
  } else if (!still_fits(entry)) {
    skip("Workload no longer fits after processing another workload");
  } else {
    for (const Target& target : entry.targets) {
      preempted_.push_back(target.workload);
    }
    book(entry);
    if (mode == Mode::kPreempt) {
      preempt(entry);
    } else if (waits_for_ready_pods()) {
      skip("waiting for all admitted workloads to be in PodsReady condition");
      entry.reason = "Waiting";
    } else {
      admit(entry);
    }
  }
}

/// Keeps room for a Workload that waits for others to go, unless its queue can take it back at any time.
void Scheduler::reserve(Entry& entry) {
  const QueueState& queue = state_.queues[entry.queue.index()];
  if (queue.reclaim == Policy::kAny) {
    return;
  }
  const QuotaNode node = state_.node(entry.queue);
  std::vector<Usage> reserved;
  for (const Usage& usage : entry.assignment.usage) {
    const Quota& quota = state_.tree.quota(node, usage.column);
    const std::int64_t left = wrap_sub(quota.nominal, state_.tree.usage(node, usage.column));
    std::int64_t amount = std::max<std::int64_t>(0, std::min(usage.amount, left));
    if (entry.assignment.borrowing > 0) {
      amount = quota.has_borrowing_limit ? std::min(usage.amount, wrap_add(left, quota.borrowing_limit)) : usage.amount;
    }
    reserved.push_back({usage.column, amount});
  }
  entry.assignment.usage = std::move(reserved);
  book(entry);
}

bool Scheduler::still_fits(const Entry& entry) {
  std::vector<WorkloadId> gone = preempted_;
  for (const Target& target : entry.targets) {
    gone.push_back(target.workload);
  }
  for (const WorkloadId id : gone) {
    state_.remove_usage(state_.workloads[id.index()]);
  }
  const QuotaNode node = state_.node(entry.queue);
  bool fits = std::ranges::all_of(entry.assignment.usage, [&](const Usage& usage) {
    return std::max<std::int64_t>(0, state_.tree.available(node, usage.column)) >= usage.amount;
  });
  for (const TopologyUse& use : fits ? topologies_.usage(entry.assignment) : std::vector<TopologyUse>()) {
    const FlavorTopology& topology = *state_.flavors[use.flavor.index()].topology;
    fits &= std::ranges::all_of(use.domains, [&](const DomainPods& domain) {
      return topology.fits({domain.domain, domain.pods, &use.per_pod});
    });
  }
  for (const WorkloadId id : gone) {
    state_.add_usage(state_.workloads[id.index()]);
  }
  return fits;
}

void Scheduler::book(const Entry& entry) {
  const QuotaNode node = state_.node(entry.queue);
  for (const Usage& usage : entry.assignment.usage) {
    state_.tree.add(node, usage);
    bookings_.push_back({node, usage, usage.amount < 0});
  }
  if (state_.features().topology_aware_scheduling) {
    for (TopologyUse& use : topologies_.usage(entry.assignment)) {
      state_.add_topology_use(use);
      topology_bookings_.push_back(std::move(use));
    }
  }
}

void Scheduler::revert_bookings() {
  for (; !bookings_.empty(); bookings_.pop_back()) {
    const Booking& booking = bookings_.back();
    if (booking.own_node_only) {  // a negative amount never reached the parent
      state_.tree.shift(booking.node, {booking.usage.column, wrap_sub<std::int64_t>(0, booking.usage.amount)});
    } else {
      state_.tree.remove(booking.node, booking.usage);
    }
  }
  for (; !topology_bookings_.empty(); topology_bookings_.pop_back()) {
    state_.remove_topology_use(topology_bookings_.back());
  }
}

std::string Scheduler::path_of(QueueId queue) const {
  std::string path;
  for (QuotaNode node = state_.node(queue); node.valid(); node = state_.tree.parent(node)) {
    path = fmt::format("/{}{}", state_.node_name(node), path);
  }
  return path;
}

void Scheduler::preempt(Entry& entry) {
  controller_.set_last(entry.workload, std::nullopt);  // the next attempt tries all flavors
  const WorkloadState& preemptor = state_.workloads[entry.workload.index()];
  const auto or_unknown = [](std::string_view text) { return text.empty() ? std::string_view("UNKNOWN") : text; };
  const std::string* const job = objects::find(preemptor.object->meta.labels, "kueue.x-k8s.io/job-uid");
  for (const Target& target : entry.targets) {
    WorkloadState& victim = state_.workloads[target.workload.index()];
    if (victim.is(ConditionType::kEvicted)) {
      victim.preemption_expected = false;
      continue;
    }
    if (victim.preemption_expected) {
      continue;
    }
    victim.preemption_expected = true;
    std::string message = fmt::format(
        "Preempted to accommodate a workload (UID: {}, JobUID: {}) due to {}; preemptor path: {}; preemptee path: {}",
        or_unknown(preemptor.object->meta.uid), or_unknown(job == nullptr ? std::string_view() : *job),
        reason_words(target.reason), path_of(entry.queue), path_of(victim.cached_in));
    journal_.write(target.workload, [&](WorkloadState& w) {
      w.set(ConditionType::kPreempted, true, reason_name(target.reason), message, state_.now);
      w.evict("Preempted", std::move(message), state_.now);
      return true;
    });
  }
  entry.message += fmt::format(". Pending the preemption of {} workload(s)", entry.targets.size());
  entry.requeue = Controller::Requeue::kPendingPreemption;
}

void Scheduler::admit(Entry& entry) {
  entry.status = Entry::Status::kAssumed;
  AdmissionState admission;
  const QueueState& queue = state_.queues[entry.queue.index()];
  admission.queue_name = queue.object.meta.name;
  admission.queue = entry.queue;
  const WorkloadState& workload = state_.workloads[entry.workload.index()];
  for (PodSetAssignment& assigned : entry.assignment.pod_sets) {
    AssignedPodSet& pod_set = admission.pod_sets.emplace_back();
    pod_set.name = workload.pod_sets[assigned.pod_set].name;
    pod_set.count = assigned.count;
    for (const FlavorChoice& choice : assigned.flavors) {
      const auto request = std::ranges::find(assigned.requests, choice.resource, &ResourceAmount::resource);
      pod_set.resources.push_back({choice.resource, choice.flavor, request->amount});
    }
    if (assigned.domains) {
      pod_set.domains = std::move(assigned.domains);
      pod_set.topology_flavor = assigned.topology_flavor;
    }
    pod_set.topology_pending = assigned.topology_delayed;
  }
  journal_.write(entry.workload, [&](WorkloadState& w) {
    constexpr std::string_view kReason = "QuotaReserved";
    w.admission = std::move(admission);
    w.resolved = false;
    w.set(ConditionType::kQuotaReserved, true, kReason,
          fmt::format("Quota reserved in ClusterQueue {}", queue.object.meta.name), state_.now);
    w.reset(ConditionType::kEvicted, kReason, state_.now);
    w.reset(ConditionType::kPreempted, kReason, state_.now);
    if (controller_.has_needed_checks(entry.workload, queue)) {
      w.sync_admitted(state_.now);
    }
    return true;
  });
}

void Scheduler::requeue(Entry& entry) {
  const bool nominated = entry.status != Entry::Status::kNotNominated;
  if (nominated && entry.requeue == Controller::Requeue::kGeneric) {
    entry.requeue = Controller::Requeue::kFailedAfterNomination;
  }
  if (controller_.queue_second_pass(entry.workload, entry.second_pass)) {
    return;
  }
  controller_.requeue(entry.workload, entry.requeue);
  journal_.write(entry.workload, [&](WorkloadState& w) {
    const bool first = !std::exchange(w.requests_written, true);
    return w.unreserve(entry.reason, entry.message, state_.now) || first;
  });
}

bool Scheduler::waits_for_ready_pods() const {
  const auto& wait = state_.configuration.wait_for_pods_ready;
  if (!wait || !wait->block_admission) {
    return false;
  }
  return std::ranges::any_of(state_.queues, [&](const QueueState& queue) {
    return std::ranges::any_of(
        queue.cached, [&](WorkloadId id) { return !state_.workloads[id.index()].is(ConditionType::kPodsReady); });
  });
}

}  // namespace gpusched::kueue
