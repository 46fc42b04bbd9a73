// Any bytes: the reader of DCGM metrics never crashes, gives either errors with a text or uses of known GPUs, and reads
// its input the same way twice.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "gpusched/base/text.hpp"
#include "gpusched/io/gpu_usage.hpp"
#include "support/fuzz_checks.hpp"

using gpusched::testing::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpusched;
  const io::Source source{"fuzz", std::string(reinterpret_cast<const char*>(data), size)};
  const Result<std::vector<io::GpuUse>> uses = io::parse_gpu_usage(source);
  if (!uses) {
    require(!uses.error().empty());
    for (const Diagnostic& diagnostic : uses.error()) {
      require(!diagnostic.code.empty() && !diagnostic.message.empty() && valid_utf8(diagnostic.message));
    }
    return 0;
  }
  for (const io::GpuUse& use : *uses) {
    require(use.gpu >= 0 || !use.uuid.empty());
    require(valid_utf8(use.node + use.uuid + use.namespace_name + use.pod + use.container + use.mig_profile));
    require(use.mig_instance < 0 || !use.mig_profile.empty());
  }
  require(io::parse_gpu_usage(source) == uses);
  return 0;
}
