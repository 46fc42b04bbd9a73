#include <fmt/format.h>

#include <algorithm>

#include "dra/question.hpp"

namespace gpusched::dra {

ClusterFacts::ClusterFacts(const AllocatorInput& input)
    : features(input.features),
      implementation(select_implementation(input.features)),
      slices(input.slices),
      selectors(input.selectors) {
  for (const objects::DeviceClass& device_class : input.classes) classes[device_class.name] = &device_class;
  DeviceId id;
  for (std::size_t s = 0; s < slices.size(); ++s) {
    const objects::ResourceSliceSpec& spec = slices.slice(s).spec;
    first_device.push_back(devices.size());
    id.driver = spec.driver;
    id.pool = spec.pool.name;
    for (const objects::Device& device : spec.devices) {
      id.device = device.name;
      DeviceFacts& facts = devices.emplace_back();
      facts.in_use = input.in_use.devices.contains(id);
      // The stable implementation does not know shares.
      const auto shared = input.in_use.shared.find(id);
      if (shared != input.in_use.shared.end() && implementation != Implementation::kStable) {
        facts.shared = true;
        facts.consumed = &shared->second;
      }
    }
  }
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
  auto pools = gather_pools(cluster_.slices, node_, cluster_.features, cluster_.implementation);
  if (!pools) return std::unexpected("gather pool information: " + pools.error());
  question_.pools = std::move(*pools);
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
  for (std::uint32_t p = 0; p < question_.pools.size(); ++p) {
    first_of_pool_.push_back(static_cast<std::uint32_t>(question_.devices.size()));
    if (!question_.pools[p].usable()) continue;
    for (const std::size_t slice : question_.pools[p].device_slices) {
      const std::vector<objects::Device>& devices = cluster_.slices.slice(slice).spec.devices;
      for (std::uint32_t d = 0; d < devices.size(); ++d) {
        const ClusterFacts::DeviceFacts& facts = cluster_.facts(slice, d);
        Problem::Device& device = problem_.devices.emplace_back();
        device.in_use = facts.in_use;
        device.multiple = sharing && devices[d].allow_multiple_allocations.value_or(false);
        device.shared = facts.shared;
        question_.devices.push_back({slice, d, p});
      }
    }
  }
  first_of_pool_.push_back(static_cast<std::uint32_t>(question_.devices.size()));
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
