#pragma once

#include <algorithm>
#include <array>

#include "cli/arguments.hpp"
#include "cli/gang_kueue.hpp"
#include "cli/inputs.hpp"
#include "cli/scoring_options.hpp"
#include "gpusched/gang/options.hpp"

namespace gpusched::cli {

/// The modes of the simulation, and Kueue's own admission.
inline constexpr auto kGangModes = [] {
  std::array<std::string_view, gang::kModes.size() + 1> names;
  std::ranges::transform(gang::kModes, names.begin(), &gang::ModeInfo::name);
  names.back() = "kueue";
  return names;
}();
inline constexpr std::array<std::string_view, 3> kOversized = {"error", "drop", "wait"};
inline constexpr std::array<std::string_view, 2> kProgress = {"auto", "never"};
inline constexpr std::array<std::string_view, 3> kPreemption = {"auto", "on", "off"};

inline constexpr std::array kGangOptions = {
    OptionSpec{.name = "mode", .value = "MODE", .help = "who starts when", .choices = kGangModes, .fallback = "gang"},
    OptionSpec{.name = "timeout",
               .value = "SECONDS",
               .help = "how long a part of a job may hold GPUs before it gives them back (gang: 0, coscheduling: 60)"},
    kPolicyOption,
    kViewOption,
    OptionSpec{.name = "gpus",
               .value = "N|NODESxN",
               .help = "instead of CLUSTER: one pool of N GPUs, or equal nodes with N GPUs each"},
    OptionSpec{.name = "queue", .value = "NAME", .help = "of a trace only the jobs of this queue"},
    OptionSpec{.name = "duration",
               .value = "SECONDS",
               .help = "how long jobs run that do not say so: pods and workloads of Kubernetes",
               .fallback = "3600"},
    OptionSpec{.name = "oversized",
               .value = "WHAT",
               .help = "jobs that would not fit the empty cluster are an error, left out, or wait for ever",
               .choices = kOversized,
               .fallback = "error"},
    OptionSpec{.name = "preemption",
               .value = "WHEN",
               .help = "whether jobs evict lower priorities; auto: as the mode has it",
               .choices = kPreemption,
               .fallback = "auto"},
    OptionSpec{.name = "backoff",
               .value = "BASE[,MAX[,LIMIT]]",
               .help = "seconds that a job waits after a time-out, doubled each time up to MAX; given up after LIMIT"},
    OptionSpec{.name = "pending", .help = "run the Pending pods of the dump itself"},
    OptionSpec{.name = "progress",
               .value = "WHEN",
               .help = "a line that tells how far a long run is; auto: on a terminal",
               .choices = kProgress,
               .fallback = "auto",
               .environment = true},
    kNodesOption,
    kHardwareOption,
    kTopoOption,
    kDevicePluginOption,
    kGpuDriversOption,
    kGpuUsageOption,
    kPodsOption,
    kKueueObjectsOption,
    kKueueConfigOption,
    kKueueEventsOption,
    kKueueClockOption,
    kKueueNamespaceOption,
};

/// What the command line asks of a run. Error code "bad-usage".
[[nodiscard]] Result<gang::Options> gang_options(const Arguments& arguments);

}  // namespace gpusched::cli
