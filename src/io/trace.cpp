#include "gpusched/io/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "gpusched/base/text.hpp"
#include "io/trace_reader.hpp"

namespace gpusched::io {

namespace {

constexpr std::size_t kMaxJobs = 5'000'000;

std::string_view first_line(std::string_view text) {
  const std::size_t start = text.find_first_not_of("\xEF\xBB\xBF \t\r\n");
  return start == std::string_view::npos ? std::string_view() : text.substr(start, text.find('\n', start) - start);
}

bool is_swf_line(std::string_view line) {
  std::size_t fields = 0;
  while (!line.empty()) {
    const std::size_t start = line.find_first_not_of(" \t\r");
    if (start == std::string_view::npos) {
      break;
    }
    line.remove_prefix(start);
    const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
    if (line.substr(0, end).find_first_not_of("+-.0123456789eE") != std::string_view::npos) {
      return false;
    }
    line.remove_prefix(end);
    ++fields;
  }
  return fields >= 11;
}

}  // namespace

std::optional<std::int64_t> parse_seconds(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) ||
      std::abs(value) > static_cast<double>(kMaxTraceSeconds)) {
    return std::nullopt;
  }
  return std::llround(value * 1000.0);
}

bool looks_like_trace(std::string_view head) {
  const std::string_view line = first_line(head);
  return line.starts_with(';') || is_swf_line(line) || is_trace_header(line);
}

Result<Trace> read_trace(const Source& source, std::string_view queue) {
  const std::string_view line = first_line(source.bytes);
  return is_trace_header(line) ? read_csv_trace(source, queue) : read_swf(source, queue);
}

void TraceCollector::error(std::uint32_t line, std::string code, std::string message, std::string hint) {
  Diagnostic& diagnostic = errors_.emplace_back();
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.source = trace_.source;
  diagnostic.line = line;
  diagnostic.hint = std::move(hint);
}

std::optional<std::int64_t> TraceCollector::whole(std::uint32_t line, std::string_view column, std::string_view text,
                                                  std::int64_t min, std::int64_t max) {
  std::int64_t value = 0;
  const char* const last = text.data() + text.size();
  const char* const first = text.data() + (text.starts_with('+') ? 1 : 0);
  auto [end, failed] = std::from_chars(first, last, value);
  // "8.0" is what a spreadsheet makes of 8.
  if (failed == std::errc() && end != last && *end == '.' &&
      std::string_view(end + 1, last).find_first_not_of('0') == std::string_view::npos) {
    end = last;
  }
  if (failed != std::errc() || end != last || value < min || value > max) {
    error(line, "out-of-range",
          fmt::format("{}: expected a whole number from {} to {}, found {}", column, min, max, quote(text)));
    return std::nullopt;
  }
  return value;
}

std::optional<std::int64_t> TraceCollector::seconds(std::uint32_t line, std::string_view column, std::string_view text,
                                                    std::int64_t min_ms) {
  const std::optional<std::int64_t> ms = parse_seconds(text);
  if (!ms || *ms < min_ms) {
    error(line, "out-of-range",
          fmt::format("{}: expected seconds from {} to {}, found {}", column, min_ms / 1000, kMaxTraceSeconds,
                      quote(text)));
    return std::nullopt;
  }
  return ms;
}

std::int64_t TraceCollector::add(TraceJob job) {
  if (!queue_.empty() && job.queue != queue_) {
    ++trace_.other_queues;
    return -1;
  }
  if (job.submission_ms < latest_ms_ && !unsorted_) {
    unsorted_ = true;
    error(job.line, "unsorted-arrivals",
          fmt::format("the job arrives at {} s, before the one on line {}, which arrives at {} s",
                      static_cast<double>(job.submission_ms) / 1000.0, latest_line_,
                      static_cast<double>(latest_ms_) / 1000.0),
          "sort the trace by arrival, or choose one of its queues with --queue");
  }
  latest_ms_ = job.submission_ms;
  latest_line_ = job.line;
  if (job.duration_ms <= 0) {
    ++trace_.without_run;
    return -1;
  }
  if (job.gpus <= 0) {
    ++trace_.without_gpus;
    return -1;
  }
  if (trace_.jobs.size() == kMaxJobs) {
    error(job.line, "too-many-jobs", fmt::format("the trace has more than {} jobs", kMaxJobs));
    errors_.resize(kMaxErrors, errors_.back());
    return -1;
  }
  trace_.jobs.push_back(std::move(job));
  return std::ssize(trace_.jobs) - 1;
}

Result<Trace> TraceCollector::finish() {
  if (errors_.empty() && trace_.jobs.empty()) {
    error(0, "no-jobs",
          trace_.other_queues > 0 ? fmt::format("no job of the trace is in the queue {}", quote(queue_))
                                  : "the trace has no job that runs on a GPU");
  }
  if (!errors_.empty()) {
    return std::unexpected(std::move(errors_));
  }
  return std::move(trace_);
}

}  // namespace gpusched::io
