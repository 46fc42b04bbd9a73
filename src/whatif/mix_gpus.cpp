#include "whatif/mix_gpus.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "gpusched/model/gpu_content.hpp"

namespace gpusched::whatif {

namespace {

/// Of GPUs with more holders than this, only so many may go: their subsets are tried one by one. An A100 has seven
/// instances at most.
constexpr std::size_t kMostHolds = 8;

/// How much of a pod's one move falls to each of the GPUs that it holds.
std::int32_t share_of_move(const ClusterUsage& usage, PodId pod) {
  std::set<std::uint16_t> gpus;
  for (const GpuShare& share : usage.shares(pod)) {
    gpus.insert(share.gpu);
  }
  return kMoveCost / static_cast<std::int32_t>(std::max<std::size_t>(gpus.size(), 1));
}

bool may_go(const std::vector<bool>& movable, PodId pod) {
  return pod.index() < movable.size() && movable[pod.index()];
}

/// Whether an offer gives as much as another at no higher price.
bool beats(const mig::Offer& a, std::int32_t moves_a, const mig::Offer& b, std::int32_t moves_b) {
  const auto changed = [](const mig::Offer& offer) { return offer.destroyed + offer.created > 0; };
  return std::ranges::equal(a.counts, b.counts, std::ranges::greater_equal()) && moves_a <= moves_b &&
         changed(a) <= changed(b) && a.destroyed <= b.destroyed && a.created <= b.created;
}

void add_missing(std::span<const mig::Instance> from, std::span<const mig::Instance> in,
                 std::vector<mig::Instance>& out) {
  std::ranges::copy_if(from, std::back_inserter(out),
                       [&](const mig::Instance& instance) { return std::ranges::find(in, instance) == in.end(); });
}

}  // namespace

MixPlan MixGpus::best(const ClusterUsage& usage, const std::vector<bool>& movable) {
  const std::vector<Group> groups = collect(usage, movable);
  MixProblem problem;
  std::int64_t states = 1;
  for (const MixEntry& entry : mix_) {
    problem.wanted.push_back(entry.count);
    problem.slices.push_back(slices_of(entry.profile));
    states = std::min<std::int64_t>(states * (std::min<std::int64_t>(entry.count, 1'000) + 1), 1'000'000);
  }
  for (const Group& group : groups) {
    problem.groups.push_back({std::ssize(group.places), group.kind.enable_mig, group.ways->offers, group.ways->moves});
    work_ += std::ssize(group.places) + states * std::ssize(group.ways->offers);
  }
  const MixSolution solution = solve_mix(problem);
  MixPlan plan;
  plan.answer.optimal = solution.optimal;
  plan.cost.price = solution.price;
  for (std::size_t i = 0; i < mix_.size(); ++i) {
    const std::int64_t served = std::min(solution.after[i], mix_[i].count);
    plan.answer.rows.push_back({mix_[i].profile, mix_[i].count, std::min(solution.before[i], mix_[i].count), served});
    plan.cost.instances -= served;
    plan.cost.slices -= served * problem.slices[i];
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    add_gpus(groups[g], solution.choices[g], plan);
  }
  std::ranges::sort(plan.answer.gpus, {}, [&](const RepartitionedGpu& gpu) {
    return std::pair(shape_.name_rank[gpu.node.index()], gpu.gpu);
  });
  std::ranges::sort(plan.leaving);
  plan.leaving.erase(std::ranges::unique(plan.leaving).begin(), plan.leaving.end());
  return plan;
}

bool MixGpus::wants(std::uint16_t mig_board, mig::ProfileIndex profile) const {
  return std::ranges::any_of(mix_, [&](const MixEntry& entry) {
    return mig::find_profile(mig::boards()[mig_board], entry.profile) == profile;
  });
}

MixGpus::Key MixGpus::key_of(const Kind& kind) {
  std::vector<std::int32_t> numbers;
  const auto add = [&](const std::vector<mig::Instance>& instances) {
    numbers.push_back(static_cast<std::int32_t>(instances.size()));
    for (const mig::Instance& instance : instances) {
      numbers.push_back(instance.profile << 8 | instance.start);
    }
  };
  add(kind.busy);
  add(kind.free);
  for (const Hold& hold : kind.holds) {
    numbers.push_back(hold.moves);
    add(hold.instances);
  }
  return {kind.mig_board, kind.enable_mig, std::move(numbers)};
}

std::vector<MixGpus::Group> MixGpus::collect(const ClusterUsage& usage, const std::vector<bool>& movable) {
  std::vector<Group> groups;
  std::map<const Ways*, std::size_t> index;
  for (const NodeId node : shape_.nodes_by_name) {
    if (usage.cordoned(node)) {
      continue;
    }
    const std::size_t gpus = usage.node_class(node).gpus.size();
    for (std::uint16_t gpu = 0; gpu < gpus; ++gpu) {
      Place place{node, gpu, {}};
      Kind kind;
      if (!describe_gpu(usage, movable, place, kind)) {
        continue;
      }
      Key key = key_of(kind);
      auto entry = ways_.find(key);
      if (entry == ways_.end()) {
        entry = ways_.try_emplace(std::move(key), ways_of(kind)).first;
      }
      const auto [group, added] = index.try_emplace(&entry->second, groups.size());
      if (added) {
        groups.push_back({&entry->second, std::move(kind), {}});
      }
      groups[group->second].places.push_back(std::move(place));
    }
  }
  return groups;
}

/// False for a GPU that cannot be partitioned, or is in use as a whole for good.
bool MixGpus::describe_gpu(const ClusterUsage& usage, const std::vector<bool>& movable, Place& place,
                           Kind& kind) const {
  const NodeClass& node_class = usage.node_class(place.node);
  const Gpu& gpu = node_class.gpus[place.gpu];
  kind.mig_board = shape_.board(gpu).mig_board;
  if (kind.mig_board == kNoMigBoard || !mig::boards()[kind.mig_board].starts_known) {
    return false;
  }
  if (!gpu.mig) {
    return describe_whole(usage, movable, place, kind);
  }
  const std::span<const PodId> holders = usage.instance_holders(place.node);
  std::vector<std::pair<mig::Instance, PodId>> instances;
  for (const std::uint16_t i : instances_of(node_class, place.gpu)) {
    const MigInstance& instance = node_class.instances[i];
    instances.emplace_back(mig::Instance{instance.mig_profile, instance.start}, holders[i]);
  }
  std::ranges::sort(instances, {}, [](const auto& entry) { return entry.first.start; });
  for (const auto& [instance, holder] : instances) {
    if (!holder.valid()) {
      kind.free.push_back(instance);
      continue;
    }
    const auto known = std::ranges::find(place.holders, std::vector{holder});
    if (known != place.holders.end()) {
      kind.holds[static_cast<std::size_t>(known - place.holders.begin())].instances.push_back(instance);
    } else if (may_go(movable, holder) && kind.holds.size() < kMostHolds) {
      kind.holds.push_back({share_of_move(usage, holder), {instance}});
      place.holders.push_back({holder});
    } else {
      kind.busy.push_back(instance);
    }
  }
  return true;
}

bool MixGpus::describe_whole(const ClusterUsage& usage, const std::vector<bool>& movable, Place& place, Kind& kind) {
  kind.enable_mig = true;
  if (usage.node_class(place.node).gpus[place.gpu].replicas != 1) {
    return false;
  }
  if (usage.free_milli(place.node)[place.gpu] == kWholeGpuMilli) {
    return true;
  }
  if (movable.empty()) {
    return false;
  }
  std::vector<PodId> holders = holders_of(usage, place.node, place.gpu);
  if (holders.empty() || !std::ranges::all_of(holders, [&](PodId pod) { return may_go(movable, pod); })) {
    return false;
  }
  Hold& hold = kind.holds.emplace_back();
  for (const PodId pod : holders) {
    hold.moves += share_of_move(usage, pod);
  }
  place.holders.push_back(std::move(holders));
  return true;
}

/// Every layout beside the holders that stay, for every set of holders that go.
MixGpus::Ways MixGpus::ways_of(const Kind& kind) const {
  Ways all;
  for (std::uint32_t leaving = 0; leaving < 1U << kind.holds.size(); ++leaving) {
    std::int32_t moves = 0;
    for (std::size_t i = 0; i < kind.holds.size(); ++i) {
      moves += (leaving >> i & 1) != 0 ? kind.holds[i].moves : 0;
    }
    for (mig::Offer& offer : offers_of(kind, leaving)) {
      const auto beaten = [&](std::size_t other) { return beats(all.offers[other], all.moves[other], offer, moves); };
      bool needed = true;
      for (std::size_t i = 0; leaving != 0 && needed && i < all.offers.size(); ++i) {
        needed = !beaten(i);
      }
      if (needed) {
        all.offers.push_back(std::move(offer));
        all.moves.push_back(moves);
        all.leaving.push_back(leaving);
      }
    }
  }
  return all;
}

/// The offers once some holders are gone, with a count for every entry of the mix: 0 for profiles that the board does
/// not have.
std::vector<mig::Offer> MixGpus::offers_of(const Kind& kind, std::uint32_t leaving) const {
  const mig::Board& board = mig::boards()[kind.mig_board];
  std::vector<mig::Instance> busy = kind.busy;
  std::vector<mig::Instance> free = kind.free;
  for (std::size_t i = 0; i < kind.holds.size(); ++i) {
    std::vector<mig::Instance>& side = (leaving >> i & 1) != 0 ? free : busy;
    side.insert(side.end(), kind.holds[i].instances.begin(), kind.holds[i].instances.end());
  }
  std::ranges::sort(busy, {}, &mig::Instance::start);
  std::ranges::sort(free, {}, &mig::Instance::start);
  std::vector<mig::ProfileIndex> wanted;
  std::vector<std::size_t> entries;
  for (std::size_t i = 0; i < mix_.size(); ++i) {
    if (const auto found = mig::find_profile(board, mix_[i].profile)) {
      wanted.push_back(*found);
      entries.push_back(i);
    }
  }
  std::vector<mig::Offer> result;
  // Outside MIG mode there is nothing else to be had than to stay as it is.
  if (kind.enable_mig && !kind.holds.empty() && leaving == 0) {
    result.emplace_back().counts.assign(wanted.size(), 0);
  } else {
    result = mig::offers(board, busy, free, wanted);
  }
  for (mig::Offer& offer : result) {
    std::vector<std::uint8_t> counts(mix_.size(), 0);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      counts[entries[i]] = offer.counts[i];
    }
    offer.counts = std::move(counts);
  }
  return result;
}

/// Compute slices of a profile; the name starts with them on every board.
std::int64_t MixGpus::slices_of(std::string_view profile) const {
  for (const Board& board : shape_.boards) {
    if (board.mig_board == kNoMigBoard) {
      continue;
    }
    if (const auto found = mig::find_profile(mig::boards()[board.mig_board], profile)) {
      return mig::boards()[board.mig_board].profiles[*found].compute_slices;
    }
  }
  return 0;
}

void MixGpus::add_gpus(const Group& group, std::span<const std::size_t> choices, MixPlan& plan) {
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const Place& place = group.places[i];
    const std::uint32_t leaving = group.ways->leaving[choices[i]];
    for (std::size_t hold = 0; hold < place.holders.size(); ++hold) {
      if ((leaving >> hold & 1) != 0) {
        plan.leaving.insert(plan.leaving.end(), place.holders[hold].begin(), place.holders[hold].end());
      }
    }
    const mig::Offer& offer = group.ways->offers[choices[i]];
    if (offer.destroyed + offer.created == 0) {
      continue;
    }
    RepartitionedGpu& gpu = plan.answer.gpus.emplace_back();
    gpu.node = place.node;
    gpu.gpu = place.gpu;
    gpu.mig_board = group.kind.mig_board;
    gpu.enable_mig = group.kind.enable_mig;
    gpu.busy = group.kind.busy;
    gpu.before = group.ways->offers.front().layout;
    gpu.after = offer.layout;
    add_missing(gpu.before, gpu.after, gpu.destroyed);
    add_missing(gpu.after, gpu.before, gpu.created);
  }
}

}  // namespace gpusched::whatif
