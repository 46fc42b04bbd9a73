#include "kueue/assignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gpusched/base/text.hpp"
#include "kueue/wrapping.hpp"

namespace gpusched::kueue {

Mode PodSetAssignment::mode() const {
  if (fits()) {
    return Mode::kFit;
  }
  if (!error.empty() || flavors.empty()) {
    return Mode::kNoFit;
  }
  Mode worst = Mode::kFit;
  for (const FlavorChoice& choice : flavors) {
    worst = std::min(worst, choice.mode);
  }
  return worst;
}

void PodSetAssignment::set_mode(Mode mode) {
  for (FlavorChoice& choice : flavors) {
    choice.mode = mode;
  }
}

Mode Assignment::mode() {
  if (pod_sets.empty()) {
    return Mode::kNoFit;
  }
  if (!fixed_mode) {
    Mode worst = Mode::kFit;
    for (const PodSetAssignment& pod_set : pod_sets) {
      worst = std::min(worst, pod_set.mode());
    }
    fixed_mode = worst;
  }
  return *fixed_mode;
}

std::string Assignment::message(const WorkloadState& workload) const {
  std::string text;
  for (const PodSetAssignment& pod_set : pod_sets) {
    const std::string& name = workload.pod_sets[pod_set.pod_set].name;
    if (pod_set.fits()) {
      continue;
    }
    if (!pod_set.error.empty()) {
      return fmt::format("failed to assign flavors to pod set {}: {}", name, pod_set.error);
    }
    std::vector<std::string> reasons = pod_set.reasons;
    std::ranges::sort(reasons);
    text +=
        fmt::format("{}couldn't assign flavors to pod set {}: {}", text.empty() ? "" : "; ", name, join(reasons, ", "));
  }
  return text;
}

PodSetAssignment* Assignment::find(std::size_t pod_set) {
  const auto found = std::ranges::find(pod_sets, pod_set, &PodSetAssignment::pod_set);
  return found == pod_sets.end() ? nullptr : &*found;
}

void Assignment::append(PodSetAssignment pod_set) {
  std::vector<LastAssignment::Tried>& tried = last.pod_sets.emplace_back();
  for (const FlavorChoice& choice : pod_set.flavors) {
    borrowing = std::max(borrowing, choice.borrow);
    tried.push_back({choice.resource, choice.tried});
    const auto request = std::ranges::find(pod_set.requests, choice.resource, &ResourceAmount::resource);
    const std::int64_t amount = request == pod_set.requests.end() ? 0 : request->amount;
    const auto known = std::ranges::lower_bound(usage, choice.column, {}, &Usage::column);
    if (known != usage.end() && known->column == choice.column) {
      known->amount = wrap_add(known->amount, amount);
    } else {
      usage.insert(known, {choice.column, amount});
    }
  }
  pod_sets.push_back(std::move(pod_set));
}

std::vector<PodSetState> scaled_pod_sets(const WorkloadState& workload, const std::vector<std::int32_t>& counts) {
  std::vector<PodSetState> scaled = workload.pod_sets;
  for (std::size_t i = 0; i < scaled.size(); ++i) {
    PodSetState& pod_set = scaled[i];
    const std::int32_t count = counts[i];
    if (pod_set.count == 0 || pod_set.count == count) {
      continue;
    }
    for (ResourceAmount& amount : pod_set.requests) {
      amount.amount = wrap_mul(amount.amount / pod_set.count, std::int64_t{count});
    }
    pod_set.count = count;
  }
  return scaled;
}

bool TopologyPlanner::is_explicit(const PodSetState& pod_set) const {
  return asks_topology(pod_set.object->topology);
}

bool TopologyPlanner::is_implied(const QueueState& queue, const PodSetState& pod_set) const {
  return queue.topology_only && !is_explicit(pod_set);
}

PodSetClass TopologyPlanner::class_of(FlavorId flavor, PodClass pod_class, bool implied) {
  constexpr unsigned kFlavorShift = 33;
  const std::uint64_t key =
      (std::uint64_t{flavor.value} << kFlavorShift) | (std::uint64_t{pod_class.value} << 1U) | (implied ? 1U : 0U);
  const auto [known, added] = classes_.try_emplace(key);
  if (added) {
    const PodContent& content = state_.pods[pod_class];
    known->second = state_.flavors[flavor.index()].topology->pod_set_class(
        {content.topology, implied, content.requests, content.spec.tolerations, content.spec.node_selector,
         content.spec.affinity.node});
  }
  return known->second;
}

TopologyRequests TopologyPlanner::requests(const WorkloadState& workload, const QueueState& queue,
                                           Assignment& assignment) {
  TopologyRequests requests;
  bool has_topologies = false;
  for (const FlavorId flavor : queue.topology_flavors) {
    has_topologies |= state_.flavors[flavor.index()].topology != nullptr;
  }
  for (std::size_t i = 0; i < workload.pod_sets.size(); ++i) {
    const PodSetState& pod_set = workload.pod_sets[i];
    PodSetAssignment* const assigned = is_requested(queue, pod_set) ? assignment.find(i) : nullptr;
    if (assigned == nullptr || !assigned->error.empty() || assigned->domains) {
      continue;
    }
    if (!has_topologies) {
      assigned->error = "workload requires Topology, but there is no TAS cache information";
      continue;
    }
    std::vector<FlavorId> found;
    for (const FlavorChoice& choice : assigned->flavors) {
      if (state_.flavors[choice.flavor.index()].topology != nullptr &&
          std::ranges::find(found, choice.flavor) == found.end()) {
        found.push_back(choice.flavor);
      }
    }
    if (found.size() != 1) {
      std::vector<std::string> names;
      for (const FlavorId flavor : found) {
        names.push_back(state_.flavors[flavor.index()].name);
      }
      std::ranges::sort(names);
      assigned->error = names.empty() ? "no TAS flavor assigned"
                                      : fmt::format("more than one TAS flavor assigned: {}", join(names, ", "));
      continue;
    }
    const FlavorId flavor = found.front();
    const bool provisioned = std::ranges::find(queue.provisioned_flavors, flavor) != queue.provisioned_flavors.end();
    if (queue.multi_kueue || (provisioned && !workload.is(ConditionType::kQuotaReserved))) {
      assigned->topology_delayed = true;
      continue;
    }
    assigned->topology_flavor = flavor;
    auto group = std::ranges::find(requests, flavor, &FlavorRequests::flavor);
    if (group == requests.end()) {
      requests.push_back({flavor, {}});
      group = std::prev(requests.end());
    }
    group->requests.push_back({i, class_of(flavor, pod_set.pod_class, is_implied(queue, pod_set)), assigned->count});
  }
  return requests;
}

TopologyResult TopologyPlanner::place(const TopologyRequests& requests, bool simulate_empty) const {
  TopologyResult result;
  for (const FlavorRequests& flavor : requests) {
    TopologyPlacement placement =
        state_.flavors[flavor.flavor.index()].topology->place(flavor.requests, simulate_empty);
    std::ranges::move(placement.placed, std::back_inserter(result.placed));
    if (placement.failure && !result.failure) {
      result.failure = std::move(placement.failure);
    }
  }
  return result;
}

void TopologyPlanner::apply(const TopologyResult& result, Assignment& assignment) {
  for (const PodSetPlacement& placement : result.placed) {
    assignment.find(placement.pod_set)->domains = placement.domains;
  }
}

std::vector<TopologyUse> TopologyPlanner::usage(const Assignment& assignment) const {
  std::vector<TopologyUse> uses;
  for (const PodSetAssignment& pod_set : assignment.pod_sets) {
    if (!pod_set.domains) {
      continue;
    }
    ResourceRow per_pod;
    for (const FlavorChoice& choice : pod_set.flavors) {
      if (state_.flavors[choice.flavor.index()].topology != nullptr) {
        const auto request = std::ranges::find(pod_set.requests, choice.resource, &ResourceAmount::resource);
        per_pod.push_back({choice.resource, pod_set.count == 0 ? 0 : request->amount / pod_set.count});
      }
    }
    for (const FlavorChoice& choice : pod_set.flavors) {
      if (state_.flavors[choice.flavor.index()].topology != nullptr) {
        uses.push_back({choice.flavor, *pod_set.domains, per_pod});
      }
    }
  }
  return uses;
}

}  // namespace gpusched::kueue
