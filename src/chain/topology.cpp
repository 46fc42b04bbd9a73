#include "gpusched/chain/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "gpusched/base/text.hpp"
#include "gpusched/chain/units.hpp"

namespace gpusched::chain {

namespace {

constexpr std::string_view kTier = "fabric.topograph.run/tier-";
constexpr std::size_t kMaxLevels = 16;

std::optional<std::uint64_t> tier_of(std::string_view level) {
  if (!level.starts_with(kTier)) return std::nullopt;
  const std::string_view digits = level.substr(kTier.size());
  std::uint64_t tier = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), tier);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return tier;
}

/// Coarse to fine is the highest tier first.
std::vector<std::string> with_tiers_falling(std::span<const std::string> levels) {
  std::vector<std::string> ordered(levels.begin(), levels.end());
  const auto is_tier = [](const std::string& level) { return tier_of(level).has_value(); };
  for (auto first = std::ranges::find_if(ordered, is_tier); first != ordered.end();) {
    const auto last = std::find_if_not(first, ordered.end(), is_tier);
    if (*tier_of(*first) < *tier_of(*(last - 1))) std::reverse(first, last);
    first = std::find_if(last, ordered.end(), is_tier);
  }
  return ordered;
}

bool has_value(const objects::Labels& labels, const std::string& key) {
  const std::string* const value = objects::find(labels, key);
  return value != nullptr && !value->empty();
}

bool selects(const objects::TopologySource& source, const objects::Labels& labels) {
  return std::ranges::all_of(source.node_selector, [&](const auto& entry) {
    const std::string* const value = objects::find(labels, entry.first);
    return value != nullptr && *value == entry.second;
  });
}

}  // namespace

std::vector<std::string> node_levels(std::span<const std::string> levels, const objects::Labels& labels) {
  std::vector<std::string> kept = with_tiers_falling(levels);
  kept.erase(std::ranges::find_if_not(kept, [&](const std::string& level) { return has_value(labels, level); }),
             kept.end());
  kept.emplace_back(kHostname);
  return kept;
}

std::optional<std::string> hierarchy_problem(const objects::TopologySource& source,
                                             std::span<const objects::Node> nodes) {
  const std::vector<std::string> levels = with_tiers_falling(source.levels);
  // By level, the values of the levels above each value.
  std::vector<std::map<std::string, std::vector<std::string>>> parents(levels.size());
  for (const objects::Node& node : nodes) {
    if (!selects(source, node.meta.labels)) continue;
    std::vector<std::string> above;
    for (std::size_t level = 0; level < levels.size(); ++level) {
      const std::string* const value = objects::find(node.meta.labels, levels[level]);
      if (value == nullptr || value->empty()) continue;
      if (above.size() < level) {
        return fmt::format("node {} has the level {} but not {} above it", node.meta.name, quote(levels[level]),
                           quote(levels[above.size()]));
      }
      if (parents[level].try_emplace(*value, above).first->second != above) {
        return fmt::format("{}={} is below different values of the levels above it, for example on node {}",
                           levels[level], *value, node.meta.name);
      }
      above.push_back(*value);
    }
  }
  return std::nullopt;
}

std::span<const std::string> source_levels(std::span<const objects::TopologySource> sources,
                                           const objects::Labels& labels) {
  const objects::TopologySource* chosen = nullptr;
  for (const objects::TopologySource& source : sources) {
    if (!source.ready || !selects(source, labels)) continue;
    if (chosen != nullptr) return {};
    chosen = &source;
  }
  return chosen == nullptr ? std::span<const std::string>() : std::span<const std::string>(chosen->levels);
}

Result<bool> check_source(const objects::TopologySource& source) {
  const auto refuse = [&](std::string message) {
    return fail("invalid-topology-source", fmt::format("TopologySource {}: {}", quote(source.meta.name), message),
                fmt::format("spec.levels takes 1 to {} different label keys without {}", kMaxLevels, kHostname));
  };
  if (source.levels.empty() || source.levels.size() > kMaxLevels) {
    return refuse(fmt::format("{} levels", source.levels.size()));
  }
  std::vector<std::string> sorted = source.levels;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
    return refuse(fmt::format("the level {} is there twice", quote(*twice)));
  }
  if (std::ranges::binary_search(sorted, std::string(kHostname))) {
    return refuse("the hostname is always the last level");
  }
  return true;
}

}  // namespace gpusched::chain
