#include "gpusched/mig/layout_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "gpusched/base/text.hpp"
#include "gpusched/mig/named_config.hpp"
#include "gpusched/mig/profile.hpp"

namespace gpusched::mig {
namespace {

std::optional<unsigned> whole_number(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(number)
                                                                                   : std::nullopt;
}

std::optional<ProfileIndex> profile_of_id(const Board& board, unsigned id) {
  for (std::size_t i = 0; i < board.profiles.size(); ++i) {
    if (board.profiles[i].gi_profile_id >= 0 && static_cast<unsigned>(board.profiles[i].gi_profile_id) == id) {
      return static_cast<ProfileIndex>(i);
    }
  }
  return std::nullopt;
}

std::unexpected<Diagnostics> unknown_profile(const Board& board, std::string_view word) {
  std::vector<std::string_view> names;
  for (const Profile& profile : board.profiles) names.push_back(profile.name);
  const std::string nearest = suggest(word, names);
  return fail("mig-profile-unknown",
              fmt::format("{} has no MIG profile {}; it has {}", board.products.front(), quote(word),
                          join_names(board, all_profiles(board))),
              nearest.empty() ? "" : fmt::format("did you mean {}?", nearest));
}

/// One word of the list: [COUNTx]PROFILE[@START].
Result<std::vector<LayoutEntry>> parse_word(const Board& board, std::string_view word) {
  std::size_t count = 1;
  std::string_view name = word;
  if (const std::size_t x = name.find('x'); x != std::string_view::npos) {
    if (const auto number = whole_number(name.substr(0, x))) {
      count = *number;
      name.remove_prefix(x + 1);
    }
  }
  LayoutEntry entry;
  if (const std::size_t at = name.find('@'); at != std::string_view::npos) {
    const auto start = whole_number(name.substr(at + 1));
    if (!start || *start >= 16) {
      return fail("mig-start-illegal", fmt::format("{} does not end in the number of a memory slice", quote(word)));
    }
    entry.start = static_cast<std::uint8_t>(*start);
    name = name.substr(0, at);
  }
  const auto id = whole_number(name);
  const auto profile = id ? profile_of_id(board, *id) : find_profile(board, name);
  if (!profile) return unknown_profile(board, name);
  entry.profile = *profile;
  return std::vector<LayoutEntry>(std::min<std::size_t>(count, board.memory_slices + std::size_t{1}), entry);
}

}  // namespace

Result<WantedLayout> parse_layout(const Board& board, std::string_view text) {
  WantedLayout layout;
  if (text.starts_with("all-")) {
    const auto config = find_named_config(text, board);
    if (!config) return std::unexpected(config.error());
    layout.mig_enabled = config->mig_enabled;
    for (const ProfileIndex profile : config->profiles) layout.entries.push_back({.profile = profile});
    return layout;
  }
  while (!text.empty() && layout.entries.size() <= board.memory_slices) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const auto entries = parse_word(board, text.substr(0, comma));
    if (!entries) return std::unexpected(entries.error());
    layout.entries.insert(layout.entries.end(), entries->begin(), entries->end());
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  if (layout.entries.empty()) {
    return fail("mig-layout-empty", "the MIG layout names no profile",
                fmt::format("name some of {}, or a configuration such as all-balanced",
                            join_names(board, all_profiles(board))));
  }
  return layout;
}

std::string entries_text(const Board& board, std::span<const LayoutEntry> entries) {
  std::string text;
  for (const LayoutEntry& entry : entries) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", board.profiles[entry.profile].name);
    if (entry.start) text += fmt::format("@{}", *entry.start);
  }
  return text.empty() ? "no instances" : text;
}

}  // namespace gpusched::mig
