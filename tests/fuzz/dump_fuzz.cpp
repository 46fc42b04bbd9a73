#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "gpusched/io/model_reader.hpp"
#include "gpusched/io/workloads.hpp"
#include "io/dump_stream.hpp"

// A kubectl dump from the bytes to the model: whatever the bytes are, it ends, with objects or with errors, and the
// number of threads changes nothing.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpusched;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto read = [&](std::size_t jobs, io::ClusterDump& dump, Diagnostics& errors) {
    io::DumpCollector collector(dump);
    collector.start_source("fuzz");
    io::read_dump_stream(*io::stream_of(text), jobs, collector, errors);
  };
  io::ClusterDump dump;
  Diagnostics errors;
  read(1, dump, errors);
  io::ClusterDump again;
  Diagnostics again_errors;
  read(2, again, again_errors);
  if (errors != again_errors || dump.pods.size() != again.pods.size() || dump.nodes.size() != again.nodes.size()) {
    std::abort();
  }
  if (errors.empty()) {
    io::ModelReader reader;
    const std::size_t pods = again.pods.size();
    const Diagnostics found = io::expand_workloads(again);
    static_cast<void>(io::admit_pods(again));
    // Many pods of one workload would only take time.
    if (again.pods.size() < pods + 1000) {
      reader.read_pending(again);
    }
    reader.read_pending(dump);
    reader.read_dump(dump);
    static_cast<void>(std::move(reader).finish());
  }
  return 0;
}
