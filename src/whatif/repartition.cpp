#include "gpusched/whatif/repartition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "gpusched/base/text.hpp"
#include "gpusched/mig/offers.hpp"
#include "gpusched/model/gpu_content.hpp"
#include "whatif/mix_search.hpp"

namespace gpusched::whatif {

namespace {

/// What is the same for all GPUs that can be changed in the same ways.
struct GpuKind {
  std::uint16_t mig_board = 0;
  std::vector<mig::Instance> busy, free;
  bool enable_mig = false;

  auto key() const {
    const auto numbers = [](const std::vector<mig::Instance>& instances) {
      std::vector<int> result;
      for (const mig::Instance& instance : instances) {
        result.push_back(instance.profile << 8 | instance.start);
      }
      return result;
    };
    return std::tuple(mig_board, numbers(busy), numbers(free), enable_mig);
  }
};

struct Place {
  NodeId node;
  std::uint16_t gpu = 0;
};

class Repartition {
 public:
  Repartition(const ClusterUsage& usage, std::vector<MixEntry> mix) : usage_(usage), mix_(std::move(mix)) {}

  RepartitionAnswer run() {
    collect();
    MixProblem problem;
    for (const MixEntry& entry : mix_) {
      problem.wanted.push_back(entry.count);
      problem.slices.push_back(slices_of(entry.profile));
    }
    for (const auto& [kind, places] : kinds_) {
      problem.groups.push_back({static_cast<std::int64_t>(places.size()), kind.enable_mig, mig_offers(kind)});
    }
    const MixSolution solution = solve_mix(problem);
    RepartitionAnswer answer;
    answer.optimal = solution.optimal;
    for (std::size_t i = 0; i < mix_.size(); ++i) {
      answer.rows.push_back({mix_[i].profile, mix_[i].count, std::min(solution.before[i], mix_[i].count),
                             std::min(solution.after[i], mix_[i].count)});
    }
    for (std::size_t group = 0; group < kinds_.size(); ++group) {
      add_gpus(kinds_[group].first, kinds_[group].second, problem.groups[group].offers, solution.choices[group],
               answer.gpus);
    }
    std::ranges::sort(answer.gpus, {}, [&](const RepartitionedGpu& gpu) {
      return std::pair(usage_.shape().name_rank[gpu.node.index()], gpu.gpu);
    });
    return answer;
  }

 private:
  void collect() {
    std::map<decltype(GpuKind{}.key()), std::size_t> index;
    for (const NodeId node : usage_.shape().nodes_by_name) {
      if (usage_.cordoned(node)) {
        continue;
      }
      const NodeClass& node_class = usage_.node_class(node);
      for (std::uint16_t gpu = 0; gpu < node_class.gpus.size(); ++gpu) {
        const std::optional<GpuKind> kind = kind_of(node, gpu);
        if (!kind) {
          continue;
        }
        const auto [entry, added] = index.try_emplace(kind->key(), kinds_.size());
        if (added) {
          kinds_.emplace_back(*kind, std::vector<Place>());
        }
        kinds_[entry->second].second.push_back({node, gpu});
      }
    }
  }

  /// None for a GPU that cannot be partitioned, or is in use as a whole.
  std::optional<GpuKind> kind_of(NodeId node, std::uint16_t index) const {
    const NodeClass& node_class = usage_.node_class(node);
    const Gpu& gpu = node_class.gpus[index];
    GpuKind kind;
    kind.mig_board = usage_.shape().board(gpu).mig_board;
    if (kind.mig_board == kNoMigBoard || !mig::boards()[kind.mig_board].starts_known) {
      return std::nullopt;
    }
    if (!gpu.mig) {
      kind.enable_mig = true;
      const bool unused = gpu.replicas == 1 && usage_.free_milli(node)[index] == kWholeGpuMilli;
      return unused ? std::optional(std::move(kind)) : std::nullopt;
    }
    const std::span<const PodId> holders = usage_.instance_holders(node);
    for (const std::uint16_t i : instances_of(node_class, index)) {
      const MigInstance& instance = node_class.instances[i];
      (holders[i].valid() ? kind.busy : kind.free).push_back({instance.mig_profile, instance.start});
    }
    std::ranges::sort(kind.busy, {}, &mig::Instance::start);
    std::ranges::sort(kind.free, {}, &mig::Instance::start);
    return kind;
  }

  /// Compute slices of a profile; the name starts with them on every board.
  [[nodiscard]] std::int64_t slices_of(std::string_view profile) const {
    for (const auto& [kind, places] : kinds_) {
      const mig::Board& board = mig::boards()[kind.mig_board];
      if (const auto found = mig::find_profile(board, profile)) {
        return board.profiles[*found].compute_slices;
      }
    }
    return 0;
  }

  /// The offers with a count for every entry of the mix: 0 for profiles that the board does not have.
  [[nodiscard]] std::vector<mig::Offer> mig_offers(const GpuKind& kind) const {
    const mig::Board& board = mig::boards()[kind.mig_board];
    std::vector<mig::ProfileIndex> wanted;
    std::vector<std::size_t> entries;
    for (std::size_t i = 0; i < mix_.size(); ++i) {
      if (const auto found = mig::find_profile(board, mix_[i].profile)) {
        wanted.push_back(*found);
        entries.push_back(i);
      }
    }
    std::vector<mig::Offer> result = mig::offers(board, kind.busy, kind.free, wanted);
    for (mig::Offer& offer : result) {
      std::vector<std::uint8_t> counts(mix_.size(), 0);
      for (std::size_t i = 0; i < entries.size(); ++i) {
        counts[entries[i]] = offer.counts[i];
      }
      offer.counts = std::move(counts);
    }
    return result;
  }

  static void add_gpus(const GpuKind& kind, std::span<const Place> places, std::span<const mig::Offer> offers,
                       std::span<const std::size_t> choices, std::vector<RepartitionedGpu>& gpus) {
    for (std::size_t i = 0; i < choices.size(); ++i) {
      if (choices[i] == 0) {
        continue;
      }
      RepartitionedGpu& gpu = gpus.emplace_back();
      gpu.node = places[i].node;
      gpu.gpu = places[i].gpu;
      gpu.mig_board = kind.mig_board;
      gpu.enable_mig = kind.enable_mig;
      gpu.busy = kind.busy;
      gpu.before = offers.front().layout;
      gpu.after = offers[choices[i]].layout;
      const auto missing = [](std::span<const mig::Instance> from, std::span<const mig::Instance> in,
                              std::vector<mig::Instance>& out) {
        std::ranges::copy_if(from, std::back_inserter(out), [&](const mig::Instance& instance) {
          return std::ranges::find(in, instance) == in.end();
        });
      };
      missing(gpu.before, gpu.after, gpu.destroyed);
      missing(gpu.after, gpu.before, gpu.created);
    }
  }

  const ClusterUsage& usage_;
  std::vector<MixEntry> mix_;  // no two entries for one profile of a board
  std::vector<std::pair<GpuKind, std::vector<Place>>> kinds_;
};

/// The MIG boards of the cluster, each once.
std::vector<std::uint16_t> boards_of(const ClusterShape& shape) {
  std::vector<std::uint16_t> boards;
  for (const Board& board : shape.boards) {
    if (board.mig_board != kNoMigBoard) {
      boards.push_back(board.mig_board);
    }
  }
  std::ranges::sort(boards);
  boards.erase(std::ranges::unique(boards).begin(), boards.end());
  return boards;
}

/// Entries that a board of the cluster takes for the same profile ("7g.80gb", "7g.79gb" and "mig-7g.80gb" of an
/// A100-80GB) become one with that board's name, so that an instance serves one of them only.
std::vector<MixEntry> merged(std::span<const MixEntry> mix, std::span<const std::uint16_t> boards) {
  std::vector<MixEntry> result;
  for (const MixEntry& entry : mix) {
    const auto same = [&](MixEntry& other) {
      return std::ranges::any_of(boards, [&](std::uint16_t board) {
        const auto profile = mig::find_profile(mig::boards()[board], entry.profile);
        if (!profile || mig::find_profile(mig::boards()[board], other.profile) != profile) {
          return false;
        }
        other.profile = mig::boards()[board].profiles[*profile].name;
        return true;
      });
    };
    const auto found = std::ranges::find_if(result, same);
    if (found == result.end()) {
      result.push_back(entry);
    } else {
      found->count += entry.count;
    }
  }
  return result;
}

}  // namespace

bool RepartitionAnswer::all_served() const {
  return std::ranges::all_of(rows, [](const MixRow& row) { return row.served == row.wanted; });
}

Result<RepartitionAnswer> repartition_for(const ClusterUsage& usage, std::span<const MixEntry> mix) {
  const std::vector<std::uint16_t> boards = boards_of(usage.shape());
  for (const MixEntry& entry : mix) {
    const bool known = std::ranges::any_of(boards, [&](std::uint16_t board) {
      return mig::find_profile(mig::boards()[board], entry.profile).has_value();
    });
    if (!known) {
      std::vector<std::string> all;
      for (const std::uint16_t board : boards) {
        all.push_back(fmt::format("{}: {}", mig::boards()[board].products.front(),
                                  mig::join_names(mig::boards()[board], mig::all_profiles(mig::boards()[board]))));
      }
      return fail("unknown-profile", fmt::format("no GPU of the cluster has the MIG profile {}", quote(entry.profile)),
                  all.empty() ? "no GPU of the cluster can be partitioned" : join(all, "; "));
    }
  }
  return Repartition(usage, merged(mix, boards)).run();
}

}  // namespace gpusched::whatif
