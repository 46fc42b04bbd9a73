#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/io/source.hpp"

/// Job traces as text tables: the Standard Workload Format and CSV with a header line.
namespace gpusched::io {

/// One job of a trace. Times are milliseconds.
struct TraceJob {
  std::string name, user, queue, model;
  std::int64_t submission_ms = 0;
  std::int64_t duration_ms = 0;
  std::int64_t gpus = 0;          ///< of all pods together
  std::int32_t pods = 0;          ///< 0: the trace does not say
  std::int32_t gpu_milli = 1000;  ///< per GPU
  std::int64_t cpu_milli = 0;     ///< of one pod
  std::int64_t memory_mib = 0;    ///< of one pod
  std::int32_t priority = 0;
  std::int64_t after = -1;    ///< index of the job that must have ended; -1: none
  std::int64_t think_ms = 0;  ///< between that end and the submission
  std::uint32_t line = 0;
};

struct Trace {
  std::string source;  ///< name of the file
  std::string format;  ///< "SWF", "CSV"
  std::vector<TraceJob> jobs;
  std::size_t without_run = 0;   ///< left out: run time unknown or 0, as of cancelled jobs
  std::size_t without_gpus = 0;  ///< left out: they ask for no GPU
  std::size_t other_queues = 0;  ///< left out: of another queue than the one asked for
};

/// Times above this many seconds are errors: sums of a million jobs must fit 63 bits of milliseconds.
inline constexpr std::int64_t kMaxTraceSeconds = 4'000'000'000;

/// Whether a text starts like a trace: with a `;` comment or 18 numbers (SWF), or with a CSV header that has a column
/// for the duration or for the GPUs.
[[nodiscard]] bool looks_like_trace(std::string_view head);

/// Reads a trace; `queue` (may be "") keeps the jobs of one queue only. docs/formats/traces.md has the columns.
/// Errors, each with file and line: unknown or missing columns, values that are no number, NaN, negative durations,
/// more fields than columns, arrivals that go back in time.
[[nodiscard]] Result<Trace> read_trace(const Source& source, std::string_view queue);

/// A number of seconds as milliseconds; none for what is no finite decimal number or out of range.
[[nodiscard]] std::optional<std::int64_t> parse_seconds(std::string_view text);

}  // namespace gpusched::io
