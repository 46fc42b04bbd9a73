#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <ranges>
#include <span>

#include "dra/question.hpp"

namespace gpusched::dra {

void QuestionCompiler::read_counters() {
  over_committed_.assign(question_.pools.size(), false);
  if (!cluster_.features.partitionable_devices) return;
  for (std::uint32_t p = 0; p < question_.pools.size(); ++p) {
    const bool consumed =
        std::ranges::any_of(std::views::iota(devices_.first_of_pool[p], devices_.first_of_pool[p + 1]),
                            [&](std::uint32_t d) { return !api(d).consumes_counters.empty(); });
    if (!consumed) continue;
    read_pool_counters(p);
    for (std::uint32_t d = devices_.first_of_pool[p]; d < devices_.first_of_pool[p + 1]; ++d) add_uses(p, d);
    if (cluster_.features.compatibility_groups) read_groups(p);
  }
}

void QuestionCompiler::read_pool_counters(std::uint32_t pool) {
  const Pool& gathered = question_.pools[pool];
  const std::size_t first = problem_.counter_left.size();
  for (const objects::CounterSet* const set : gathered.counter_sets) {
    counter_sets_[{pool, set->name}] = static_cast<std::uint32_t>(problem_.counter_left.size());
    for (const auto& [name, amount] : set->counters) {
      problem_.counter_left.push_back(to_amount(amount));
      if (explain_) question_.counter_names.push_back(set->name + "/" + name);
    }
  }
  for (const auto* slices : {&gathered.device_slices, &gathered.other_slices}) {
    for (const std::size_t slice : *slices) {
      const std::vector<objects::Device>& devices = cluster_.slices.slice(slice).spec.devices;
      for (std::size_t d = 0; d < devices.size(); ++d) {
        if (!cluster_.facts(slice, d).allocated()) continue;
        for (const Problem::CounterUse& use : counter_uses(pool, devices[d])) {
          problem_.counter_left[use.counter] -= use.amount;
        }
      }
    }
  }
  over_committed_[pool] = std::any_of(problem_.counter_left.begin() + static_cast<std::ptrdiff_t>(first),
                                      problem_.counter_left.end(), [](Amount left) { return left < 0; });
}

std::vector<Problem::CounterUse> QuestionCompiler::counter_uses(std::uint32_t pool,
                                                                const objects::Device& device) const {
  std::vector<Problem::CounterUse> uses;
  for (const objects::CounterConsumption& consumption : device.consumes_counters) {
    const auto first = counter_sets_.find({pool, consumption.counter_set});
    if (first == counter_sets_.end()) continue;
    const std::vector<const objects::CounterSet*>& sets = question_.pools[pool].counter_sets;
    const auto set = std::ranges::find(sets, consumption.counter_set,
                                       [](const objects::CounterSet* s) -> const std::string& { return s->name; });
    for (std::uint32_t i = 0; i < (*set)->counters.size(); ++i) {
      const Quantity* const amount = objects::find(consumption.counters, (*set)->counters[i].first);
      if (amount == nullptr) continue;
      const std::uint32_t counter = first->second + i;
      const auto known = std::ranges::find(uses, counter, &Problem::CounterUse::counter);
      if (known == uses.end()) {
        uses.push_back({counter, to_amount(*amount)});
      } else {
        known->amount += to_amount(*amount);
      }
    }
  }
  return uses;
}

void QuestionCompiler::add_uses(std::uint32_t pool, std::uint32_t device) {
  Problem::Device& state = problem_.devices[device];
  state.first_use = static_cast<std::uint32_t>(problem_.uses.size());
  for (const Problem::CounterUse& use : counter_uses(pool, api(device))) {
    problem_.negative_amounts |= use.amount < 0;
    if (use.amount != 0) problem_.uses.push_back(use);
  }
  state.use_count = static_cast<std::uint32_t>(problem_.uses.size()) - state.first_use;
}

void QuestionCompiler::read_groups(std::uint32_t pool) {
  const auto numbers_of = [&](const objects::CounterConsumption& consumption) {
    std::vector<std::uint32_t> groups;
    for (const std::string& group : consumption.compatibility_groups) {
      const auto next = static_cast<std::uint32_t>(group_names_.size());
      groups.push_back(group_names_.try_emplace(group, next).first->second);
    }
    std::ranges::sort(groups);
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    return groups;
  };
  const auto set_of = [&](const objects::CounterConsumption& consumption) {
    const auto next = static_cast<std::uint32_t>(problem_.group_states.size());
    const auto [known, added] = group_sets_.try_emplace({pool, consumption.counter_set}, next);
    if (added) problem_.group_states.emplace_back();
    return known->second;
  };
  const Pool& gathered = question_.pools[pool];
  for (const auto* slices : {&gathered.device_slices, &gathered.other_slices}) {
    for (const std::size_t slice : *slices) {
      const std::vector<objects::Device>& devices = cluster_.slices.slice(slice).spec.devices;
      for (std::size_t d = 0; d < devices.size(); ++d) {
        if (!cluster_.facts(slice, d).allocated()) continue;
        for (const objects::CounterConsumption& consumption : devices[d].consumes_counters) {
          add_members(problem_.group_states[set_of(consumption)], numbers_of(consumption));
        }
      }
    }
  }
  for (std::uint32_t d = devices_.first_of_pool[pool]; d < devices_.first_of_pool[pool + 1]; ++d) {
    for (const objects::CounterConsumption& consumption : api(d).consumes_counters) {
      problem_.devices[d].group_uses.push_back({set_of(consumption), numbers_of(consumption)});
      problem_.groups |= !problem_.devices[d].group_uses.back().groups.empty();
    }
  }
}

std::vector<bool> QuestionCompiler::candidates() const {
  std::vector<bool> candidates(problem_.devices.size(), false);
  for (const Problem::Leaf& leaf : problem_.leaves) {
    for (const std::uint32_t d : leaf.all_devices) candidates[d] = true;
    for (std::size_t d = 0; d < leaf.status.size(); ++d) {
      if (leaf.status[d] != Status::kNever) candidates[d] = true;
    }
  }
  return candidates;
}

// A counter that has enough for everybody says nothing, and would only tie devices together.
void QuestionCompiler::drop_ample_counters(const std::vector<bool>& candidates) {
  const bool admin = std::ranges::any_of(problem_.leaves, &Problem::Leaf::admin);
  const Amount takings = admin ? static_cast<Amount>(problem_.claims.size()) + 1 : 1;
  std::vector<Amount> demand(problem_.counter_left.size(), 0);
  for (std::size_t d = 0; d < candidates.size(); ++d) {
    if (!candidates[d]) continue;
    for (const Problem::CounterUse& use : problem_.uses_of(problem_.devices[d])) {
      demand[use.counter] += use.amount * takings;
    }
  }
  std::vector<Problem::CounterUse> kept;
  for (Problem::Device& device : problem_.devices) {
    const std::span<const Problem::CounterUse> uses = problem_.uses_of(device);
    device.first_use = static_cast<std::uint32_t>(kept.size());
    for (const Problem::CounterUse& use : uses) {
      if (demand[use.counter] > problem_.counter_left[use.counter]) kept.push_back(use);
    }
    device.use_count = static_cast<std::uint32_t>(kept.size()) - device.first_use;
  }
  problem_.uses = std::move(kept);
}

void QuestionCompiler::make_blocks() {
  const std::vector<bool> candidates = this->candidates();
  if (!problem_.negative_amounts) drop_ample_counters(candidates);
  problem_.local_counter.assign(problem_.counter_left.size(), Problem::kNone);
  connect(candidates);
  for (Problem::Block& block : problem_.blocks) describe_block(block);
}

// Devices that share a counter are in one block; blocks come in the order of their first devices.
void QuestionCompiler::connect(const std::vector<bool>& candidates) {
  std::vector<std::uint32_t> parent(candidates.size());
  std::iota(parent.begin(), parent.end(), 0U);
  const auto root = [&](std::uint32_t d) {
    while (parent[d] != d) d = parent[d] = parent[parent[d]];
    return d;
  };
  std::vector<std::uint32_t> first_user(problem_.counter_left.size(), Problem::kNone);
  for (std::uint32_t d = 0; d < candidates.size(); ++d) {
    if (!candidates[d]) continue;
    for (const Problem::CounterUse& use : problem_.uses_of(problem_.devices[d])) {
      std::uint32_t& user = first_user[use.counter];
      if (user == Problem::kNone) {
        user = d;
      } else {
        const auto [low, high] = std::minmax({root(user), root(d)});
        parent[high] = low;
      }
    }
  }
  for (std::uint32_t d = 0; d < candidates.size(); ++d) {
    if (!candidates[d]) continue;
    Problem::Device& device = problem_.devices[d];
    if (root(d) == d) {
      device.block = static_cast<std::uint32_t>(problem_.blocks.size());
      problem_.blocks.emplace_back();
    } else {
      device.block = problem_.devices[root(d)].block;
    }
    Problem::Block& block = problem_.blocks[device.block];
    device.position = static_cast<std::uint32_t>(block.devices.size());
    block.devices.push_back(d);
    for (const Problem::CounterUse& use : problem_.uses_of(device)) {
      if (problem_.local_counter[use.counter] != Problem::kNone) continue;
      problem_.local_counter[use.counter] = static_cast<std::uint32_t>(block.counters.size());
      block.counters.push_back(use.counter);
    }
  }
}

void QuestionCompiler::describe_block(Problem::Block& block) {
  if (block.counters.empty()) return;  // one device, which speaks for itself
  std::string type, content;
  const auto append = [](std::string& key, Amount amount) {
    key += fmt::format("{}.{} ", static_cast<std::uint64_t>(amount >> 64U), static_cast<std::uint64_t>(amount));
  };
  for (const std::uint32_t d : block.devices) {
    const Problem::Device& device = problem_.devices[d];
    for (const Problem::CounterUse& use : problem_.uses_of(device)) {
      type += fmt::format("{}:", problem_.local_counter[use.counter]);
      append(type, use.amount);
    }
    type += ';';
    content += fmt::format("{}{}{} ", device.in_use, device.multiple, device.shared);
    for (const Problem::Leaf& leaf : problem_.leaves) {
      content += leaf.all ? 'a' : static_cast<char>('0' + static_cast<int>(leaf.status[d]));
      if (leaf.needs[d] != Problem::kNone) content += fmt::format(",{} ", leaf.needs[d]);
      if (leaf.all && std::ranges::find(leaf.all_devices, d) != leaf.all_devices.end())
        content += fmt::format("#{}", d);
    }
    for (const std::vector<std::int32_t>& table : problem_.values) content += fmt::format(" {}", table[d]);
    for (std::uint32_t i = 0; i < device.capacity_count; ++i) {
      append(content, problem_.capacity_left[device.first_capacity + i]);
    }
    content += ';';
  }
  content += type;
  for (const std::uint32_t counter : block.counters) append(content, problem_.counter_left[counter]);
  block.type = block_types_.try_emplace(std::move(type), block_types_.size()).first->second;
  block.content = block_contents_.try_emplace(std::move(content), block_contents_.size()).first->second;
}

}  // namespace gpusched::dra
