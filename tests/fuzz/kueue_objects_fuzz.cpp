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

/// Whatever was read, the queues come to an end, and every Workload is in one list.
void admit(const gpusched::objects::KueueObjects& objects) {
  constexpr std::size_t kMany = 30;
  constexpr std::int64_t kYear2030 = 1'893'456'000;
  if (objects.workloads.size() > kMany || objects.cluster_queues.size() > kMany) return;
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
  bool good = true;
  for (const io::Document& document : *documents) {
    io::Decoder decoder(document);
    (void)io::decode_kueue_object(decoder, document.root, objects);
    good &= !decoder.failed();
    require_readable(decoder.take_diagnostics());
    if (const auto configuration = io::read_kueue_configuration(document); !configuration) {
      require_readable(configuration.error());
    }
  }
  if (const auto events = io::read_kueue_events(*documents, "default"); !events) {
    require_readable(events.error());
  }
  if (good) {
    admit(objects);
  }
  return 0;
}
