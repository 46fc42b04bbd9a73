#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "gpusched/placement/options.hpp"

namespace gpusched::gang {

/// Who decides which job starts when.
enum class Mode : std::uint8_t {
  kPod,           ///< kube-scheduler without gangs: pods of all jobs interleave, and each one that fits is bound
  kGang,          ///< all pods of a job or none; with a timeout a part may wait for the rest that long
  kCoscheduling,  ///< scheduler-plugins' PodGroup: permit timer, and the whole group goes when more than 10 % is
                  ///< missing
  kNative,        ///< Kubernetes 1.37's PodGroup: minCount of a group or nothing, on one snapshot
  kFifo,          ///< the head of the queue blocks the rest (Kueue StrictFIFO)
  kBefifo,        ///< whatever fits starts, in order (Kueue BestEffortFIFO)
  kSjf,           ///< the same, shortest first
  kEasy,          ///< the head has a reservation, and later jobs may not delay it (EASY backfill)
};

/// What there is to know of a mode beside what it does.
struct ModeInfo {
  Mode mode;
  std::string_view name;
  bool holds = false;     ///< a part of a job may hold GPUs while it waits
  bool preempts = false;  ///< a job may evict lower priorities, unless the run says otherwise
};

/// By Mode.
inline constexpr std::array kModes = {
    ModeInfo{Mode::kPod, "pod", true, true},
    ModeInfo{Mode::kGang, "gang", false, true},
    ModeInfo{Mode::kCoscheduling, "coscheduling", true},
    ModeInfo{Mode::kNative, "native", false, true},
    ModeInfo{Mode::kFifo, "fifo"},
    ModeInfo{Mode::kBefifo, "befifo"},
    ModeInfo{Mode::kSjf, "sjf"},
    ModeInfo{Mode::kEasy, "easy"},
};

[[nodiscard]] const ModeInfo& mode_info(Mode mode);
[[nodiscard]] std::optional<Mode> parse_mode(std::string_view name);

/// How long a job waits after its n-th timeout: base × 2^(n-1), at most `max`. After more than `limit` of them it is
/// given up. Kueue's waitForPodsReady.requeuingStrategy has 60 s, 3600 s and no limit.
struct Backoff {
  std::int64_t base_ms = 0;
  std::int64_t max_ms = 3'600'000;
  std::optional<std::int32_t> limit;
};

struct Options {
  Mode mode = Mode::kGang;
  placement::Options placement;
  /// How long a part of a job may hold GPUs before it gives them back; none: as the mode has it (gang: 0, all or
  /// nothing at once; coscheduling: permitWaitingTimeSeconds, 60 s; pod: for ever).
  std::optional<std::int64_t> timeout_ms;
  std::optional<bool> preemption;  ///< none: as the mode has it
  std::optional<Backoff> backoff;  ///< none: as the mode has it (coscheduling: pod back-off, 1 to 10 s; else none)
  bool stays = false;              ///< also tell where every pod was from when to when
  /// Called from time to time with the number of jobs that have ended; may be empty.
  std::function<void(std::size_t ended)> progress;
};

}  // namespace gpusched::gang
