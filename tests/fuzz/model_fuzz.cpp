#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "gpusched/base/text.hpp"
#include "gpusched/frag/fragmentation.hpp"
#include "gpusched/io/model_reader.hpp"
#include "gpusched/placement/place.hpp"
#include "support/fuzz_checks.hpp"

using gpusched::testing::require_readable;

/// Fixtures from the bytes to an answer: clusters with pods and jobs, and hardware files. Whatever is accepted can be
/// placed and measured, and no GPU holds more than it has.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpusched;
  const auto documents = io::parse_documents({"fuzz", std::string(reinterpret_cast<const char*>(data), size)});
  if (!documents) {
    return 0;
  }
  io::ModelReader reader;
  for (const io::Document& document : *documents) {
    if (const auto hardware = io::read_hardware(document); !hardware) {
      require_readable(hardware.error());
    }
    reader.read_cluster(document);
    reader.read_pods(document);
    reader.read_jobs(document);
  }
  Result<io::Model> model = std::move(reader).finish();
  if (!model) {
    require_readable(model.error());
    return 0;
  }
  constexpr std::size_t kMany = 200;  // more only take time
  if (model->pods.size() > kMany || model->usage.shape().nodes.size() > kMany) {
    return 0;
  }
  constexpr int kSizes[] = {1, 2, 8};
  static_cast<void>(placement::place_pods(model->usage, model->pods, {}));
  static_cast<void>(frag::fragmentation(model->usage, kSizes));
  return 0;
}
