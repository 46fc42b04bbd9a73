#include "dra/search_state.hpp"

#include <algorithm>
#include <iterator>

namespace gpusched::dra {

namespace {

using Status = Problem::Status;

bool overlap(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() && j != b.end()) {
    if (*i == *j) return true;
    *i < *j ? ++i : ++j;
  }
  return false;
}

Hash128 hash_of(std::uint64_t kind, std::uint64_t x, std::uint64_t y) {
  return chained(chained({kind, kind}, x), y);
}

constexpr std::uint64_t kMatchHash = 1, kDistinctHash = 2, kTakingHash = 3;
// Marks between lists of numbers that are below 2^32.
constexpr std::uint64_t kSetHash = 1ULL << 33U, kGroupHash = 1ULL << 34U;

}  // namespace

SearchState::SearchState(const Problem& problem)
    : problem_(problem),
      taken_by_(problem.claims.size() * problem.devices.size(), 0),
      takers_(problem.devices.size(), 0),
      shares_(problem.devices.size(), 0),
      counter_left_(problem.counter_left),
      capacity_left_(problem.capacity_left),
      constraints_(problem.constraints.size()),
      chosen_(problem.claims.size(), 0),
      groups_(problem.group_states),
      block_takings_(problem.blocks.size()) {
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    if (problem.constraints[i].distinct && !problem.constraints[i].sets) {
      constraints_[i].used.assign(static_cast<std::size_t>(problem.value_count), 0);
    }
  }
}

bool SearchState::in_use(const Problem::Leaf& leaf, std::uint32_t device) const {
  if (leaf.admin) return taken_by_[leaf.claim * problem_.devices.size() + device] != 0;
  return problem_.devices[device].in_use || takers_[device] != 0;
}

SearchState::Look SearchState::look(const Problem::Leaf& leaf, std::uint32_t device) const {
  const Status status = leaf.status[device];
  if (status == Status::kNever || in_use(leaf, device)) return Look::kNo;
  if (status == Status::kError) return Look::kError;
  if (!capacity_allows(leaf, device) || !counters_allow(device)) return Look::kNo;
  if (leaf.checks.empty()) return Look::kTake;
  switch (constraints_allow(leaf, device)) {
    case Passed::kNo:
      return Look::kNo;
    case Passed::kYes:
      return Look::kTake;
    case Passed::kError:
      return Look::kError;
  }
  return Look::kNo;
}

SearchState::AllLook SearchState::look_all(const Problem::Leaf& leaf, std::uint32_t index) const {
  const std::uint32_t device = leaf.all_devices[index];
  if (leaf.all_fails[index] != 0 || in_use(leaf, device) || !counters_allow(device)) return AllLook::kNo;
  switch (constraints_allow(leaf, device)) {
    case Passed::kNo:
      return AllLook::kViolation;
    case Passed::kError:
      return AllLook::kError;
    case Passed::kYes:
      break;
  }
  return capacity_allows(leaf, device) ? AllLook::kTake : AllLook::kNo;
}

bool SearchState::counters_allow(std::uint32_t number) const {
  const Problem::Device& device = problem_.devices[number];
  if (device.multiple && is_shared(number)) return true;
  for (const Problem::CounterUse& use : problem_.uses_of(device)) {
    if (use.amount > counter_left_[use.counter]) return false;
  }
  return !problem_.groups || groups_allow(device);
}

bool SearchState::groups_allow(const Problem::Device& device) const {
  if (device.group_uses.size() == 1) {
    const Problem::GroupUse& use = device.group_uses.front();
    return admits(groups_[use.counter_set], use.groups);
  }
  // A device may draw twice on one set.
  std::vector<std::pair<std::uint32_t, Problem::GroupState>> changed;
  for (const Problem::GroupUse& use : device.group_uses) {
    auto known = std::ranges::find(changed, use.counter_set, &std::pair<std::uint32_t, Problem::GroupState>::first);
    if (known == changed.end()) {
      known = changed.insert(changed.end(), {use.counter_set, groups_[use.counter_set]});
    }
    if (!admits(known->second, use.groups)) return false;
    add_members(known->second, use.groups);
  }
  return true;
}

bool SearchState::capacity_allows(const Problem::Leaf& leaf, std::uint32_t number) const {
  const std::uint32_t need = leaf.needs[number];
  if (need == Problem::kNone) return true;
  const Problem::Device& device = problem_.devices[number];
  for (std::uint32_t i = 0; i < device.capacity_count; ++i) {
    if (problem_.needs[need + i] > capacity_left_[device.first_capacity + i]) return false;
  }
  return true;
}

SearchState::Passed SearchState::constraints_allow(const Problem::Leaf& leaf, std::uint32_t device) const {
  for (const Problem::Check& check : leaf.checks) {
    const Passed passed = constraint_allows(check, device);
    if (passed != Passed::kYes) return passed;
  }
  return Passed::kYes;
}

SearchState::Passed SearchState::constraint_allows(const Problem::Check& check, std::uint32_t device) const {
  const std::int32_t value = problem_.values[check.table][device];
  if (value == Problem::kMissing) return Passed::kNo;
  if (value == Problem::kValueError) return Passed::kError;
  const ConstraintState& state = constraints_[check.constraint];
  if (state.count == 0) return Passed::kYes;
  const Problem::Constraint& constraint = problem_.constraints[check.constraint];
  bool passes = false;
  if (constraint.sets) {
    passes = overlap(problem_.sets[static_cast<std::size_t>(value)], state.running.back()) != constraint.distinct;
  } else if (value == Problem::kListValue) {
    passes = false;
  } else if (constraint.distinct) {
    passes = state.used[static_cast<std::size_t>(value)] == 0;
  } else {
    passes = state.value == value;
  }
  return passes ? Passed::kYes : Passed::kNo;
}

std::uint32_t SearchState::failing_table(const Problem::Leaf& leaf, std::uint32_t device) const {
  for (const Problem::Check& check : leaf.checks) {
    if (problem_.values[check.table][device] == Problem::kValueError) return check.table;
  }
  return Problem::kNone;
}

void SearchState::take(std::uint32_t leaf_number, std::uint32_t number) {
  const Problem::Leaf& leaf = problem_.leaves[leaf_number];
  move_amounts(leaf_number, number, true);
  for (const Problem::Check& check : leaf.checks) add_to_constraint(check, number, true);
  ++chosen_[leaf.claim];
  takings_.push_back({leaf_number, number});
}

void SearchState::give_back() {
  const Taking last = takings_.back();
  takings_.pop_back();
  const Problem::Leaf& leaf = problem_.leaves[last.leaf];
  --chosen_[leaf.claim];
  for (auto check = leaf.checks.rbegin(); check != leaf.checks.rend(); ++check) {
    add_to_constraint(*check, last.device, false);
  }
  move_amounts(last.leaf, last.device, false);
}

void SearchState::move_amounts(std::uint32_t leaf_number, std::uint32_t number, bool take) {
  const Problem::Leaf& leaf = problem_.leaves[leaf_number];
  const Problem::Device& device = problem_.devices[number];
  const Amount sign = take ? 1 : -1;
  if (device.multiple && !take) --shares_[number];
  if (!device.multiple || !is_shared(number)) {
    for (const Problem::CounterUse& use : problem_.uses_of(device)) counter_left_[use.counter] -= sign * use.amount;
    if (problem_.groups && take) add_groups(device);
    while (!take && !group_undo_.empty() && group_undo_.back().takings == takings_.size()) {
      groups_[group_undo_.back().set] = std::move(group_undo_.back().state);
      group_undo_.pop_back();
    }
  }
  if (device.multiple) {
    if (take) ++shares_[number];
    if (leaf.needs[number] != Problem::kNone) {
      for (std::uint32_t i = 0; i < device.capacity_count; ++i) {
        capacity_left_[device.first_capacity + i] -= sign * problem_.needs[leaf.needs[number] + i];
      }
    }
  } else {
    taken_by_[leaf.claim * problem_.devices.size() + number] = take ? 1 : 0;
    takers_[number] += take ? 1U : static_cast<std::uint32_t>(-1);
  }
  if (device.block != Problem::kNone) {
    const Hash128 hash = hash_of(kTakingHash, device.position, leaf_number);
    take ? block_takings_[device.block] += hash : block_takings_[device.block] -= hash;
  }
}

void SearchState::add_groups(const Problem::Device& device) {
  for (const Problem::GroupUse& use : device.group_uses) {
    group_undo_.push_back({takings_.size(), use.counter_set, groups_[use.counter_set]});
    add_members(groups_[use.counter_set], use.groups);
  }
}

void SearchState::add_to_constraint(const Problem::Check& check, std::uint32_t device, bool add) {
  ConstraintState& state = constraints_[check.constraint];
  const Problem::Constraint& constraint = problem_.constraints[check.constraint];
  const std::int32_t value = problem_.values[check.table][device];
  state.count += add ? 1U : static_cast<std::uint32_t>(-1);
  if (constraint.sets) {
    if (!add) {
      state.running.pop_back();
      return;
    }
    const std::vector<std::uint32_t>& elements = problem_.sets[static_cast<std::size_t>(value)];
    std::vector<std::uint32_t> next;
    if (state.running.empty()) {
      next = elements;
    } else if (constraint.distinct) {
      std::ranges::set_union(state.running.back(), elements, std::back_inserter(next));
    } else {
      std::ranges::set_intersection(state.running.back(), elements, std::back_inserter(next));
    }
    state.running.push_back(std::move(next));
    return;
  }
  Hash128 hash;
  if (constraint.distinct) {
    if (value >= 0) state.used[static_cast<std::size_t>(value)] = add ? 1 : 0;
    hash = hash_of(kDistinctHash, check.constraint, static_cast<std::uint64_t>(value));
  } else {
    if (state.count != (add ? 1U : 0U)) return;
    state.value = value;
    hash = hash_of(kMatchHash, check.constraint, static_cast<std::uint64_t>(value));
  }
  add ? constraint_hash_ += hash : constraint_hash_ -= hash;
}

Hash128 SearchState::order_hash() const {
  Hash128 hash = constraint_hash_;
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    if (!problem_.constraints[i].sets || constraints_[i].running.empty()) continue;
    hash = chained(hash, kSetHash + i);
    for (const std::uint32_t element : constraints_[i].running.back()) hash = chained(hash, element);
  }
  if (!problem_.groups) return hash;
  for (const Problem::GroupState& state : groups_) {
    hash = chained(hash, kGroupHash + (state.has_members ? 2U : 0U) + (state.all_empty ? 1U : 0U));
    for (const std::uint32_t group : state.groups) hash = chained(hash, group);
  }
  return hash;
}

}  // namespace gpusched::dra
