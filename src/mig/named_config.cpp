#include "gpusched/mig/named_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "gpusched/base/text.hpp"
#include "gpusched/mig/profile.hpp"

namespace gpusched::mig {
namespace {

struct ConfigCount {
  std::string_view profile;  ///< empty: no more counts
  std::uint8_t count = 0;
};

struct ConfigRule {
  std::string_view name;
  std::uint32_t boards;  ///< bit i: boards()[i]
  bool mig_enabled;
  std::array<ConfigCount, 3> counts;
};

constexpr std::uint32_t kAnyBoard = 0xffff'ffff;

#include "mig/named_config_table.inc"

bool rule_names_board(const ConfigRule& rule, const Board& board) {
  const auto index = static_cast<std::size_t>(&board - boards().data());
  return rule.boards == kAnyBoard || (index < boards().size() && ((rule.boards >> index) & 1U) != 0);
}

/// The rule's instances on this board. Nothing if the board lacks one of the profiles, or if a rule for one profile
/// does not ask for its largest count: then the name means another board's profile (all-1g.24gb is four of the H100
/// 94GB's).
std::optional<NamedConfig> apply_rule(const ConfigRule& rule, const Board& board) {
  if (!rule_names_board(rule, board)) return std::nullopt;
  NamedConfig config{.mig_enabled = rule.mig_enabled, .profiles = {}};
  for (const ConfigCount& row : rule.counts) {
    if (row.profile.empty()) continue;
    const auto profile = find_profile(board, row.profile);
    if (!profile || (rule.counts[1].profile.empty() && row.count != board.profiles[*profile].max_instances)) {
      return std::nullopt;
    }
    config.profiles.insert(config.profiles.end(), row.count, *profile);
  }
  std::ranges::sort(config.profiles);
  return config;
}

/// mig-parted's formula: the plain profiles of these compute slices. Nothing for boards of other sizes.
std::optional<NamedConfig> balanced(const Board& board) {
  std::vector<std::uint8_t> slices = {1, 1, 2, 3};
  if (board.compute_slices == 4) slices = {1, 1, 2};
  if (board.compute_slices != 4 && board.compute_slices != 7) return std::nullopt;
  NamedConfig config{.mig_enabled = true, .profiles = {}};
  for (const std::uint8_t wanted : slices) {
    for (const ProfileIndex i : base_profiles(board)) {
      if (board.profiles[i].compute_slices == wanted) config.profiles.push_back(i);
    }
  }
  return config;
}

constexpr std::string_view kAllPrefix = "all-";
constexpr std::string_view kBalanced = "all-balanced";

/// What mig-parted generates from the GPU itself.
std::optional<NamedConfig> generate(std::string_view name, const Board& board) {
  if (name == kBalanced) return balanced(board);
  if (!name.starts_with(kAllPrefix)) return std::nullopt;
  name.remove_prefix(kAllPrefix.size());
  for (const Profile& profile : board.profiles) {
    if (resource_suffix(profile) != name) continue;
    const auto index = static_cast<ProfileIndex>(&profile - board.profiles.data());
    return NamedConfig{.mig_enabled = true, .profiles = std::vector<ProfileIndex>(profile.max_instances, index)};
  }
  return std::nullopt;
}

std::optional<NamedConfig> lookup(std::string_view name, const Board& board) {
  for (const ConfigRule& rule : kConfigRules) {
    if (rule.name != name) continue;
    if (auto config = apply_rule(rule, board)) return config;
  }
  return generate(name, board);
}

bool known_name(std::string_view name) {
  return std::ranges::find(kConfigRules, name, &ConfigRule::name) != std::end(kConfigRules) ||
         std::ranges::any_of(boards(), [&](const Board& board) { return generate(name, board).has_value(); });
}

}  // namespace

Result<NamedConfig> find_named_config(std::string_view name, const Board& board) {
  if (auto config = lookup(name, board)) return *std::move(config);
  const std::string allowed = fmt::format("{} has {}", board.products.front(), fmt::join(named_configs(board), ", "));
  if (!known_name(name)) {
    return fail("mig-config-unknown", fmt::format("there is no MIG configuration {}", quote(name)), allowed);
  }
  return fail(
      "mig-config-not-on-board",
      fmt::format("MIG configuration {} asks for profiles that {} does not have", quote(name), board.products.front()),
      allowed);
}

std::vector<std::string> named_configs(const Board& board) {
  std::set<std::string> names;
  for (const ConfigRule& rule : kConfigRules) {
    if (apply_rule(rule, board)) names.emplace(rule.name);
  }
  for (const Profile& profile : board.profiles) names.insert(std::string(kAllPrefix) + resource_suffix(profile));
  if (balanced(board)) names.emplace(kBalanced);
  return {names.begin(), names.end()};
}

}  // namespace gpusched::mig
