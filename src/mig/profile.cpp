#include "gpusched/mig/profile.hpp"

#include <algorithm>
#include <utility>

namespace gpusched::mig {
namespace {

/// Names that other drivers give the profiles of one board. The slots and GI profile ids are the same.
struct ProfileAlias {
  std::string_view board;
  std::string_view alias;
  std::string_view name;
};

constexpr ProfileAlias kProfileAliases[] = {
    // Seen as a GFD label value beside the resource mig-3g.20gb; the instance has 20096 MiB.
    {"a100-40gb", "3g.21gb", "3g.20gb"},
    {"a100-40gb", "4g.21gb", "4g.20gb"},  // the same slices of memory
    // A100 80GB PCIe, and drivers 535 and 545: names follow the total memory that the driver reports.
    {"a100-80gb", "7g.79gb", "7g.80gb"},
    {"a100-80gb", "3g.39gb", "3g.40gb"},
    {"a100-80gb", "4g.39gb", "4g.40gb"},  // the same slices of memory
    // GB200 drivers of March 2025; mig-parted's list still carries these names.
    {"gb200-186gb", "1g.24gb", "1g.23gb"},
    {"gb200-186gb", "1g.24gb+me", "1g.23gb+me"},
    {"gb200-186gb", "3g.95gb", "3g.93gb"},
    {"gb200-186gb", "4g.95gb", "4g.93gb"},
    {"gb200-186gb", "7g.189gb", "7g.186gb"},
};

constexpr std::string_view kResourceDomain = "nvidia.com/";
constexpr std::string_view kMigPrefix = "mig-";

/// Resource names and labels cannot carry a "+".
std::string without_plus(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '+', '.');
  return text;
}

std::optional<ProfileIndex> find_spelling(const Board& board, std::string_view spelling) {
  for (std::size_t i = 0; i < board.profiles.size(); ++i) {
    if (without_plus(board.profiles[i].name) == spelling) return static_cast<ProfileIndex>(i);
  }
  return std::nullopt;
}

}  // namespace

ProfileSet all_profiles(const Board& board) {
  return ProfileSet(static_cast<std::uint16_t>((1U << board.profiles.size()) - 1));
}

ProfileSet base_profiles(const Board& board) {
  ProfileSet set;
  for (const ProfileIndex i : all_profiles(board)) {
    if (board.profiles[i].base()) set.insert(i);
  }
  return set;
}

std::optional<ProfileIndex> find_profile(const Board& board, std::string_view name) {
  if (name.starts_with(kResourceDomain)) name.remove_prefix(kResourceDomain.size());
  if (name.starts_with(kMigPrefix)) name.remove_prefix(kMigPrefix.size());
  const std::string spelling = without_plus(name);
  if (const auto found = find_spelling(board, spelling)) return found;
  for (const ProfileAlias& row : kProfileAliases) {
    if (row.board == board.id && without_plus(row.alias) == spelling)
      return find_spelling(board, without_plus(row.name));
  }
  return std::nullopt;
}

std::string resource_suffix(const Profile& profile) {
  return without_plus(profile.name);
}

std::string resource_name(const Profile& profile) {
  std::string name(kResourceDomain);
  name += kMigPrefix;
  return name + resource_suffix(profile);
}

std::string join_names(const Board& board, ProfileSet profiles) {
  if (profiles.empty()) return "none";
  std::string text;
  for (const ProfileIndex i : profiles) {
    if (!text.empty()) text += ", ";
    text += board.profiles[i].name;
  }
  return text;
}

std::uint32_t name_gb(std::uint64_t slice_mib, std::uint64_t total_mib) {
  if (total_mib == 0) return 0;
  const std::uint64_t eighths = (8 * slice_mib + total_mib - 1) / total_mib;
  const std::uint64_t total_gib = (total_mib + 1023) / 1024;
  return static_cast<std::uint32_t>((eighths * total_gib + 4) / 8);
}

}  // namespace gpusched::mig
