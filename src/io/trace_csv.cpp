#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <span>

#include "gpusched/base/ascii.hpp"
#include "gpusched/base/text.hpp"
#include "io/csv.hpp"
#include "io/trace_reader.hpp"

// CSV traces. One table of column names reads the plain format and those of published traces: Philly as prepared by
// Gavel (vc, job, arrival_s, num_gpus, duration_s), Tiresias (job_id, num_gpu, submit_time, duration), Helios and
// AcmeTrace (job_id, user, vc, gpu_num, node_num, submit_time, duration), Alibaba's openb (name, num_gpu, gpu_milli,
// creation_time, scheduled_time, deletion_time).
namespace gpusched::io {

namespace {

constexpr std::int64_t kMaxGpus = 1'000'000;
constexpr std::int64_t kMaxAmount = std::int64_t{1} << 40;

enum Column : std::size_t {
  kName,
  kUser,
  kQueue,
  kArrival,
  kDuration,
  kStart,
  kEnd,
  kGpus,
  kGpusPerPod,
  kPods,
  kNodes,
  kGpuMilli,
  kCpuMilli,
  kMemoryMib,
  kModel,
  kPriority,
  kColumns,
};

// The names of each column, blanks between them, the preferred one first: of two in one header the earlier one counts.
// In Helios `queue` is a time and `vc` the queue.
constexpr std::array<std::string_view, kColumns> kColumnNames = {
    "name job job_id jobid id",
    "user user_id",
    "vc queue partition",
    "arrival arrival_s submission submit_time submit creation_time",
    "duration duration_s run_time runtime",
    "scheduled_time start_time start",
    "deletion_time end_time end",
    "gpus num_gpus num_gpu gpu_num",
    "gpus_per_pod gpus_per_worker",
    "pods workers replicas",
    "node_num",
    "gpu_milli",
    "cpu_milli",
    "memory_mib",
    "gpu_model gpu_type gpu_spec",
    "priority",
};

std::vector<std::string_view> names(Column column) {
  std::vector<std::string_view> list;
  for (std::string_view rest = kColumnNames[column]; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    list.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return list;
}

constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);

using Places = std::array<std::size_t, kColumns>;

Places find_columns(std::span<const std::string> header) {
  Places places;
  places.fill(kAbsent);
  for (std::size_t column = 0; column < kColumns; ++column) {
    for (const std::string_view name : names(static_cast<Column>(column))) {
      const auto found = std::ranges::find(header, name, [](std::string_view word) { return ascii_lower(word); });
      if (found != header.end() && places[column] == kAbsent) {
        places[column] = static_cast<std::size_t>(found - header.begin());
      }
    }
  }
  return places;
}

std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count) {
  int value = 0;
  const std::string_view part = text.substr(std::min(at, text.size()), count);
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
  return error == std::errc() && part.size() == count && end == part.data() + count && value >= 0 ? std::optional(value)
                                                                                                  : std::nullopt;
}

/// "2020-04-01 00:00:00", also with a T between and a Z, a zone or a fraction behind (left alone), as milliseconds
/// since 1970 in its own zone.
std::optional<std::int64_t> parse_time_stamp(std::string_view text) {
  const auto year = digits(text, 0, 4);
  const auto month = digits(text, 5, 2);
  const auto day = digits(text, 8, 2);
  const auto hour = digits(text, 11, 2);
  const auto minute = digits(text, 14, 2);
  const auto second = digits(text, 17, 2);
  if (!year || !month || !day || !hour || !minute || !second || text[4] != '-' || *month < 1 || *month > 12 ||
      *day < 1 || *day > 31) {
    return std::nullopt;
  }
  // Days since 1970: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms".
  const int y = *year - (*month <= 2 ? 1 : 0);
  const int era = y / 400;
  const int of_era = y - era * 400;
  const int of_year = (153 * (*month + (*month > 2 ? -3 : 9)) + 2) / 5 + *day - 1;
  const std::int64_t days = std::int64_t{era} * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
  return (days * 86400 + *hour * 3600 + *minute * 60 + *second) * 1000;
}

class CsvTraceReader {
 public:
  CsvTraceReader(const Source& source, std::string_view queue) : csv_(source.bytes), out_(source.name, "CSV", queue) {}

  Result<Trace> read();

 private:
  bool read_header();
  void read_record();
  [[nodiscard]] bool read_times(TraceJob& job);
  [[nodiscard]] bool read_demand(TraceJob& job);
  [[nodiscard]] std::string_view cell(Column column) const {
    return places_[column] < cells_.size() ? std::string_view(cells_[places_[column]]) : std::string_view();
  }
  [[nodiscard]] std::optional<std::int64_t> time(Column column, std::int64_t min_ms);
  [[nodiscard]] std::optional<std::int64_t> number(Column column, std::int64_t fallback, std::int64_t min,
                                                   std::int64_t max);

  CsvReader csv_;
  TraceCollector out_;
  std::vector<std::string> header_, cells_;
  Places places_{};
  std::optional<std::int64_t> zero_ms_;  // of time stamps: the first arrival
};

Result<Trace> CsvTraceReader::read() {
  if (read_header()) {
    while (!out_.full() && csv_.next(cells_)) {
      if (csv_.unclosed()) {
        out_.error(csv_.line(), "unclosed-quote", "a cell starts with a quote that is never closed");
      } else if (cells_.size() != header_.size()) {
        out_.error(csv_.line(), "bad-csv-line",
                   fmt::format("expected {} cells as in the header, found {}", header_.size(), cells_.size()));
      } else {
        read_record();
      }
    }
  }
  return out_.finish();
}

bool CsvTraceReader::read_header() {
  if (!csv_.next(header_)) {
    return false;
  }
  if (header_.front().starts_with("\xEF\xBB\xBF")) {
    header_.front().erase(0, 3);
  }
  places_ = find_columns(header_);
  const auto require = [&](bool there, std::string_view what, Column column) {
    if (!there) {
      out_.error(csv_.line(), "missing-column", fmt::format("there is no column for the {}", what),
                 fmt::format("name it one of: {}", join(names(column), ", ")));
    }
    return there;
  };
  const bool arrival = require(places_[kArrival] != kAbsent, "arrival", kArrival);
  const bool duration = require(places_[kDuration] != kAbsent || places_[kEnd] != kAbsent, "duration", kDuration);
  const bool gpus = require(places_[kGpus] != kAbsent || places_[kGpusPerPod] != kAbsent, "GPUs", kGpus);
  return arrival && duration && gpus;
}

std::optional<std::int64_t> CsvTraceReader::time(Column column, std::int64_t min_ms) {
  const std::string_view text = cell(column);
  if (text.find_first_of(":") != std::string_view::npos) {
    if (const std::optional<std::int64_t> stamp = parse_time_stamp(text)) {
      zero_ms_ = zero_ms_.value_or(*stamp);
      if (std::abs(*stamp - *zero_ms_) <= kMaxTraceSeconds * 1000) {
        return *stamp - *zero_ms_;
      }
      out_.error(csv_.line(), "out-of-range",
                 fmt::format("{}: {} is more than {} seconds away from the first time in the file",
                             header_[places_[column]], quote(text), kMaxTraceSeconds));
      return std::nullopt;
    }
  }
  return out_.seconds(csv_.line(), header_[places_[column]], text, min_ms);
}

std::optional<std::int64_t> CsvTraceReader::number(Column column, std::int64_t fallback, std::int64_t min,
                                                   std::int64_t max) {
  const std::string_view text = cell(column);
  return text.empty() ? std::optional(fallback) : out_.whole(csv_.line(), header_[places_[column]], text, min, max);
}

bool CsvTraceReader::read_times(TraceJob& job) {
  const std::optional<std::int64_t> arrival = time(kArrival, 0);
  if (!arrival) {
    return false;
  }
  job.submission_ms = *arrival;
  if (places_[kDuration] != kAbsent) {
    const std::optional<std::int64_t> duration =
        out_.seconds(csv_.line(), header_[places_[kDuration]], cell(kDuration), 0);
    job.duration_ms = duration.value_or(0);
    return duration.has_value();
  }
  if (cell(kEnd).empty() || (places_[kStart] != kAbsent && cell(kStart).empty())) {
    return true;  // it never ran: left out as a job without a run time
  }
  const std::optional<std::int64_t> start = places_[kStart] != kAbsent ? time(kStart, 0) : arrival;
  const std::optional<std::int64_t> end = time(kEnd, 0);
  if (!start || !end) {
    return false;
  }
  if (*end < *start) {
    out_.error(csv_.line(), "out-of-range",
               fmt::format("the job ends at {}, before it starts at {}", quote(cell(kEnd)),
                           quote(places_[kStart] != kAbsent ? cell(kStart) : cell(kArrival))));
    return false;
  }
  job.duration_ms = *end - *start;
  return true;
}

bool CsvTraceReader::read_demand(TraceJob& job) {
  const auto gpus = number(kGpus, 0, 0, kMaxGpus);
  const auto per_pod = number(kGpusPerPod, 0, 0, kMaxGpus);
  const auto pods = number(kPods, 0, 1, kMaxGpus);
  const auto nodes = number(kNodes, 0, 0, kMaxGpus);
  const auto milli = number(kGpuMilli, 1000, 0, 1000);
  const auto cpu = number(kCpuMilli, 0, 0, kMaxAmount);
  const auto memory = number(kMemoryMib, 0, 0, kMaxAmount);
  const auto priority = number(kPriority, 0, INT32_MIN, INT32_MAX);
  if (!gpus || !per_pod || !pods || !nodes || !milli || !cpu || !memory || !priority) {
    return false;
  }
  job.priority = static_cast<std::int32_t>(*priority);
  job.cpu_milli = *cpu;
  job.memory_mib = *memory;
  job.gpu_milli = *milli > 0 ? static_cast<std::int32_t>(*milli) : 1000;
  job.model = cell(kModel).find('|') == std::string_view::npos ? std::string(cell(kModel)) : std::string();
  // With a number of pods the GPUs are those of each; a number of nodes only tells how many there were.
  const std::int64_t each = places_[kGpusPerPod] != kAbsent ? *per_pod : *gpus;
  const std::int64_t count = places_[kPods] != kAbsent ? std::max<std::int64_t>(*pods, 1) : 0;
  if (count > 0 || places_[kGpusPerPod] != kAbsent) {
    const std::int64_t of_all = std::max<std::int64_t>(count, 1);
    if (each > kMaxGpus / of_all) {
      out_.error(csv_.line(), "out-of-range", fmt::format("a job may have {} GPUs at most", kMaxGpus));
      return false;
    }
    job.pods = static_cast<std::int32_t>(of_all);
    job.gpus = each * of_all;
  } else {
    job.gpus = *gpus;
    job.pods = *nodes > 0 && *gpus % *nodes == 0 ? static_cast<std::int32_t>(*nodes) : 0;
  }
  return true;
}

void CsvTraceReader::read_record() {
  TraceJob job;
  job.line = csv_.line();
  job.name = std::string(cell(kName));
  job.user = std::string(cell(kUser));
  job.queue = std::string(cell(kQueue));
  if (job.name.empty()) {
    job.name = fmt::format("line-{}", job.line);
  }
  if (read_times(job) && read_demand(job)) {
    out_.add(std::move(job));
  }
}

}  // namespace

bool is_trace_header(std::string_view line) {
  if (line.find(',') == std::string_view::npos || line.find_first_of("{}[]:;") != std::string_view::npos) {
    return false;
  }
  std::vector<std::string> header;
  static_cast<void>(CsvReader(line).next(header));
  const Places places = find_columns(header);
  const auto found = std::ranges::count_if(places, [](std::size_t place) { return place != kAbsent; });
  return found >= 2 && (places[kDuration] != kAbsent || places[kEnd] != kAbsent || places[kGpus] != kAbsent ||
                        places[kGpusPerPod] != kAbsent);
}

Result<Trace> read_csv_trace(const Source& source, std::string_view queue) {
  return CsvTraceReader(source, queue).read();
}

}  // namespace gpusched::io
