#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "gpusched/mig/layout.hpp"
#include "io/inventory_parts.hpp"

// Counts of MIG instances -> a layout per GPU. Labels and resources do not tell where instances stand, nor on which
// GPU.
namespace gpusched::io {

namespace {

/// How many instances of each profile, in the order of the board's table.
using Counts = std::vector<std::pair<mig::ProfileIndex, std::int64_t>>;

constexpr int kMostTries = 20'000;
constexpr std::int64_t kMostInstances = 16 * kMostGpus;

std::int64_t total(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0},
                         [](std::int64_t sum, const auto& entry) { return sum + entry.second; });
}

std::int64_t divided_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

std::optional<mig::Layout> place(const mig::Board& board, const Counts& counts) {
  std::vector<mig::ProfileIndex> profiles;
  for (const auto& [profile, count] : counts) {
    if (count > board.max_instances) return std::nullopt;
    profiles.insert(profiles.end(), static_cast<std::size_t>(count), profile);
  }
  Result<std::vector<mig::Instance>> placed = mig::place_layout(board, profiles);
  if (!placed) return std::nullopt;
  std::ranges::sort(*placed, {}, &mig::Instance::start);
  return std::move(*placed);
}

/// Deals the instances to GPUs: first the same to each, else GPU by GPU with as many as fit, going back when that
/// fails.
class Dealer {
 public:
  Dealer(const mig::Board& board, const Counts& counts) : board_(board) {
    mig::ProfileSet profiles;
    for (const auto& [profile, count] : counts) profiles.insert(profile);
    for (const auto& multiset : mig::distinct_multisets(mig::legal_layouts(board, profiles))) {
      Counts choice = counts;
      for (auto& [profile, count] : choice) count = std::ranges::count(multiset, profile);
      choices_.push_back(std::move(choice));
    }
    std::ranges::sort(choices_, std::ranges::greater(),
                      [](const Counts& choice) { return std::pair(total(choice), choice); });
  }

  std::optional<std::vector<mig::Layout>> deal(const Counts& counts, std::int64_t gpus) {
    if (std::ranges::all_of(counts, [&](const auto& entry) { return entry.second % gpus == 0; })) {
      Counts share = counts;
      for (auto& [profile, count] : share) count /= gpus;
      if (auto layout = place(board_, share)) {
        return std::vector<mig::Layout>(static_cast<std::size_t>(gpus), std::move(*layout));
      }
    }
    tries_ = 0;
    picked_.clear();
    if (!search(counts, gpus, 0)) return std::nullopt;
    std::vector<mig::Layout> layouts;
    for (const std::size_t choice : picked_) layouts.push_back(*place(board_, choices_[choice]));
    layouts.resize(static_cast<std::size_t>(gpus));  // GPUs in MIG mode without instances
    return layouts;
  }

 private:
  /// Choices never get larger again, so that the same split is tried once.
  bool search(const Counts& rest, std::int64_t gpus, std::size_t first) {
    const std::int64_t left = total(rest);
    if (left == 0) return true;
    if (gpus == 0) return false;
    for (std::size_t choice = first; choice < choices_.size(); ++choice) {
      if (total(choices_[choice]) * gpus < left || ++tries_ > kMostTries) return false;
      Counts next = rest;
      bool enough = true;
      for (std::size_t i = 0; i < next.size(); ++i) {
        next[i].second -= choices_[choice][i].second;
        enough = enough && next[i].second >= 0;
      }
      if (!enough) continue;
      picked_.push_back(choice);
      if (search(next, gpus - 1, choice)) return true;
      picked_.pop_back();
    }
    return false;
  }

  const mig::Board& board_;
  std::vector<Counts> choices_;  // by the number of instances, descending
  std::vector<std::size_t> picked_;
  int tries_ = 0;
};

/// The fewest GPUs by sums alone.
std::int64_t fewest(const mig::Board& board, const Counts& counts) {
  std::int64_t compute = 0, memory = 0, most = 1;
  for (const auto& [index, count] : counts) {
    const mig::Profile& profile = board.profiles[index];
    compute += count * profile.compute_slices;
    memory += count * profile.memory_slices;
    most = std::max(most, divided_up(count, std::max<std::int64_t>(profile.max_instances, 1)));
  }
  if (board.compute_slices > 0) most = std::max(most, divided_up(compute, board.compute_slices));
  if (board.memory_slices > 0) most = std::max(most, divided_up(memory, board.memory_slices));
  return most;
}

std::optional<Counts> counts_of(const GpuGroup& group) {
  Counts counts;
  for (const MigCount& instance : group.instances) {
    const auto profile = mig::find_profile(*group.mig_board, instance.profile);
    if (!profile || instance.count < 0 || instance.count > kMostInstances) return std::nullopt;
    const auto known = std::ranges::find(counts, *profile, &Counts::value_type::first);
    if (known != counts.end()) {
      known->second += instance.count;  // shared and not shared under two names
    } else {
      counts.emplace_back(*profile, instance.count);
    }
  }
  std::ranges::sort(counts);
  return counts;
}

/// Of a node that does not tell its number of GPUs: as many as its instances need on any board.
void count_at_least(GpuGroup& group) {
  std::int64_t instances = 0;
  for (const MigCount& instance : group.instances) {
    instances += std::clamp<std::int64_t>(instance.count, 0, kMostInstances);
  }
  constexpr auto kPerGpu = static_cast<std::int64_t>(mig::kMaxInstancesPerGpu);
  group.count_basis = CountBasis::kAtLeast;
  group.count =
      group.instances.empty() ? 0 : std::clamp<std::int64_t>((instances + kPerGpu - 1) / kPerGpu, 1, kMostGpus);
}

void lay_out(GpuGroup& group, const Counts& counts, Inventory& inventory) {
  Dealer dealer(*group.mig_board, counts);
  if (group.count > 0) {
    if (auto layouts = dealer.deal(counts, group.count)) group.layouts = std::move(*layouts);
  } else {
    constexpr std::int64_t kMoreTries = 8;
    const std::int64_t least = fewest(*group.mig_board, counts);
    group.count = least;
    group.count_basis = CountBasis::kAtLeast;
    inventory.infer("count (at least)", "MIG instances");
    for (std::int64_t gpus = least; gpus <= std::min(least + kMoreTries, kMostGpus) && group.layouts.empty(); ++gpus) {
      if (auto layouts = dealer.deal(counts, gpus)) {
        group.layouts = std::move(*layouts);
        group.count = gpus;
      }
    }
  }
  if (!group.layouts.empty()) {
    group.layout_basis = Basis::kAssumed;
    inventory.infer("layout assumed", "counts of MIG instances: same on every GPU if possible, lowest starts");
    return;
  }
  inventory.warn(
      Severity::kWarning, "mig-layout-unknown",
      fmt::format("the MIG instances cannot be split over {} GPUs of board {}", group.count, group.mig_board->id),
      "their number or the count of GPUs is out of date");
}

}  // namespace

const mig::Board* board_of_profiles(const std::vector<MigCount>& instances) {
  const mig::Board* found = nullptr;
  if (instances.empty()) return nullptr;
  for (const mig::Board& board : mig::boards()) {
    const bool has_all = std::ranges::all_of(
        instances, [&](const MigCount& instance) { return mig::find_profile(board, instance.profile).has_value(); });
    if (!has_all) continue;
    if (found != nullptr) return nullptr;
    found = &board;
  }
  return found;
}

void split_instances(GpuGroup& group, Inventory& inventory) {
  if (group.mig_board == nullptr || group.instances.empty() || group.count > kMostGpus) {
    if (group.count == 0) count_at_least(group);
    return;
  }
  const std::optional<Counts> counts = counts_of(group);
  if (!counts || total(*counts) == 0 || total(*counts) > kMostInstances) {
    if (group.count == 0) count_at_least(group);
    if (!counts) {
      inventory.warn(
          Severity::kWarning, "mig-layout-unknown",
          fmt::format("board {} does not have all of the MIG profiles that are advertised", group.mig_board->id));
    }
    return;
  }
  lay_out(group, *counts, inventory);
}

}  // namespace gpusched::io
