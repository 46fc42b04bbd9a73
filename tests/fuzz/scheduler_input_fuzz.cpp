#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "gpusched/base/text.hpp"
#include "gpusched/io/cluster_input.hpp"
#include "gpusched/io/scheduler_configuration.hpp"
#include "gpusched/io/scheduler_input.hpp"
#include "io/dump_stream.hpp"
#include "support/fuzz_checks.hpp"

using gpusched::testing::require_readable;

/// Kubernetes objects as the scheduler's informers hold them, and every pod among them as if it came from a file: what
/// LimitRanges, quotas and classes do to it. YAML and JSON documents are read as a KubeSchedulerConfiguration, too.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpusched;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto documents = io::parse_documents({"fuzz", std::string(text)})) {
    for (const io::Document& document : *documents) {
      Diagnostics warnings;
      if (const auto configuration = io::read_scheduler_configuration(document, warnings); !configuration) {
        require_readable(configuration.error());
      }
      require_readable(warnings);
    }
  }
  io::ClusterDump dump;
  io::DumpCollector collector(dump);
  collector.start_source("fuzz");
  Diagnostics errors;
  io::read_dump_stream(*io::stream_of(text), 1, collector, errors);
  require_readable(errors);
  io::SchedulerInputReader reader("default");
  reader.add(dump);
  Result<io::SchedulerInput> input = std::move(reader).finish();
  if (!input) {
    require_readable(input.error());
    return 0;
  }
  for (const io::PodRecord& record : dump.pods) {
    objects::Pod pod = io::to_pod(dump, record, "default");
    pod.meta.uid.clear();
    if (const auto stored = io::store_pod(std::move(pod), *input); !stored) {
      require_readable(stored.error());
    }
  }
  return 0;
}
