#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kubescheduler/plugins.hpp"

namespace gpusched::kubescheduler {

/// The profile that schedules the cycle's pod.
[[nodiscard]] const objects::SchedulerProfile& profile_of(const Cycle& cycle);

/// "default-scheduler" when the pod names none.
[[nodiscard]] std::string_view scheduler_name_of(const objects::Pod& pod);

struct ActiveScore {
  const ScoreEntry* entry = nullptr;
  std::int64_t weight = 1;
};

/// The default plugins that the profile leaves on, in the order in which the scheduler runs them.
[[nodiscard]] std::vector<const FilterEntry*> active_filters(const objects::SchedulerProfile& profile);
[[nodiscard]] std::vector<ActiveScore> active_scores(const objects::SchedulerProfile& profile);
/// Whether a plugin hooks in at a point.
[[nodiscard]] bool is_active(const objects::SchedulerProfile& profile, objects::ExtensionPoint point,
                             std::string_view plugin);

}  // namespace gpusched::kubescheduler
