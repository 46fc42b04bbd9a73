#include "dra/allocation_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "dra/capacity.hpp"
#include "dra/hash128.hpp"

namespace gpusched::dra {

namespace {

using objects::AllocationResult;
using objects::DeviceAllocationConfiguration;
using objects::DeviceRequestAllocationResult;
using objects::NodeSelector;
using objects::NodeSelectorRequirement;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

class ResultBuilder {
 public:
  ResultBuilder(const ClusterFacts& cluster, const Question& question, std::span<const DeviceRef> devices,
                const NodeFacts& node, std::uint64_t seed)
      : cluster_(cluster), question_(question), devices_(devices), node_(node), random_(seed) {}

  std::expected<AllocationResult, std::string> build(const objects::ResourceClaim& claim, std::uint32_t number,
                                                     std::span<const SearchState::Taking> takings);

 private:
  DeviceRequestAllocationResult device(const objects::ResourceClaim& claim, const SearchState::Taking& taking);
  std::vector<DeviceAllocationConfiguration> config(const objects::ResourceClaim& claim) const;
  std::expected<std::optional<NodeSelector>, std::string> node_selector(
      std::span<const SearchState::Taking> takings) const;
  const objects::Device& api(std::uint32_t device) const { return cluster_.api(devices_[device]); }
  const objects::ResourceSliceSpec& slice_of(std::uint32_t device) const {
    return cluster_.slices.slice(devices_[device].slice).spec;
  }
  void choose_leaves(std::uint32_t claim, std::span<const SearchState::Taking> takings);
  std::string share_id();

  const ClusterFacts& cluster_;
  const Question& question_;
  std::span<const DeviceRef> devices_;
  const NodeFacts& node_;
  std::uint64_t random_;
  std::vector<std::uint32_t> chosen_leaves_;  // by request of the claim
};

std::string ResultBuilder::share_id() {
  const std::uint64_t high = mix_a(random_++), low = mix_a(random_++);
  constexpr std::uint64_t kBits48 = (std::uint64_t{1} << 48U) - 1;
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:x}{:03x}-{:012x}", high >> 32U, (high >> 16U) & 0xffffU, high & 0xfffU,
                     8U + (low >> 62U), (low >> 48U) & 0xfffU, low & kBits48);
}

DeviceRequestAllocationResult ResultBuilder::device(const objects::ResourceClaim& claim,
                                                    const SearchState::Taking& taking) {
  const Question::LeafNames& names = question_.leaves[taking.leaf];
  const objects::ResourceSliceSpec& slice = slice_of(taking.device);
  const objects::Device& source = api(taking.device);
  DeviceRequestAllocationResult result;
  result.request = names.full_name();
  result.driver = slice.driver;
  result.pool = slice.pool.name;
  result.device = source.name;
  if (question_.problem.leaves[taking.leaf].admin) result.admin_access = true;
  // Looked up by name: of two requests with one name the first counts.
  for (const objects::DeviceRequest& request : claim.devices.requests) {
    if (request.name != names.request->name) continue;
    if (names.subrequest == nullptr && request.exactly) result.tolerations = request.exactly->tolerations;
    for (const objects::DeviceSubRequest& subrequest : request.first_available) {
      if (names.subrequest == nullptr || subrequest.name != names.subrequest->name) continue;
      result.tolerations = subrequest.requirements.tolerations;
      break;
    }
    break;
  }
  if (cluster_.features.device_binding_and_status) {
    result.binding_conditions = source.binding_conditions;
    result.binding_failure_conditions = source.binding_failure_conditions;
  }
  if (cluster_.implementation == Implementation::kExperimental) {
    result.skip_node_operations = slice.skip_node_operations;
  }
  const bool multiple = cluster_.features.consumable_capacity && source.allow_multiple_allocations.value_or(false);
  if (!multiple) return result;
  result.share_id = share_id();
  if (source.capacity.empty()) return result;
  const CapacityNeed need =
      capacity_need(names.requirements->capacity, source.capacity, cluster_.features.fractional_capacity_range);
  objects::Named<Quantity>& consumed = result.consumed_capacity.emplace();
  for (std::size_t i = 0; i < need.amounts.size(); ++i) {
    consumed.emplace_back(source.capacity[i].first, need.amounts[i]);
  }
  return result;
}

void ResultBuilder::choose_leaves(std::uint32_t number, std::span<const SearchState::Taking> takings) {
  const Problem& problem = question_.problem;
  const Problem::Claim& claim = problem.claims[number];
  chosen_leaves_.clear();
  for (std::uint32_t r = claim.first_request; r < claim.first_request + claim.request_count; ++r) {
    const Problem::Request& request = problem.requests[r];
    std::uint32_t chosen = Problem::kNone;
    for (const SearchState::Taking& taking : takings) {
      if (problem.leaves[taking.leaf].request == r) chosen = taking.leaf;
    }
    // A subrequest for no device leaves no trace: it is the first one with a count of zero.
    for (std::uint32_t l = request.first_leaf; chosen == Problem::kNone; ++l) {
      if (l + 1 == request.first_leaf + request.leaf_count || problem.leaves[l].count == 0) chosen = l;
    }
    chosen_leaves_.push_back(chosen);
  }
}

std::vector<DeviceAllocationConfiguration> ResultBuilder::config(const objects::ResourceClaim& claim) const {
  std::vector<DeviceAllocationConfiguration> configs;
  std::vector<const objects::DeviceClass*> classes;
  std::vector<std::pair<std::size_t, std::size_t>> ranges;  // of configs, by class
  for (const std::uint32_t leaf : chosen_leaves_) {
    const Question::LeafNames& names = question_.leaves[leaf];
    const auto known = std::ranges::find(classes, names.device_class);
    if (known != classes.end()) {
      const auto [begin, end] = ranges[static_cast<std::size_t>(known - classes.begin())];
      for (std::size_t i = begin; i < end; ++i) configs[i].requests.push_back(names.full_name());
      continue;
    }
    const std::size_t begin = configs.size();
    for (const objects::DeviceConfiguration& part : names.device_class->config) {
      configs.push_back({"FromClass", {names.full_name()}, part});
    }
    classes.push_back(names.device_class);
    ranges.emplace_back(begin, configs.size());
  }
  const auto names_leaf = [&](const std::vector<std::string>& requests, std::uint32_t leaf) {
    const Question::LeafNames& names = question_.leaves[leaf];
    return contains(requests, names.request->name) ||
           (names.subrequest != nullptr && contains(requests, names.full_name()));
  };
  for (const objects::DeviceClaimConfiguration& part : claim.devices.config) {
    const bool used = part.requests.empty() || std::ranges::any_of(chosen_leaves_, [&](std::uint32_t leaf) {
                        return names_leaf(part.requests, leaf);
                      });
    if (used) configs.push_back({"FromClaim", part.requests, part.configuration});
  }
  for (DeviceAllocationConfiguration& part : configs) {
    const bool covers_all =
        std::ranges::all_of(chosen_leaves_, [&](std::uint32_t leaf) { return names_leaf(part.requests, leaf); });
    if (covers_all) part.requests.clear();
  }
  return configs;
}

void add_new(const std::vector<NodeSelectorRequirement>& from, std::vector<NodeSelectorRequirement>& to) {
  const auto values = [](const NodeSelectorRequirement& r) {
    return std::set<std::string>(r.values.begin(), r.values.end());
  };
  for (const NodeSelectorRequirement& requirement : from) {
    const bool known = std::ranges::any_of(to, [&](const NodeSelectorRequirement& other) {
      return other.key == requirement.key && other.op == requirement.op && values(other) == values(requirement);
    });
    if (!known) to.push_back(requirement);
  }
}

std::expected<std::optional<NodeSelector>, std::string> ResultBuilder::node_selector(
    std::span<const SearchState::Taking> takings) const {
  const bool stable = cluster_.implementation == Implementation::kStable;
  objects::NodeSelectorTerm term;
  for (const SearchState::Taking& taking : takings) {
    const objects::ResourceSliceSpec& slice = slice_of(taking.device);
    const objects::Device& source = api(taking.device);
    const bool per_device = slice.per_device_node_selection.value_or(false);
    const std::optional<std::string>& node_name = per_device ? source.node_name : slice.node_name;
    const std::optional<NodeSelector>& selector = per_device ? source.node_selector : slice.node_selector;
    if (node_name || (source.binds_to_node.value_or(false) && !stable)) {
      objects::NodeSelectorTerm only;
      only.match_fields.push_back({"metadata.name", "In", {stable ? *node_name : node_.name}});
      return NodeSelector{{std::move(only)}};
    }
    if (!selector || selector->terms.empty()) continue;
    if (selector->terms.size() > 1) {
      return std::unexpected(
          fmt::format("unsupported ResourceSlice.NodeSelector with {} terms", selector->terms.size()));
    }
    add_new(selector->terms.front().match_fields, term.match_fields);
    add_new(selector->terms.front().match_expressions, term.match_expressions);
  }
  if (term.match_fields.empty() && term.match_expressions.empty()) return std::nullopt;
  return NodeSelector{{std::move(term)}};
}

std::expected<AllocationResult, std::string> ResultBuilder::build(const objects::ResourceClaim& claim,
                                                                  std::uint32_t number,
                                                                  std::span<const SearchState::Taking> takings) {
  AllocationResult result;
  for (const SearchState::Taking& taking : takings) result.results.push_back(device(claim, taking));
  choose_leaves(number, takings);
  result.config = config(claim);
  auto selector = node_selector(takings);
  if (!selector) {
    return std::unexpected(fmt::format("create NodeSelector for claim {}: {}", claim.name, selector.error()));
  }
  result.node_selector = std::move(*selector);
  return result;
}

}  // namespace

std::expected<std::vector<AllocationResult>, std::string> allocation_results(
    const ClusterFacts& cluster, const Question& question, std::span<const DeviceRef> devices,
    std::span<const SearchState::Taking> takings, std::span<const objects::ResourceClaim* const> claims,
    const NodeFacts& node, std::uint64_t seed) {
  ResultBuilder builder(cluster, question, devices, node, seed);
  std::vector<AllocationResult> results;
  for (std::uint32_t c = 0; c < claims.size(); ++c) {
    std::vector<SearchState::Taking> own;
    std::ranges::copy_if(takings, std::back_inserter(own), [&](const SearchState::Taking& taking) {
      return question.problem.leaves[taking.leaf].claim == c;
    });
    auto result = builder.build(*claims[c], c, own);
    if (!result) return std::unexpected(std::move(result.error()));
    results.push_back(std::move(*result));
  }
  return results;
}

}  // namespace gpusched::dra
