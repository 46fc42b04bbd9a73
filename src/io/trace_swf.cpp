#include <fmt/format.h>

#include <array>
#include <unordered_map>

#include "gpusched/base/text.hpp"
#include "io/trace_reader.hpp"

// The Standard Workload Format, version 2.2: 18 fields a line, `;` comments, -1 for unknown. Feitelson, Parallel
// Workloads Archive, https://www.cs.huji.ac.il/labs/parallel/workload/swf.html
namespace gpusched::io {

namespace {

constexpr std::size_t kFields = 18;
constexpr std::int64_t kMaxProcessors = 10'000'000;

enum Field : std::size_t {
  kJob = 0,
  kSubmit = 1,
  kRunTime = 3,
  kAllocated = 4,
  kRequested = 7,
  kUser = 11,
  kQueue = 14,
  kPreceding = 16,
  kThink = 17,
};

class SwfReader {
 public:
  SwfReader(const Source& source, std::string_view queue) : text_(source.bytes), out_(source.name, "SWF", queue) {}

  Result<Trace> read() {
    std::uint32_t line = 0;
    for (std::size_t at = 0; at < text_.size() && !out_.full();) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size());
      read_line(++line, text_.substr(at, end - at));
      at = end + 1;
    }
    return out_.finish();
  }

 private:
  // Returns how many fields there are; the first 18 are kept.
  std::size_t split(std::string_view line) {
    std::size_t count = 0;
    while (true) {
      const std::size_t start = line.find_first_not_of(" \t\r");
      if (start == std::string_view::npos) {
        return count;
      }
      line.remove_prefix(start);
      const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
      if (count < kFields) {
        fields_[count] = line.substr(0, end);
      }
      ++count;
      line.remove_prefix(end);
    }
  }

  void read_line(std::uint32_t line, std::string_view text) {
    const std::size_t count = text.starts_with(';') ? 0 : split(text);
    if (count == 0) {
      return;
    }
    if (fields_[0].starts_with(';')) {
      return;
    }
    if (count != kFields) {
      out_.error(line, "bad-swf-line", fmt::format("expected {} fields between blanks, found {}", kFields, count));
      return;
    }
    TraceJob job;
    job.line = line;
    const auto submit = out_.seconds(line, "submit time", fields_[kSubmit], 0);
    const auto run = out_.seconds(line, "run time", fields_[kRunTime], -1000);
    const auto allocated = out_.whole(line, "allocated processors", fields_[kAllocated], -1, kMaxProcessors);
    const auto requested = out_.whole(line, "requested processors", fields_[kRequested], -1, kMaxProcessors);
    const auto preceding = out_.whole(line, "preceding job", fields_[kPreceding], -1, INT64_MAX);
    const auto think = out_.seconds(line, "think time", fields_[kThink], -1000);
    if (!submit || !run || !allocated || !requested || !preceding || !think) {
      return;
    }
    job.name = std::string(fields_[kJob]);
    job.submission_ms = *submit;
    job.duration_ms = *run;
    job.gpus = *allocated > 0 ? *allocated : *requested;
    job.user = known(kUser);
    job.queue = known(kQueue);
    if (const auto found = index_.find(fmt::format("{}", *preceding)); *preceding >= 0 && found != index_.end()) {
      job.after = found->second;
      job.think_ms = std::max<std::int64_t>(0, *think);
    }
    std::string name = job.name;
    if (const std::int64_t index = out_.add(std::move(job)); index >= 0) {
      index_.try_emplace(std::move(name), index);
    }
  }

  [[nodiscard]] std::string known(Field field) const {
    return fields_[field] == "-1" ? std::string() : std::string(fields_[field]);
  }

  std::string_view text_;
  TraceCollector out_;
  std::array<std::string_view, kFields> fields_;
  std::unordered_map<std::string, std::int64_t> index_;
};

}  // namespace

Result<Trace> read_swf(const Source& source, std::string_view queue) {
  return SwfReader(source, queue).read();
}

}  // namespace gpusched::io
