#include "gpusched/objects/pod_set_topology.hpp"

#include <algorithm>
#include <string_view>

namespace gpusched::objects {

namespace {

// The longest common prefix, and of what is left of the shortest value the longest common suffix. The suffix goes
// first where they would overlap ("ababa", "aba").
TopologySliceValues compress_level(const std::vector<TopologyDomain>& domains, std::size_t level) {
  std::string_view prefix = domains.front().values[level];
  std::string_view suffix = prefix;
  std::size_t shortest = prefix.size();
  std::size_t longest = prefix.size();
  for (const TopologyDomain& domain : domains) {
    const std::string_view value = domain.values[level];
    shortest = std::min(shortest, value.size());
    longest = std::max(longest, value.size());
    prefix = prefix.substr(0, static_cast<std::size_t>(std::ranges::mismatch(prefix, value).in1 - prefix.begin()));
    const auto common = std::mismatch(suffix.rbegin(), suffix.rend(), value.rbegin(), value.rend()).first;
    suffix = suffix.substr(suffix.size() - static_cast<std::size_t>(common - suffix.rbegin()));
  }
  TopologySliceValues result;
  if (prefix.size() == longest) {
    result.universal = prefix;
    return result;
  }
  prefix = prefix.substr(0, std::min(prefix.size(), shortest - suffix.size()));
  result.prefix = prefix;
  result.suffix = suffix;
  for (const TopologyDomain& domain : domains) {
    const std::string_view value = domain.values[level];
    result.roots.emplace_back(value.substr(prefix.size(), value.size() - prefix.size() - suffix.size()));
  }
  return result;
}

}  // namespace

std::vector<TopologySlice> compress(const TopologyAssignment& assignment) {
  if (assignment.domains.empty()) return {};
  TopologySlice slice;
  slice.domain_count = static_cast<std::int32_t>(assignment.domains.size());
  for (std::size_t level = 0; level < assignment.levels.size(); ++level) {
    slice.values_per_level.push_back(compress_level(assignment.domains, level));
  }
  for (const TopologyDomain& domain : assignment.domains) slice.counts.push_back(domain.count);
  if (std::ranges::all_of(slice.counts, [&](std::int32_t count) { return count == slice.counts.front(); })) {
    slice.universal_count = slice.counts.front();
    slice.counts.clear();
  }
  return {std::move(slice)};
}

std::optional<std::vector<TopologyDomain>> expand(const std::vector<TopologySlice>& slices) {
  constexpr std::size_t kMostDomains = 100'000;  // a count that no list bears out must not cost memory
  std::vector<TopologyDomain> domains;
  for (const TopologySlice& slice : slices) {
    if (slice.domain_count < 0) return std::nullopt;
    const auto count = static_cast<std::size_t>(slice.domain_count);
    if (domains.size() + count > kMostDomains || (!slice.universal_count && slice.counts.size() < count)) {
      return std::nullopt;
    }
    for (const TopologySliceValues& values : slice.values_per_level) {
      if (!values.universal && values.roots.size() < count) return std::nullopt;
    }
    for (std::size_t i = 0; i < count; ++i) {
      TopologyDomain domain;
      for (const TopologySliceValues& values : slice.values_per_level) {
        domain.values.push_back(values.universal ? *values.universal : values.prefix + values.roots[i] + values.suffix);
      }
      domain.count = slice.universal_count ? *slice.universal_count : slice.counts[i];
      domains.push_back(std::move(domain));
    }
  }
  return domains;
}

}  // namespace gpusched::objects
