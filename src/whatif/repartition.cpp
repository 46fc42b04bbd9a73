#include "gpusched/whatif/repartition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gpusched/base/text.hpp"
#include "whatif/mix_gpus.hpp"
#include "whatif/mix_moves.hpp"

namespace gpusched::whatif {

namespace {

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

/// The mix with an entry for each profile, or "unknown-profile".
Result<std::vector<MixEntry>> known_profiles(const ClusterShape& shape, std::span<const MixEntry> mix) {
  const std::vector<std::uint16_t> boards = boards_of(shape);
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
  return merged(mix, boards);
}

}  // namespace

bool RepartitionAnswer::all_served() const {
  return std::ranges::all_of(rows, [](const MixRow& row) { return row.served == row.wanted; });
}

Result<RepartitionAnswer> repartition_for(const ClusterUsage& usage, std::span<const MixEntry> mix) {
  Result<std::vector<MixEntry>> entries = known_profiles(usage.shape(), mix);
  if (!entries) {
    return std::unexpected(std::move(entries.error()));
  }
  return MixGpus(usage.shape(), std::move(*entries)).best(usage).answer;
}

Result<RepartitionAnswer> repartition_with_moves(ClusterUsage& usage, std::span<const MixEntry> mix,
                                                 const Disruption& disruption, const placement::Options& options) {
  Result<std::vector<MixEntry>> entries = known_profiles(usage.shape(), mix);
  if (!entries) {
    return std::unexpected(std::move(entries.error()));
  }
  MixGpus gpus(usage.shape(), std::move(*entries));
  return MixMoves(usage, gpus, disruption, options).run();
}

}  // namespace gpusched::whatif
