#include <fmt/format.h>

#include <algorithm>

#include "dra/question.hpp"
#include "gpusched/base/short_text.hpp"

namespace gpusched::dra {

namespace {

/// Calls `use(slice, device, entry)` for each device that has an entry. Entries are in the order of drivers, pools and
/// names, and devices mostly in that of names: so the entries are walked beside them instead of looked up.
template <class Entries, class Use>
void for_each_use(const SliceIndex& slices, const Entries& entries, Use&& use) {
  const auto id_of = [](const auto& entry) -> const DeviceId& {
    if constexpr (requires { entry.device; }) {
      return entry;
    } else {
      return entry.first;
    }
  };
  auto next = entries.begin(), end = next;
  const objects::ResourceSliceSpec* before = nullptr;
  for (std::size_t s = 0; s < slices.size() && !entries.empty(); ++s) {
    const objects::ResourceSliceSpec& spec = slices.slice(s).spec;
    if (spec.devices.empty()) continue;
    const auto of_pool = [&](auto entry) {
      return entry != entries.end() && same_text(id_of(*entry).pool, spec.pool.name) &&
             same_text(id_of(*entry).driver, spec.driver);
    };
    const bool again = before != nullptr && before->pool.name == spec.pool.name && before->driver == spec.driver;
    before = &spec;
    if (again) {
      next = entries.lower_bound(DeviceId{spec.driver, spec.pool.name, spec.devices.front().name});
    } else {
      if (!of_pool(next)) next = entries.lower_bound(DeviceId{spec.driver, spec.pool.name, ""});
      for (end = next; of_pool(end);) ++end;
    }
    std::string_view last;
    for (std::size_t d = 0; d < spec.devices.size(); ++d) {
      const std::string& name = spec.devices[d].name;
      if (name <= last) next = entries.lower_bound(DeviceId{spec.driver, spec.pool.name, name});
      last = name;
      while (next != end && id_of(*next).device < name) ++next;
      if (next != end && same_text(id_of(*next).device, name)) use(s, d, *next);
    }
    next = end;
  }
}

}  // namespace

ClusterFacts::ClusterFacts(const AllocatorInput& input)
    : features(input.features),
      implementation(select_implementation(input.features)),
      slices(input.slices),
      in_use(input.in_use),
      selectors(input.selectors),
      versions(input.slices.size(), 0) {
  for (const objects::DeviceClass& device_class : input.classes) classes[device_class.name] = &device_class;
  std::size_t count = 0;
  for (std::size_t s = 0; s < slices.size(); ++s) {
    first_device.push_back(count);
    count += slices.slice(s).spec.devices.size();
  }
  devices.resize(count);
  for_each_use(slices, in_use.devices, [&](std::size_t s, std::size_t d, const auto&) { facts(s, d).in_use = true; });
  if (implementation == Implementation::kStable) return;  // it does not know shares
  for_each_use(slices, in_use.shared, [&](std::size_t s, std::size_t d, const auto& held) {
    facts(s, d).shared = true;
    facts(s, d).consumed = &held.second;
  });
}

void ClusterFacts::read_use(const DeviceId& id, DeviceFacts& facts) const {
  facts.in_use = in_use.devices.contains(id);
  // The stable implementation does not know shares.
  const auto shared = in_use.shared.find(id);
  facts.shared = shared != in_use.shared.end() && implementation != Implementation::kStable;
  facts.consumed = facts.shared ? &shared->second : nullptr;
}

void ClusterFacts::refresh(const DeviceId& id) {
  for (const std::size_t s : slices.of_pool(id.driver, id.pool)) {
    const std::vector<objects::Device>& published = slices.slice(s).spec.devices;
    for (std::size_t d = 0; d < published.size(); ++d) {
      if (published[d].name != id.device) continue;
      read_use(id, facts(s, d));
      ++versions[s];
    }
  }
}

const NodeDevices& ClusterFacts::node(const NodeFacts& facts) {
  std::unique_ptr<NodeDevices>& known = nodes[facts.name];
  if (known) return *known;
  known = std::make_unique<NodeDevices>();
  known->number = nodes.size() - 1;
  auto pools = gather_pools(slices, facts, features, implementation);
  if (!pools) {
    known->error = "gather pool information: " + pools.error();
    return *known;
  }
  known->pools = std::move(*pools);
  std::size_t count = 0;
  for (const Pool& pool : known->pools) {
    if (!pool.usable()) continue;
    for (const std::size_t slice : pool.device_slices) count += slices.slice(slice).spec.devices.size();
  }
  known->devices.reserve(count);
  known->first_of_pool.reserve(known->pools.size() + 1);
  for (std::uint32_t p = 0; p < known->pools.size(); ++p) {
    known->first_of_pool.push_back(static_cast<std::uint32_t>(known->devices.size()));
    if (!known->pools[p].usable()) continue;
    for (const std::size_t slice : known->pools[p].device_slices) {
      known->slices.push_back(slice);
      const auto published = static_cast<std::uint32_t>(slices.slice(slice).spec.devices.size());
      for (std::uint32_t d = 0; d < published; ++d) known->devices.push_back({slice, d, p});
    }
  }
  known->first_of_pool.push_back(static_cast<std::uint32_t>(known->devices.size()));
  return *known;
}

const objects::DeviceClass* ClusterFacts::find_class(const std::string& name) const {
  const auto found = classes.find(name);
  return found == classes.end() ? nullptr : found->second;
}

std::size_t ClusterFacts::number_of(std::size_t slice, std::size_t device) {
  DeviceFacts& known = facts(slice, device);
  if (known.evaluator_number == kNotAdded) {
    const objects::ResourceSliceSpec& spec = slices.slice(slice).spec;
    known.evaluator_number = selectors.add_device(spec.driver, spec.devices[device]);
  }
  return known.evaluator_number;
}

std::string name_of(const objects::ResourceClaim& claim) {
  return claim.namespace_name.empty() ? claim.name : claim.namespace_name + "/" + claim.name;
}

std::string QuestionCompiler::id_of(std::uint32_t device) const {
  const objects::ResourceSliceSpec& spec = slice_of(question_.devices[device]).spec;
  return fmt::format("{}/{}/{}", spec.driver, spec.pool.name, api(device).name);
}

std::expected<Question, std::string> QuestionCompiler::run(bool explain) {
  explain_ = explain;
  if (!devices_.error.empty()) return std::unexpected(devices_.error);
  question_.pools = devices_.pools;
  question_.devices = devices_.devices;
  list_devices();
  read_counters();
  for (std::uint32_t c = 0; c < claims_.size(); ++c) {
    if (const Checked added = add_claim(c); !added) return std::unexpected(added.error());
  }
  if (cluster_.features.list_type_attributes) use_single_elements();
  make_blocks();
  group_alike_leaves();
  set_flags();
  return std::move(question_);
}

void QuestionCompiler::list_devices() {
  const bool sharing = cluster_.features.consumable_capacity;
  problem_.devices.resize(question_.devices.size());
  for (std::uint32_t d = 0; d < question_.devices.size(); ++d) {
    const ClusterFacts::DeviceFacts& facts = cluster_.facts(question_.devices[d].slice, question_.devices[d].index);
    Problem::Device& device = problem_.devices[d];
    device.in_use = facts.in_use;
    device.multiple = sharing && api(d).allow_multiple_allocations.value_or(false);
    device.shared = facts.shared;
  }
}

QuestionCompiler::Checked QuestionCompiler::add_claim(std::uint32_t claim) {
  Problem::Claim& numbers = problem_.claims.emplace_back();
  numbers.first_request = static_cast<std::uint32_t>(problem_.requests.size());
  std::int64_t devices = 0;
  for (const objects::DeviceRequest& request : claims_[claim]->devices.requests) {
    if (Checked added = add_request(claim, request, devices); !added) return added;
  }
  problem_.claims.back().request_count =
      static_cast<std::uint32_t>(problem_.requests.size()) - problem_.claims.back().first_request;
  return add_constraints(claim);
}

// Leaves that ask for the same devices in the same way need one look per device for all of them.
void QuestionCompiler::group_alike_leaves() {
  std::map<std::string, std::uint32_t> known;
  for (Problem::Leaf& leaf : problem_.leaves) {
    std::string key = fmt::format("{} {} {}", leaf.claim, leaf.admin, leaf.all ? &leaf - problem_.leaves.data() : -1);
    for (const Problem::Check& check : leaf.checks) key += fmt::format(" {}.{}", check.constraint, check.table);
    for (const std::uint32_t need : leaf.needs) key += fmt::format(",{}", need);
    key += '|';
    for (const Status status : leaf.status) key += static_cast<char>('0' + static_cast<int>(status));
    leaf.alike = known.try_emplace(std::move(key), static_cast<std::uint32_t>(known.size())).first->second;
  }
  problem_.leaf_classes = static_cast<std::uint32_t>(known.size());
}

void QuestionCompiler::set_flags() {
  for (const Problem::Leaf& leaf : problem_.leaves) {
    problem_.any_admin |= leaf.admin;
    problem_.any_all |= leaf.all;
    problem_.any_error |= std::ranges::find(leaf.status, Status::kError) != leaf.status.end();
    for (const Problem::Check& check : leaf.checks) {
      const std::vector<std::int32_t>& values = problem_.values[check.table];
      const Problem::Constraint& constraint = problem_.constraints[check.constraint];
      problem_.any_error |= std::ranges::find(values, Problem::kValueError) != values.end();
      const bool lists = std::ranges::find(values, Problem::kListValue) != values.end();
      problem_.order_shows |= constraint.sets || (constraint.distinct && lists);
    }
  }
  problem_.order_shows |= problem_.groups;
  for (const Problem::Claim& claim : problem_.claims) {
    std::uint64_t most = 0;
    for (std::uint32_t r = claim.first_request; r < claim.first_request + claim.request_count; ++r) {
      const Problem::Request& request = problem_.requests[r];
      std::uint32_t largest = 0;
      for (std::uint32_t l = 0; l < request.leaf_count; ++l) {
        largest = std::max(largest, problem_.leaves[request.first_leaf + l].count);
      }
      most += largest;
    }
    problem_.limit_reachable |= most > kMaxDevicesPerClaim;
  }
  problem_.permutations = cluster_.implementation == Implementation::kStable;
}

}  // namespace gpusched::dra
