#include "kueue/flavor_assigner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "kueue/amounts.hpp"
#include "kueue/wrapping.hpp"

namespace gpusched::kueue {

namespace {

/// Adds an amount to the row at its resource's place in the order of the names.
void add_amount(ResourceRow& row, const StringTable& names, StringId resource, std::int64_t amount) {
  const auto place = std::ranges::lower_bound(row, names[resource], {},
                                              [&](const ResourceAmount& entry) { return names[entry.resource]; });
  if (place != row.end() && place->resource == resource) {
    place->amount = wrap_add(place->amount, amount);
  } else {
    row.insert(place, {resource, amount});
  }
}

void set_amount(ResourceRow& row, const StringTable& names, StringId resource, std::int64_t amount) {
  std::erase_if(row, [&](const ResourceAmount& entry) { return entry.resource == resource; });
  add_amount(row, names, resource, amount);
}

}  // namespace

Assignment FlavorAssigner::assign(WorkloadId workload, QueueId queue, const std::vector<std::int32_t>* counts) {
  workload_ = workload;
  queue_ = queue;
  WorkloadState& state = state_.workloads[workload.index()];
  const QueueState& where = state_.queues[queue.index()];
  if (state.last && where.generation > state.last->generation) {
    state.last.reset();  // something was freed since then: begin with the first flavor
  }
  if (state.needs_second_pass()) {
    Assignment reserved = reserved_assignment();
    place(reserved);
    return reserved;
  }
  const StringId pods = state_.resources.find("pods");
  const bool counts_pods = pods.valid() && state_.group_of(where, pods) != nullptr;
  pod_sets_ = state.pod_sets;
  if (counts != nullptr || counts_pods) {
    changed_pod_sets_ = counts == nullptr ? state.pod_sets : scaled_pod_sets(state, *counts);
    pod_sets_ = changed_pod_sets_;
  }
  if (counts_pods) {
    for (PodSetState& pod_set : changed_pod_sets_) {
      set_amount(pod_set.requests, state_.resources, pods, pod_set.count);
    }
  }
  Assignment assignment;
  assignment.last.generation = where.generation;
  for (const PodSetGroup& group : groups_of(state)) {
    if (!assign_group(group, assignment)) {
      return assignment;
    }
  }
  if (assignment.mode() != Mode::kNoFit && state_.features().topology_aware_scheduling) {
    place(assignment);
  }
  return assignment;
}

void FlavorAssigner::place_as_before(const AssignedPodSet& reserved, PodSetAssignment& assigned) const {
  for (const AssignedResource& resource : reserved.resources) {
    FlavorTopology* const topology = state_.flavors[resource.flavor.index()].topology.get();
    if (topology == nullptr || assigned.domains) {
      continue;
    }
    assigned.topology_flavor = resource.flavor;
    DomainAssignment& domains = assigned.domains.emplace();
    for (const objects::TopologyDomain& domain : reserved.topology->domains) {
      domains.push_back({topology->domain(domain.values), domain.count});
    }
  }
}

Assignment FlavorAssigner::reserved_assignment() const {
  const WorkloadState& workload = state_.workloads[workload_.index()];
  Assignment assignment;
  assignment.last.generation = state_.queues[queue_.index()].generation;
  for (std::size_t i = 0; i < workload.pod_sets.size() && i < workload.admission->pod_sets.size(); ++i) {
    const AssignedPodSet& reserved = workload.admission->pod_sets[i];
    PodSetAssignment assigned;
    assigned.pod_set = i;
    assigned.count = reserved.count;
    assigned.domains = reserved.domains;
    assigned.topology_flavor = reserved.topology_flavor;
    if (reserved.topology) {  // placed before the simulation began
      place_as_before(reserved, assigned);
    }
    for (const AssignedResource& resource : reserved.resources) {
      assigned.requests.push_back({resource.resource, resource.amount});
      assigned.flavors.push_back({resource.resource, resource.flavor,
                                  state_.tree.column(state_.node(queue_), {resource.flavor, resource.resource}),
                                  Mode::kFit, 0, 0});
    }
    assignment.append(std::move(assigned));
  }
  return assignment;
}

std::vector<FlavorAssigner::PodSetGroup> FlavorAssigner::groups_of(const WorkloadState& workload) const {
  std::vector<PodSetGroup> groups;
  for (std::size_t i = 0; i < workload.pod_sets.size(); ++i) {
    const auto& topology = workload.pod_sets[i].object->topology;
    std::string key = topology && topology->pod_set_group ? *topology->pod_set_group : std::to_string(i);
    auto known = std::ranges::find(groups, key, &PodSetGroup::key);
    if (known == groups.end()) {
      groups.push_back({std::move(key), {}});
      known = std::prev(groups.end());
    }
    known->pod_sets.push_back(i);
  }
  return groups;
}

bool FlavorAssigner::assign_group(const PodSetGroup& group, Assignment& assignment) {
  const QueueState& queue = state_.queues[queue_.index()];
  ResourceRow requests;
  for (const std::size_t pod_set : group.pod_sets) {
    for (const ResourceAmount& amount : pod_sets_[pod_set].requests) {
      add_amount(requests, state_.resources, amount.resource, amount.amount);
    }
  }
  std::vector<FlavorChoice> flavors;
  std::vector<std::string> reasons;
  for (const ResourceAmount& amount : requests) {
    const bool known = std::ranges::find(flavors, amount.resource, &FlavorChoice::resource) != flavors.end();
    const bool ignored = amount.amount == 0 || state_.features().ignore_undeclared;
    if (known || (ignored && state_.group_of(queue, amount.resource) == nullptr)) {
      continue;
    }
    Search search = find_flavor(group, requests, amount.resource, assignment);
    if (search.flavors.empty()) {
      flavors.clear();
      reasons = std::move(search.reasons);
      break;
    }
    std::ranges::move(search.flavors, std::back_inserter(flavors));
    std::ranges::move(search.reasons, std::back_inserter(reasons));
  }
  bool complete = true;
  for (const std::size_t pod_set : group.pod_sets) {
    PodSetAssignment assigned;
    assigned.pod_set = pod_set;
    assigned.requests = pod_sets_[pod_set].requests;
    assigned.count = pod_sets_[pod_set].count;
    assigned.reasons = reasons;
    for (const ResourceAmount& amount : assigned.requests) {
      const auto choice = std::ranges::find(flavors, amount.resource, &FlavorChoice::resource);
      if (choice != flavors.end()) {
        assigned.flavors.push_back(*choice);
      }
    }
    complete &= assigned.requests.empty() || !assigned.flavors.empty();
    assignment.append(std::move(assigned));
  }
  return complete;
}

std::size_t FlavorAssigner::first_flavor(std::size_t pod_set, StringId resource) const {
  const auto& last = state_.workloads[workload_.index()].last;
  if (!state_.features().flavor_fungibility || !last || pod_set >= last->pod_sets.size()) {
    return 0;
  }
  const auto& tried = last->pod_sets[pod_set];
  const auto found = std::ranges::find(tried, resource, &LastAssignment::Tried::resource);
  return found == tried.end() ? 0 : static_cast<std::size_t>(found->flavor + 1);
}

const std::string& FlavorAssigner::refusal(std::size_t group_index, std::size_t flavor, const PodSetGroup& group) {
  static const std::string kNone;
  for (const std::size_t pod_set : group.pod_sets) {
    const std::string& reason = eligibility_.reason(queue_, group_index, flavor, pod_sets_[pod_set]);
    if (!reason.empty()) {
      return reason;
    }
  }
  return kNone;
}

FlavorAssigner::Search FlavorAssigner::find_flavor(const PodSetGroup& group, const ResourceRow& requests,
                                                   StringId resource, const Assignment& assignment) {
  const QueueState& queue = state_.queues[queue_.index()];
  Search search;
  const GroupState* const resources = state_.group_of(queue, resource);
  if (resources == nullptr) {
    search.reasons.push_back(fmt::format("resource {} unavailable in ClusterQueue", state_.resources[resource]));
    return search;
  }
  const auto group_index = static_cast<std::size_t>(resources - queue.groups.data());
  const std::size_t count = resources->flavors.size();
  Grade best{Level::kNoFit, std::numeric_limits<int>::max()};
  int attempted = -1;
  for (std::size_t flavor = first_flavor(group.pod_sets.front(), resource); flavor < count; ++flavor) {
    attempted = static_cast<int>(flavor);
    if (const std::string& reason = refusal(group_index, flavor, group); !reason.empty()) {
      search.reasons.push_back(reason);
      continue;
    }
    std::vector<FlavorChoice> choices;
    const Grade grade = grade_flavor(*resources, flavor, requests, assignment, choices, search.reasons);
    if (!state_.features().flavor_fungibility) {
      if (grade.level > best.level) {
        best = grade;
        search.flavors = std::move(choices);
        if (best.level == Level::kFit) {
          break;
        }
      }
    } else if (!try_next(grade)) {
      best = grade;
      search.flavors = std::move(choices);
      break;
    } else if (is_preferred(grade, best)) {
      best = grade;
      search.flavors = std::move(choices);
    }
  }
  if (state_.features().flavor_fungibility) {
    const int tried = attempted == static_cast<int>(count) - 1 ? -1 : attempted;
    for (FlavorChoice& choice : search.flavors) {
      choice.tried = tried;
    }
  }
  if (best.level == Level::kFit) {
    search.reasons.clear();
  }
  return search;
}

FlavorAssigner::Grade FlavorAssigner::grade_flavor(const GroupState& group, std::size_t flavor,
                                                   const ResourceRow& requests, const Assignment& assignment,
                                                   std::vector<FlavorChoice>& choices,
                                                   std::vector<std::string>& reasons) {
  Grade worst;
  for (const ResourceAmount& request : requests) {
    if (!group.covers(request.resource)) {
      continue;
    }
    FlavorChoice choice{
        request.resource, group.flavors[flavor], group.column(flavor, request.resource), Mode::kNoFit, 0, 0};
    const auto assumed = std::ranges::lower_bound(assignment.usage, choice.column, {}, &Usage::column);
    const bool has_assumed = assumed != assignment.usage.end() && assumed->column == choice.column;
    const Grade grade_here = grade(choice, has_assumed ? assumed->amount : 0, request.amount, reasons);
    if (is_preferred(worst, grade_here)) {
      worst = grade_here;
    }
    if (worst.level == Level::kNoFit) {
      break;
    }
    choice.mode = grade_here.level == Level::kFit     ? Mode::kFit
                  : grade_here.level == Level::kNoFit ? Mode::kNoFit
                                                      : Mode::kPreempt;
    choice.borrow = grade_here.borrow;
    choices.push_back(choice);
  }
  return worst;
}

FlavorAssigner::Grade FlavorAssigner::grade(const FlavorChoice& choice, std::int64_t assumed, std::int64_t request,
                                            std::vector<std::string>& reasons) {
  const QueueState& queue = state_.queues[queue_.index()];
  const QuotaNode node = state_.node(queue_);
  const std::string_view resource = state_.resources[choice.resource];
  const std::string& flavor = state_.flavors[choice.flavor.index()].name;
  const std::int64_t value = wrap_add(assumed, request);
  const std::int64_t capacity = state_.tree.potential(node, choice.column);
  if (value > capacity) {
    reasons.push_back(fmt::format(
        "insufficient quota for {} in flavor {}, previously considered podsets requests ({}) + current podset request "
        "({}) > maximum capacity ({})",
        resource, flavor, amount_text(resource, assumed), amount_text(resource, request),
        amount_text(resource, capacity)));
    return {Level::kNoFit, 0};
  }
  const std::int64_t available = std::max<std::int64_t>(0, state_.tree.available(node, choice.column));
  const QuotaTree::Fit lowest = state_.tree.lowest_fit(node, choice.column, value);
  if (value <= available) {
    return {Level::kFit, lowest.height};
  }
  reasons.push_back(fmt::format("insufficient unused quota for {} in flavor {}, {} more needed", resource, flavor,
                                amount_text(resource, wrap_sub(value, available))));
  const bool may_borrow =
      queue.borrow_while_preempting || (state_.configuration.fair_sharing && queue.reclaim != Policy::kNever);
  if (value <= state_.tree.quota(node, choice.column).nominal || lowest.below_root || may_borrow) {
    const PreemptionSearch::Outlook outlook = preemption_.simulate(workload_, queue_, {choice.column, value});
    constexpr std::array kLevels = {Level::kNoCandidates, Level::kPreempt, Level::kReclaim};
    return {kLevels[static_cast<std::size_t>(outlook.possibility)], outlook.borrow};
  }
  return {Level::kNoFit, lowest.height};
}

bool FlavorAssigner::is_preferred(const Grade& a, const Grade& b) const {
  if (a.level == Level::kNoFit || b.level == Level::kNoFit) {
    return a.level != Level::kNoFit;
  }
  if (state_.queues[queue_.index()].preemption_over_borrowing) {
    return a.borrow != b.borrow ? a.borrow < b.borrow : a.level > b.level;
  }
  return a.level != b.level ? a.level > b.level : a.borrow < b.borrow;
}

bool FlavorAssigner::try_next(const Grade& grade) const {
  const QueueState& queue = state_.queues[queue_.index()];
  if (grade.level == Level::kNoFit || grade.level == Level::kNoCandidates) {
    return true;
  }
  const bool preempts = grade.level == Level::kPreempt || grade.level == Level::kReclaim;
  return (preempts && queue.try_next_when_preempting) || (grade.borrow > 0 && queue.try_next_when_borrowing);
}

void FlavorAssigner::place(Assignment& assignment) {
  const WorkloadState& workload = state_.workloads[workload_.index()];
  const TopologyRequests requests = topologies_.requests(workload, state_.queues[queue_.index()], assignment);
  if (assignment.mode() == Mode::kFit) {
    TopologyResult result = topologies_.place(requests, false);
    if (!result.failure) {
      TopologyPlanner::apply(result, assignment);
      return;
    }
    PodSetAssignment* const failed = assignment.find(result.failure->pod_sets.front());
    failed->reasons.push_back(std::move(result.failure->reason));
    failed->set_mode(Mode::kPreempt);
    assignment.fixed_mode = Mode::kPreempt;
  }
  if (assignment.mode() != Mode::kPreempt) {
    return;
  }
  const TopologyResult empty = topologies_.place(requests, true);
  if (empty.failure) {
    assignment.find(empty.failure->pod_sets.front())->set_mode(Mode::kNoFit);
    assignment.fixed_mode = Mode::kNoFit;
    return;
  }
  // Quota may be there while the free places are in the wrong domains.
  for (const FlavorRequests& flavor : requests) {
    for (const PodSetRequest& request : flavor.requests) {
      assignment.find(request.pod_set)->set_mode(Mode::kPreempt);
    }
  }
  assignment.fixed_mode = Mode::kPreempt;
}

}  // namespace gpusched::kueue
