#include "kueue/topology_balanced.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "kueue/wrapping.hpp"

namespace gpusched::kueue {

namespace {

constexpr const char* kNoSet = "TAS Balanced Placement: Cannot find optimal domain set to fit the request";

}  // namespace

std::expected<std::optional<DomainSet>, std::string> BalancedPlacement::find() {
  Siblings best = best_siblings();
  if (best.threshold <= 0) return std::nullopt;
  std::size_t level = rules_.level;
  if (level < rules_.slice_level) {
    const auto chosen = optimal_set(by_entropy(std::move(best.domains)));
    if (!chosen) return std::unexpected(kNoSet);
    best.domains = search_.children(*chosen);
    ++level;
  }
  auto shares = share_out(best.domains, best.threshold);
  if (!shares) return std::unexpected(std::move(shares.error()));
  return DomainSet{level, std::move(*shares)};
}

BalancedPlacement::Greedy BalancedPlacement::greedy(const Domains& domains) const {
  Greedy result;
  std::int32_t remaining = slices_;
  std::int32_t leaders = search_.demand_.leaders;
  Domains rest = domains;
  if (leaders > 0) {
    rest = search_.sorted(std::move(rest), true);
    std::size_t used = 0;
    for (; leaders > 0 && used < rest.size() && search_.states_[rest[used]].leader_state > 0; ++used) {
      const DomainState& state = search_.states_[rest[used]];
      ++result.domains;
      result.last_with_leader = rest[used];
      leaders = wrap_sub(leaders, state.leader_state);
      remaining = wrap_sub(remaining, state.slice_state_with_leader);
    }
    if (leaders > 0) return {};
    rest.erase(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(used));
  }
  rest = search_.sorted(std::move(rest), false);
  for (std::size_t i = 0; remaining > 0 && i < rest.size() && search_.states_[rest[i]].slice_state > 0; ++i) {
    ++result.domains;
    result.last = rest[i];
    remaining = wrap_sub(remaining, search_.states_[rest[i]].slice_state);
  }
  if (remaining > 0) return {};
  result.fits = true;
  return result;
}

// The leader may end up on any of the domains, so each keeps room for it.
std::int32_t BalancedPlacement::threshold(const Greedy& choice) const {
  if (choice.domains == 0) return 0;  // no slices: Kueue divides by zero here
  std::int32_t least = slices_ / choice.domains;
  for (const auto& last : {choice.last_with_leader, choice.last}) {
    if (last) least = std::min(least, search_.states_[*last].slice_state_with_leader);
  }
  return least;
}

BalancedPlacement::Siblings BalancedPlacement::best_siblings() {
  const TopologyTree& tree = search_.tree_;
  std::vector<DomainRange> sets;
  if (rules_.level == 0) {
    sets.push_back(tree.levels[0]);
  } else {
    const DomainRange above = tree.levels[rules_.level - 1];
    for (DomainIndex domain = above.begin; domain < above.end; ++domain) sets.push_back(tree.children[domain]);
  }
  Siblings best;
  std::int32_t best_count = 0;
  for (const DomainRange set : sets) {
    const Greedy lower = greedy(all(rules_.level < rules_.slice_level ? tree.children_of(set) : set));
    if (!lower.fits) continue;
    const std::int32_t least = threshold(lower);
    if (least < best.threshold) continue;
    prune(set, least);
    const std::int32_t count = greedy(all(set)).domains;
    if (least > best.threshold || count < best_count) {
      best = {all(set), least};
      best_count = count;
    }
  }
  return best;
}

// Takes away what is below the threshold, for good: later sets and the normal search see it gone.
void BalancedPlacement::prune(DomainRange siblings, std::int32_t threshold) {
  const DomainRange children = search_.tree_.children_of(siblings);
  for (DomainIndex child = children.begin; child < children.end; ++child) {
    if (search_.states_[child].slice_state_with_leader < threshold) clear(rules_.level + 1, child);
  }
  for (DomainIndex domain = siblings.begin; domain < siblings.end; ++domain) {
    count_up(search_.tree_, rules_, rules_.level, {domain, domain + 1}, false, search_.states_);
    if (search_.states_[domain].slice_state_with_leader < threshold) clear(rules_.level, domain);
  }
}

void BalancedPlacement::clear(std::size_t level, DomainIndex domain) {
  DomainRange range{domain, domain + 1};
  for (; level < search_.tree_.levels.size() && !range.empty(); ++level) {
    std::ranges::fill(search_.states_.subspan(range.begin, range.size()), DomainState{});
    range = search_.tree_.children_of(range);
  }
}

// As many domains as the greedy choice takes, the leader covered, and as few spare pods as possible. Of several sets
// with the same rest the first found stays.
std::optional<Domains> BalancedPlacement::optimal_set(const Domains& domains) const {
  const Greedy choice = greedy(domains);
  if (!choice.fits) return std::nullopt;
  constexpr std::size_t kStart = 0;
  struct Step {
    DomainIndex domain = 0;
    std::size_t before = kStart;
  };
  std::vector<Step> steps(1);
  using ByPods = std::map<std::int32_t, std::size_t>;  // pods left -> last step
  std::vector<std::map<std::int32_t, ByPods>> sets(static_cast<std::size_t>(choice.domains) + 1);  // by leaders left
  sets[0][search_.demand_.leaders][wrap_mul(slices_, rules_.slice_size)] = kStart;

  for (const DomainIndex domain : domains) {
    const DomainState& state = search_.states_[domain];
    for (std::size_t used = sets.size() - 1; used > 0; --used) {
      for (const auto& [leaders, by_pods] : sets[used - 1]) {
        for (const auto& [pods, before] : by_pods) {
          if (leaders <= 0 && pods <= 0) continue;
          const auto extend = [&](std::int32_t leaders_left, std::int32_t pods_left) {
            if (sets[used][leaders_left].try_emplace(pods_left, steps.size()).second) steps.push_back({domain, before});
          };
          if (leaders > 0 && state.leader_state > 0) {
            extend(wrap_sub(leaders, state.leader_state), wrap_sub(pods, state.state_with_leader));
          }
          if (state.slice_state > 0) extend(leaders, wrap_sub(pods, state.state));
        }
      }
    }
  }
  const ByPods& covered = sets.back()[0];
  auto best = covered.upper_bound(0);
  if (best == covered.begin()) return std::nullopt;
  Domains result;
  for (std::size_t step = (--best)->second; step != kStart; step = steps[step].before) {
    result.push_back(steps[step].domain);
  }
  std::ranges::reverse(result);
  return result;
}

Domains BalancedPlacement::by_entropy(Domains domains) const {
  std::ranges::stable_sort(domains, [&](DomainIndex a, DomainIndex b) {
    const DomainState& x = search_.states_[a];
    const DomainState& y = search_.states_[b];
    if (x.leader_state != y.leader_state) return x.leader_state > y.leader_state;
    if (x.slice_state_with_leader != y.slice_state_with_leader) {
      return x.slice_state_with_leader > y.slice_state_with_leader;
    }
    return entropy(a) > entropy(b);
  });
  return domains;
}

// Shannon's, of how the pods spread over the children: even children first.
double BalancedPlacement::entropy(DomainIndex domain) const {
  const DomainRange children = search_.tree_.children[domain];
  const std::span<const DomainState> states = search_.states_.subspan(children.begin, children.size());
  std::int32_t total = 0;
  for (const DomainState& child : states) total = wrap_add(total, child.state);
  double sum = 0;
  for (const DomainState& child : states) {
    if (total == 0 || child.state <= 0) continue;
    const double part = static_cast<double>(child.state) / static_cast<double>(total);
    sum -= part * std::log2(part);
  }
  return sum;
}

std::expected<Domains, std::string> BalancedPlacement::share_out(const Domains& domains, std::int32_t threshold) {
  const auto chosen = optimal_set(domains);
  if (!chosen) return std::unexpected(kNoSet);
  const std::int32_t shares = wrap_mul(static_cast<std::int32_t>(chosen->size()), threshold);
  if (slices_ < shares) return std::unexpected("TAS Balanced Placement: Not enough slices to meet the threshold");
  Domains result = search_.sorted(*chosen, true);
  std::int32_t spare = slices_ - shares;
  std::int32_t leaders = search_.demand_.leaders;
  for (const DomainIndex domain : result) {
    DomainState& state = search_.states_[domain];
    std::int32_t extra = 0;
    if (leaders > 0) {
      extra = std::min(wrap_sub(state.slice_state_with_leader, threshold), spare);
      --leaders;
      state.leader_state = 1;
    } else {
      if (spare > 0) extra = std::min(wrap_sub(state.slice_state, threshold), spare);
      state.leader_state = 0;
    }
    state.slice_state = wrap_add(threshold, extra);
    state.slice_state_with_leader = state.slice_state;
    state.state = wrap_mul(state.slice_state, rules_.slice_size);
    state.state_with_leader = wrap_sub(state.state, state.leader_state);
    spare = wrap_sub(spare, extra);
  }
  if (spare > 0 || leaders > 0) {
    return std::unexpected("TAS Balanced Placement: Not all slices or leaders could be placed");
  }
  return result;
}

}  // namespace gpusched::kueue
