#include <algorithm>
#include <iterator>

#include "dra/problem.hpp"

namespace gpusched::dra {

namespace {

std::vector<std::uint32_t> common(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  std::vector<std::uint32_t> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return both;
}

}  // namespace

bool admits(const Problem::GroupState& state, std::span<const std::uint32_t> groups) {
  if (!state.has_members) return true;
  if (groups.empty() || state.all_empty) return groups.empty() && state.all_empty;
  return !common(state.groups, groups).empty();
}

void add_members(Problem::GroupState& state, std::span<const std::uint32_t> groups) {
  if (!state.has_members) {
    state.has_members = true;
    state.all_empty = groups.empty();
    state.groups.assign(groups.begin(), groups.end());
    return;
  }
  if (!state.all_empty && !groups.empty()) state.groups = common(state.groups, groups);
}

}  // namespace gpusched::dra
