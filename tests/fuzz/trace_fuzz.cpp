// Any bytes: the readers of job traces never crash, give either errors with a text or jobs that keep the promises of
// io/trace.hpp, and read their input the same way twice.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "gpusched/base/text.hpp"
#include "gpusched/io/trace.hpp"
#include "support/fuzz_checks.hpp"

using gpusched::testing::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpusched;
  const io::Source source{"fuzz", std::string(reinterpret_cast<const char*>(data), size)};
  static_cast<void>(io::looks_like_trace(source.bytes));
  const Result<io::Trace> trace = io::read_trace(source, "");
  if (!trace) {
    require(!trace.error().empty());
    for (const Diagnostic& diagnostic : trace.error()) {
      require(!diagnostic.code.empty() && !diagnostic.message.empty() && valid_utf8(diagnostic.message));
    }
    return 0;
  }
  require(!trace->jobs.empty());
  std::int64_t latest = INT64_MIN;
  for (std::size_t i = 0; i < trace->jobs.size(); ++i) {
    const io::TraceJob& job = trace->jobs[i];
    require(!job.name.empty() && job.gpus > 0 && job.duration_ms > 0);
    require(job.duration_ms <= io::kMaxTraceSeconds * 2000 && job.submission_ms >= latest);
    require(job.pods >= 0 && (job.pods == 0 || job.gpus % job.pods == 0));
    require(job.after < static_cast<std::int64_t>(i));
    latest = job.submission_ms;
  }
  const Result<io::Trace> again = io::read_trace(source, "");
  require(again && again->jobs.size() == trace->jobs.size());
  return 0;
}
