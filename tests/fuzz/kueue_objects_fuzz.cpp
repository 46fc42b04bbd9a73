#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "gpusched/base/text.hpp"
#include "gpusched/io/kueue_objects.hpp"
#include "gpusched/kueue/admission.hpp"
#include "support/fuzz_checks.hpp"

using gpusched::testing::require;
using gpusched::testing::require_readable;

namespace {

namespace io = gpusched::io;

constexpr std::size_t kManyWorkloads = 30;

/// Whatever was read, the queues come to an end, and every Workload is in one list.
void admit(const gpusched::objects::KueueObjects& objects) {
  constexpr std::int64_t kYear2030 = 1'893'456'000;
  if (objects.workloads.size() > kManyWorkloads || objects.cluster_queues.size() > kManyWorkloads) return;
  const auto answer = gpusched::kueue::simulate_admission(objects, {}, kYear2030, {});
  require(answer &&
          answer->admitted.size() + answer->pending.size() + answer->finished.size() <= objects.workloads.size());
}

}  // namespace

/// Documents are read as Kueue's objects, as its configuration and as events: nothing crashes and every error has a
/// text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto documents = io::parse_documents({"fuzz", std::string(reinterpret_cast<const char*>(data), size)});
  if (!documents) {
    return 0;
  }
  gpusched::objects::KueueObjects objects;
  gpusched::io::ClusterDump jobs;
  bool good = true;
  for (const io::Document& document : *documents) {
    io::Decoder decoder(document);
    if (!io::decode_kueue_object(decoder, document.root, objects)) {
      jobs.others.push_back(document);
    }
    good &= !decoder.failed();
    require_readable(decoder.take_diagnostics());
    if (const auto configuration = io::read_kueue_configuration(document); !configuration) {
      require_readable(configuration.error());
    }
  }
  io::KueueInputReader reader("default");
  reader.add_jobs(jobs);
  if (auto of_jobs = std::move(reader).finish(); !of_jobs) {
    require_readable(of_jobs.error());
  } else if (of_jobs->workloads.size() < kManyWorkloads) {
    std::ranges::move(of_jobs->workloads, std::back_inserter(objects.workloads));
  }
  if (const auto events = io::read_kueue_events(*documents, "default"); !events) {
    require_readable(events.error());
  }
  if (good) {
    admit(objects);
  }
  return 0;
}
