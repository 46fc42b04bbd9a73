#include <algorithm>
#include <array>

#include "gang/scheduler.hpp"
#include "gang/simulation.hpp"
#include "gpusched/gang/options.hpp"

namespace gpusched::gang {

namespace {

constexpr std::array kModes = {
    ModeInfo{Mode::kPod, "pod", "the default scheduler: pods one by one, parts of jobs hold what they got", true, true},
    ModeInfo{Mode::kGang, "gang", "all pods of a job or none, in order; with --timeout a part may wait for the rest",
             false, true},
    ModeInfo{Mode::kCoscheduling, "coscheduling", "scheduler-plugins' PodGroup: permit timer and 10 % rule", true},
    ModeInfo{Mode::kNative, "native", "PodGroups of Kubernetes 1.37: minCount on one snapshot or nothing", false, true},
    ModeInfo{Mode::kFifo, "fifo", "the head of the queue blocks the rest (Kueue StrictFIFO)"},
    ModeInfo{Mode::kBefifo, "befifo", "whatever fits starts, in order (Kueue BestEffortFIFO)"},
    ModeInfo{Mode::kSjf, "sjf", "whatever fits starts, shortest first"},
    ModeInfo{Mode::kEasy, "easy", "EASY backfill: later jobs may not delay the head"},
};

}  // namespace

std::span<const ModeInfo> modes() {
  return kModes;
}

const ModeInfo& mode_info(Mode mode) {
  return kModes[static_cast<std::size_t>(mode)];
}

std::optional<Mode> parse_mode(std::string_view name) {
  const auto found = std::ranges::find(kModes, name, &ModeInfo::name);
  return found == kModes.end() ? std::nullopt : std::optional(found->mode);
}

std::unique_ptr<Scheduler> make_scheduler(Simulation& simulation) {
  const Options& options = simulation.options();
  switch (options.mode) {
    case Mode::kPod:
    case Mode::kCoscheduling:
      return make_holding(simulation);
    case Mode::kGang:
      return options.timeout_ms.value_or(0) > 0 ? make_holding(simulation) : make_ordered(simulation);
    case Mode::kEasy:
      return make_easy(simulation);
    case Mode::kNative:
    case Mode::kFifo:
    case Mode::kBefifo:
    case Mode::kSjf:
      break;
  }
  return make_ordered(simulation);
}

}  // namespace gpusched::gang
