#include <algorithm>

#include "gang/scheduler.hpp"
#include "gang/simulation.hpp"
#include "gpusched/gang/options.hpp"

namespace gpusched::gang {

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
