#include "dra/state_keys.hpp"

#include <algorithm>
#include <map>

namespace gpusched::dra {

namespace {

using Look = SearchState::Look;

constexpr std::int32_t kNoValue = -100;
constexpr Hash128 kGroupSeed{0x6a09'e667'f3bc'c908U, 0xbb67'ae85'84ca'a73bU};
constexpr Hash128 kBlockSeed{0x3c6e'f372'fe94'f82bU, 0xa54f'f53a'5f1d'36f1U};
constexpr Hash128 kLabelSeed{0x510e'527f'ade6'82d1U, 0x9b05'688c'2b3e'6c1fU};
constexpr Hash128 kKeySeed{0x1f83'd9ab'fb41'bd6bU, 0x5be0'cd19'137e'2179U};

Hash128 group_part(const Hash128& sum) {
  return sum == Hash128{} ? sum : mixed(sum + kGroupSeed);
}

Hash128 chained_amount(const Hash128& hash, Amount amount) {
  return chained(chained(hash, static_cast<std::uint64_t>(amount)), static_cast<std::uint64_t>(amount >> 64U));
}

}  // namespace

StateKeys::StateKeys(const Problem& problem, const SearchState& state, bool ordered)
    : problem_(problem), state_(state), ordered_(ordered), all_labels_(problem.devices.size()) {
  for (std::uint32_t l = 0; l < problem.leaves.size(); ++l) {
    const Problem::Leaf& leaf = problem.leaves[l];
    const Problem::Request& request = problem.requests[leaf.request];
    add_stage(l, leaf.claim, request.first_leaf + request.leaf_count);
  }
  for (const Problem::Request& request : problem.requests) add_stage(kNone, request.claim, request.first_leaf);
  find_groupings();
  std::map<std::vector<std::uint32_t>, std::uint32_t> known;
  for (std::uint32_t d = 0; d < problem.devices.size(); ++d) {
    std::vector<std::uint32_t> needs;
    if (problem.devices[d].multiple) {
      for (const Problem::Leaf& leaf : problem.leaves) needs.push_back(leaf.needs[d]);
      needs.push_back(problem.devices[d].capacity_count);
    }
    need_classes_.push_back(
        known.try_emplace(std::move(needs), static_cast<std::uint32_t>(known.size())).first->second);
  }
}

void StateKeys::add_stage(std::uint32_t current, std::uint32_t claim, std::uint32_t first_later) {
  Stage& stage = stages_.emplace_back();
  stage.current = current;
  stage.claim = claim;
  std::vector<std::uint32_t> slot_of_class(problem_.leaf_classes, kNone);
  const auto add_checks = [&](const Problem::Leaf& leaf, std::uint64_t slots) {
    for (const Problem::Check& check : leaf.checks) {
      const auto known = std::ranges::find_if(stage.checks, [&](const StageCheck& c) {
        return c.constraint == check.constraint && c.table == check.table;
      });
      if (known == stage.checks.end()) {
        stage.checks.push_back({check.constraint, check.table, slots});
      } else {
        known->slots |= slots;
      }
    }
  };
  if (current != kNone) add_checks(problem_.leaves[current], 1);
  for (std::uint32_t l = first_later; l < problem_.leaves.size(); ++l) {
    const Problem::Leaf& leaf = problem_.leaves[l];
    if (leaf.all) {
      stage.later_all.push_back(l);
      add_checks(leaf, ~std::uint64_t{0});
      continue;
    }
    stage.later.push_back(l);
    std::uint32_t& slot = slot_of_class[leaf.alike];
    if (slot == kNone) {
      slot = static_cast<std::uint32_t>(stage.later_classes.size()) + 1;
      stage.later_classes.push_back(l);
    }
    add_checks(leaf, slot < 63 ? std::uint64_t{1} << slot : ~std::uint64_t{0});
  }
}

// Values can be renamed if every block has one of them only: then blocks fall into groups.
void StateKeys::find_groupings() {
  single_table_.assign(problem_.constraints.size(), kNone);
  std::vector<bool> several(problem_.constraints.size(), false);
  for (const Problem::Leaf& leaf : problem_.leaves) {
    for (const Problem::Check& check : leaf.checks) {
      std::uint32_t& table = single_table_[check.constraint];
      several[check.constraint] = several[check.constraint] || (table != kNone && table != check.table);
      table = check.table;
    }
  }
  for (std::size_t i = 0; i < several.size(); ++i) {
    if (several[i]) single_table_[i] = kNone;
  }
  for (const std::vector<std::int32_t>& table : problem_.values) {
    std::vector<std::int32_t>& values = block_values_.emplace_back();
    for (const Problem::Block& block : problem_.blocks) {
      std::int32_t value = kNoValue;
      for (const std::uint32_t d : block.devices) {
        if (table[d] < 0) continue;
        if (value != kNoValue && value != table[d]) value = kNoValue - 1;
        if (value == kNoValue) value = table[d];
        if (value < kNoValue) break;
      }
      values.push_back(value);
      if (value < kNoValue) {
        values.clear();
        break;
      }
    }
  }
}

std::uint32_t StateKeys::grouping(const Stage& stage) const {
  if (ordered_) return kNone;
  for (const StageCheck& check : stage.checks) {
    if (is_open(check.constraint) && single_table_[check.constraint] == check.table &&
        !block_values_[check.table].empty()) {
      return check.table;
    }
  }
  return kNone;
}

StateKeys::Frame& StateKeys::push() {
  if (depth_ == frames_.size()) frames_.emplace_back();
  return frames_[depth_++];
}

void StateKeys::open_leaf(std::uint32_t leaf, std::uint32_t start) {
  Frame& frame = push();
  frame.stage = leaf;
  frame.start = start;
  compute(frame);
}

void StateKeys::open_request(std::uint32_t request) {
  Frame& frame = push();
  frame.stage = static_cast<std::uint32_t>(problem_.leaves.size()) + request;
  frame.start = 0;
  compute(frame);
}

void StateKeys::open_next(std::uint32_t device) {
  const std::uint32_t leaf = frames_[depth_ - 1].stage;
  if (problem_.groups || frames_[depth_ - 1].constraints != state_.constraint_hash() ||
      !stages_[leaf].later_all.empty() || problem_.order_shows) {
    open_leaf(leaf, device + 1);
    return;
  }
  push();
  frames_[depth_ - 1] = frames_[depth_ - 2];
  Frame& frame = frames_[depth_ - 1];
  frame.start = device + 1;
  set_block(frame, problem_.devices[device].block);
}

void StateKeys::pass(std::uint32_t device) {
  Frame& frame = frames_[depth_ - 1];
  frame.start = device + 1;
  if (!stages_[frame.stage].later_all.empty()) look_ahead(stages_[frame.stage]);
  set_block(frame, problem_.devices[device].block);
}

Hash128 StateKeys::key(std::uint32_t remaining) const {
  const Frame& frame = frames_[depth_ - 1];
  Hash128 key = chained(chained(kKeySeed, frame.stage), remaining);
  if (ordered_) {
    key = chained(chained(key, state_.chosen(stages_[frame.stage].claim)), state_.order_hash());
  }
  return chained(key, frame.total);
}

void StateKeys::compute(Frame& frame) {
  const Stage& stage = stages_[frame.stage];
  frame.constraints = state_.constraint_hash();
  frame.grouping = grouping(stage);
  frame.total = {};
  frame.blocks.assign(problem_.blocks.size(), {});
  frame.groups.assign(frame.grouping == kNone ? 0 : static_cast<std::size_t>(problem_.value_count), {});
  if (!stage.later_all.empty()) look_ahead(stage);
  for (std::uint32_t b = 0; b < problem_.blocks.size(); ++b) set_block(frame, b);
}

// A later request for all devices takes them in its order, up to the first that it cannot take.
void StateKeys::look_ahead(const Stage& stage) {
  std::ranges::fill(all_labels_, Hash128{});
  for (const std::uint32_t l : stage.later_all) {
    const Problem::Leaf& leaf = problem_.leaves[l];
    for (std::uint32_t i = 0; i < leaf.count; ++i) {
      const SearchState::AllLook look = state_.look_all(leaf, i);
      Hash128& label = all_labels_[leaf.all_devices[i]];
      label = chained(chained(label, l + 1), (std::uint64_t{i} << 8U) | static_cast<std::uint64_t>(look));
      if (look != SearchState::AllLook::kTake) break;
    }
  }
}

void StateKeys::set_block(Frame& frame, std::uint32_t block) {
  const Hash128 hash = block_hash(frame, block);
  if (hash == frame.blocks[block]) return;
  const std::int32_t value = frame.grouping == kNone ? kNoValue : block_values_[frame.grouping][block];
  if (value == kNoValue) {
    frame.total -= frame.blocks[block];
    frame.total += hash;
  } else {
    Hash128& group = frame.groups[static_cast<std::size_t>(value)];
    frame.total -= group_part(group);
    group -= frame.blocks[block];
    group += hash;
    frame.total += group_part(group);
  }
  frame.blocks[block] = hash;
}

Hash128 StateKeys::block_hash(const Frame& frame, std::uint32_t number) {
  const Problem::Block& block = problem_.blocks[number];
  const Stage& stage = stages_[frame.stage];
  if (block.devices.size() == 1 || ordered_ || !stage.later_all.empty()) return compute_block(frame, number);
  std::size_t start = 0;
  if (stage.current != kNone) {
    start = static_cast<std::size_t>(std::ranges::lower_bound(block.devices, frame.start) - block.devices.begin());
  }
  Hash128 key = chained(chained(chained(kBlockSeed, frame.stage), block.content), start);
  key = chained(chained(chained(key, frame.grouping), state_.block_takings(number)), frame.constraints);
  if (const Hash128* const known = block_cache_.find(key)) return *known;
  const Hash128 hash = compute_block(frame, number);
  block_cache_.insert(key, hash);
  return hash;
}

Hash128 StateKeys::compute_block(const Frame& frame, std::uint32_t number) {
  const Problem::Block& block = problem_.blocks[number];
  demand_.assign(block.counters.size(), 0);
  const Amount takings = problem_.any_admin ? static_cast<Amount>(problem_.claims.size()) + 1 : 1;
  Hash128 alone, placed;
  for (std::uint32_t p = 0; p < block.devices.size(); ++p) {
    const std::uint32_t d = block.devices[p];
    const Label label = this->label(frame, d);
    if (!label.alive) continue;
    alone += mixed(label.hash);
    if (block.counters.empty()) continue;
    placed += mixed(chained(label.hash, p));
    const Problem::Device& device = problem_.devices[d];
    if (device.multiple && state_.is_shared(d)) continue;
    for (const Problem::CounterUse& use : problem_.uses_of(device)) {
      demand_[problem_.local_counter[use.counter]] += use.amount * takings;
    }
  }
  bool scarce = false;
  for (std::uint32_t c = 0; c < block.counters.size(); ++c) {
    const Amount left = state_.counter_left(block.counters[c]);
    if (left >= demand_[c]) continue;
    scarce = true;
    placed += mixed(chained_amount(chained(kBlockSeed, c), left));
  }
  return scarce ? mixed(chained(chained(kBlockSeed, block.type), placed)) : alone;
}

StateKeys::Label StateKeys::label(const Frame& frame, std::uint32_t device) const {
  const Stage& stage = stages_[frame.stage];
  Label label{kLabelSeed, false};
  std::uint64_t slots = 0;
  if (stage.current != kNone && device >= frame.start) {
    const Look look = state_.look(problem_.leaves[stage.current], device);
    if (look != Look::kNo) {
      slots |= 1;
      label.hash = chained(label.hash, static_cast<std::uint64_t>(look));
    }
  }
  for (std::uint32_t k = 0; k < stage.later_classes.size(); ++k) {
    const Look look = state_.look(problem_.leaves[stage.later_classes[k]], device);
    if (look == Look::kNo) continue;
    slots |= k + 1 < 63 ? std::uint64_t{1} << (k + 1) : std::uint64_t{1} << 63U;
    label.hash = chained(label.hash, (std::uint64_t{k + 1} << 8U) | static_cast<std::uint64_t>(look));
  }
  if (!stage.later_all.empty() && all_labels_[device] != Hash128{}) {
    slots |= std::uint64_t{1} << 63U;
    label.hash = chained(label.hash, all_labels_[device]);
  }
  label.alive = slots != 0;
  if (!label.alive) return label;
  if (ordered_) {
    label.hash = chained(label.hash, device);
  } else if (!stage.checks.empty()) {
    add_values(frame, device, slots, label.hash);
  }
  if (problem_.devices[device].multiple) add_capacity(frame, device, label.hash);
  return label;
}

void StateKeys::add_values(const Frame& frame, std::uint32_t device, std::uint64_t slots, Hash128& hash) const {
  for (const StageCheck& check : stages_[frame.stage].checks) {
    if ((check.slots & slots) == 0 || !is_open(check.constraint)) continue;
    const std::int32_t value = problem_.values[check.table][device];
    if (value >= 0 && check.table == frame.grouping && single_table_[check.constraint] == check.table) continue;
    hash = chained(hash, (std::uint64_t{check.constraint} << 32U) ^ static_cast<std::uint64_t>(std::int64_t{value}));
  }
}

// What is left of a capacity counts only if all that is still to come could use it up.
void StateKeys::add_capacity(const Frame& frame, std::uint32_t number, Hash128& hash) const {
  const Problem::Device& device = problem_.devices[number];
  const Stage& stage = stages_[frame.stage];
  hash = chained(hash, need_classes_[number]);
  hash = chained(hash, device.use_count != 0 && state_.is_shared(number) ? 1 : 0);
  for (std::uint32_t i = 0; i < device.capacity_count; ++i) {
    Amount most = 0;
    const auto add = [&](const Problem::Leaf& leaf) {
      if (leaf.needs[number] != kNone) most += problem_.needs[leaf.needs[number] + i];
    };
    if (stage.current != kNone && number >= frame.start) add(problem_.leaves[stage.current]);
    for (const std::uint32_t l : stage.later) add(problem_.leaves[l]);
    for (const std::uint32_t l : stage.later_all) add(problem_.leaves[l]);
    const Amount left = state_.capacity_left(device.first_capacity + i);
    if (left < most) hash = chained_amount(chained(hash, i + 1), left);
  }
}

}  // namespace gpusched::dra
