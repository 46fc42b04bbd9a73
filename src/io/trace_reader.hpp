#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/io/trace.hpp"

namespace gpusched::io {

/// What the readers of all trace formats share: errors with their place, and which jobs are taken.
class TraceCollector {
 public:
  TraceCollector(std::string source, std::string format, std::string_view queue) : queue_(queue) {
    trace_.source = std::move(source);
    trace_.format = std::move(format);
  }

  void error(std::uint32_t line, std::string code, std::string message, std::string hint = {});
  /// A whole number of a cell; none, after an error, for anything else or outside the range.
  [[nodiscard]] std::optional<std::int64_t> whole(std::uint32_t line, std::string_view column, std::string_view text,
                                                  std::int64_t min, std::int64_t max);
  /// Seconds of a cell as milliseconds; none after an error. `min_ms` is the least allowed.
  [[nodiscard]] std::optional<std::int64_t> seconds(std::uint32_t line, std::string_view column, std::string_view text,
                                                    std::int64_t min_ms);
  /// Takes the job, or counts why not. Returns its index; -1 when it is left out.
  std::int64_t add(TraceJob job);
  [[nodiscard]] bool full() const { return errors_.size() >= kMaxErrors; }
  [[nodiscard]] Result<Trace> finish();

 private:
  static constexpr std::size_t kMaxErrors = 1000;

  Trace trace_;
  std::string queue_;
  Diagnostics errors_;
  std::int64_t latest_ms_ = std::numeric_limits<std::int64_t>::min();
  std::uint32_t latest_line_ = 0;
  bool unsorted_ = false;
};

[[nodiscard]] Result<Trace> read_swf(const Source& source, std::string_view queue);
[[nodiscard]] Result<Trace> read_csv_trace(const Source& source, std::string_view queue);
/// Whether a line is a CSV header of a trace.
[[nodiscard]] bool is_trace_header(std::string_view line);

}  // namespace gpusched::io
