#include "dra/block_states.hpp"

#include <algorithm>
#include <bit>

namespace gpusched::dra {

namespace {

using Status = Problem::Status;

constexpr Hash128 kContentSeed{0x9216'd5d9'8979'fb1bU, 0xd131'0ba6'98df'b5acU};
constexpr Hash128 kAloneSeed{0x2ffd'72db'd01a'dfb7U, 0xb8e1'afed'6a26'7e96U};
constexpr Hash128 kScarceSeed{0xba7c'9045'f12c'7f99U, 0x24a1'9947'b391'6cf7U};
constexpr std::uint32_t kMostPositions = 64, kMostClasses = 62;

Hash128 chained_amount(const Hash128& hash, Amount amount) {
  return chained(chained(hash, static_cast<std::uint64_t>(amount)), static_cast<std::uint64_t>(amount >> 64U));
}

std::uint64_t bit(std::uint32_t position) {
  return std::uint64_t{1} << position;
}

}  // namespace

bool BlockStates::describe(const Problem& problem) {
  if (!problem.constraints.empty() || problem.groups || problem.any_admin || problem.any_all || problem.any_error ||
      problem.limit_reachable || problem.negative_amounts || problem.permutations ||
      problem.leaf_classes > kMostClasses) {
    return false;
  }
  const bool plain = std::ranges::none_of(problem.requests, &Problem::Request::has_subrequests);
  std::uint32_t last = 0;
  return plain && std::ranges::all_of(problem.blocks, [&](const Problem::Block& block) {
           const bool in_order = block.devices.size() <= kMostPositions && block.devices.front() >= last;
           last = block.devices.back();
           return in_order && std::ranges::none_of(block.devices, [&](std::uint32_t device) {
                    return problem.devices[device].multiple;
                  });
         });
}

BlockStates::BlockStates(const Problem& problem)
    : problem_(problem),
      leaf_count_(static_cast<std::uint32_t>(problem.leaves.size())),
      possible_(problem.leaf_classes),
      later_(problem.leaves.size()) {
  for (std::uint32_t l = 0; l < leaf_count_; ++l) {
    const Problem::Leaf& leaf = problem.leaves[l];
    for (std::uint32_t later = l + 1; later < leaf_count_; ++later) later_[l].push_back(problem.leaves[later].alike);
    std::ranges::sort(later_[l]);
    later_[l].erase(std::unique(later_[l].begin(), later_[l].end()), later_[l].end());
    std::vector<std::uint64_t>& masks = possible_[leaf.alike];
    if (!masks.empty()) continue;
    for (const Problem::Block& block : problem.blocks) {
      std::uint64_t mask = 0;
      for (std::uint32_t p = 0; p < block.devices.size(); ++p) {
        if (leaf.status[block.devices[p]] == Status::kPossible) mask |= bit(p);
      }
      masks.push_back(mask);
    }
  }
  // Zeros of next_ and views_of_ stand for what is not known yet, so the first of each is not used.
  states_.emplace_back();
  next_of_.push_back(0);
  views_of_.resize(leaf_count_);
  views_.emplace_back();
  for (std::uint32_t b = 0; b < problem.blocks.size(); ++b) initial_.push_back(add_state(b, 0));
}

/// Of a block as it is before the search: all that looks at it can find.
Hash128 BlockStates::content_of(const Problem::Block& block) const {
  const auto number = static_cast<std::size_t>(&block - problem_.blocks.data());
  Hash128 hash = chained(chained(kContentSeed, block.content), block.type);
  if (!block.counters.empty()) return hash;
  for (const std::vector<std::uint64_t>& masks : possible_) hash = chained(hash, masks.empty() ? 0 : masks[number]);
  return chained(hash, problem_.devices[block.devices.front()].in_use ? 1U : 0U);
}

std::uint32_t BlockStates::add_state(std::uint32_t number, std::uint64_t taken) {
  const Problem::Block& block = problem_.blocks[number];
  const Hash128 key = mixed(chained(content_of(block), taken));
  if (const std::uint32_t* const known = by_content_.find(key)) return *known;
  const auto state = static_cast<std::uint32_t>(states_.size());
  by_content_.insert(key, state);
  State made{number, taken, 0, static_cast<std::uint32_t>(left_.size())};
  for (const std::uint32_t counter : block.counters) left_.push_back(problem_.counter_left[counter]);
  const auto left_of = [&](const Problem::CounterUse& use) -> Amount& {
    return left_[made.first_left + problem_.local_counter[use.counter]];
  };
  for (std::uint32_t p = 0; p < block.devices.size(); ++p) {
    if ((taken & bit(p)) == 0) continue;
    for (const Problem::CounterUse& use : problem_.uses_of(problem_.devices[block.devices[p]])) {
      left_of(use) -= use.amount;
    }
  }
  for (std::uint32_t p = 0; p < block.devices.size(); ++p) {
    const Problem::Device& device = problem_.devices[block.devices[p]];
    const bool enough = std::ranges::all_of(problem_.uses_of(device),
                                            [&](const Problem::CounterUse& use) { return use.amount <= left_of(use); });
    if (enough && !device.in_use && (taken & bit(p)) == 0) made.free |= bit(p);
  }
  states_.push_back(made);
  next_of_.push_back(static_cast<std::uint32_t>(next_.size()));
  next_.resize(next_.size() + block.devices.size());
  views_of_.resize(states_.size() * leaf_count_);
  return state;
}

std::uint32_t BlockStates::after_taking(std::uint32_t state, std::uint32_t position) {
  const std::uint32_t known = next_[next_of_[state] + position];
  if (known != 0) return known;
  const std::uint32_t next = add_state(states_[state].block, states_[state].taken | bit(position));
  next_[next_of_[state] + position] = next;
  return next;
}

std::uint32_t BlockStates::add_view(std::uint32_t number, std::uint32_t leaf) {
  const State& state = states_[number];
  View made{state.free & possible_[problem_.leaves[leaf].alike][state.block],
            static_cast<std::uint32_t>(hashes_.size()), static_cast<std::uint32_t>(counts_.size())};
  std::uint8_t count = 0;
  for (std::uint32_t p = 0; p < problem_.blocks[state.block].devices.size(); ++p) {
    counts_.push_back(count);
    if ((made.takeable & bit(p)) != 0) ++count;
  }
  counts_.push_back(count);
  std::uint64_t takeable = made.takeable;
  for (; takeable != 0; takeable &= takeable - 1) hashes_.push_back(observed(state, leaf, takeable));
  hashes_.push_back(observed(state, leaf, 0));
  views_.push_back(made);
  return views_of_[number * leaf_count_ + leaf] = static_cast<std::uint32_t>(views_.size() - 1);
}

// A device is known by the leaves that can take it, and by its counters if one of them may say no: then the block is a
// whole with its structure, else its devices stand alone.
Hash128 BlockStates::observed(const State& state, std::uint32_t leaf, std::uint64_t takeable) {
  const Problem::Block& block = problem_.blocks[state.block];
  demand_.assign(block.counters.size(), 0);
  Hash128 alone, placed;
  for (std::uint64_t free = state.free; free != 0; free &= free - 1) {
    const auto p = static_cast<std::uint32_t>(std::countr_zero(free));
    std::uint64_t takers = (takeable >> p) & 1U;
    for (const std::uint32_t later : later_[leaf]) {
      if ((possible_[later][state.block] & bit(p)) != 0) takers |= bit(later + 1);
    }
    if (takers == 0) continue;
    const Hash128 label = chained(kAloneSeed, takers);
    alone += mixed(label);
    if (block.counters.empty()) continue;
    placed += mixed(chained(label, p));
    for (const Problem::CounterUse& use : problem_.uses_of(problem_.devices[block.devices[p]])) {
      demand_[problem_.local_counter[use.counter]] += use.amount;
    }
  }
  bool scarce = false;
  for (std::uint32_t c = 0; c < block.counters.size(); ++c) {
    const Amount left = left_[state.first_left + c];
    if (left >= demand_[c]) continue;
    scarce = true;
    placed += mixed(chained_amount(chained(kScarceSeed, c), left));
  }
  return scarce ? mixed(chained(chained(kScarceSeed, block.type), placed)) : alone;
}

}  // namespace gpusched::dra
