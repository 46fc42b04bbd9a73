#include "kubescheduler/profile.hpp"

#include <algorithm>

namespace gpusched::kubescheduler {

namespace {

using objects::ExtensionPoint;
using objects::PluginSet;

bool disables(const PluginSet& set, std::string_view plugin) {
  return std::ranges::any_of(set.disabled, [&](const std::string& name) { return name == plugin || name == "*"; });
}

const objects::EnabledPlugin* find_enabled(const PluginSet& set, std::string_view plugin) {
  const auto found = std::ranges::find(set.enabled, plugin, &objects::EnabledPlugin::name);
  return found == set.enabled.end() ? nullptr : &*found;
}

}  // namespace

std::string_view scheduler_name_of(const objects::Pod& pod) {
  return pod.spec->scheduler_name.empty() ? std::string_view("default-scheduler") : pod.spec->scheduler_name;
}

const objects::SchedulerProfile& profile_of(const Cycle& cycle) {
  static const objects::SchedulerProfile kDefault;
  const auto* const profile = cycle.options.configuration.find_profile(scheduler_name_of(cycle.pod));
  return profile == nullptr ? kDefault : *profile;
}

bool is_active(const objects::SchedulerProfile& profile, ExtensionPoint point, std::string_view plugin) {
  const PluginSet& own = profile.plugins_at(point);
  const PluginSet& all = profile.plugins_at(ExtensionPoint::kMultiPoint);
  if (find_enabled(own, plugin) != nullptr) {
    return true;
  }
  return !disables(own, plugin) && (find_enabled(all, plugin) != nullptr || !disables(all, plugin));
}

std::vector<const FilterEntry*> active_filters(const objects::SchedulerProfile& profile) {
  std::vector<const FilterEntry*> filters;
  for (const FilterEntry& entry : default_filters()) {
    if (is_active(profile, ExtensionPoint::kFilter, entry.name)) {
      filters.push_back(&entry);
    }
  }
  return filters;
}

std::vector<ActiveScore> active_scores(const objects::SchedulerProfile& profile) {
  std::vector<ActiveScore> scores;
  for (const ScoreEntry& entry : default_scores()) {
    if (!is_active(profile, ExtensionPoint::kScore, entry.name)) {
      continue;
    }
    std::int64_t weight = entry.weight;
    for (const ExtensionPoint point : {ExtensionPoint::kMultiPoint, ExtensionPoint::kScore}) {
      const objects::EnabledPlugin* const enabled = find_enabled(profile.plugins_at(point), entry.name);
      if (enabled != nullptr && enabled->weight.value_or(0) != 0) {
        weight = *enabled->weight;
      }
    }
    scores.push_back({&entry, weight});
  }
  return scores;
}

}  // namespace gpusched::kubescheduler
