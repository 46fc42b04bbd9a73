#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/io/source.hpp"

namespace gpusched::io {

/// A GPU or MIG instance that the DCGM exporter of a node reports, and the pod on it.
struct GpuUse {
  std::string node;       ///< "" when no label names it
  std::int32_t gpu = -1;  ///< index on the node; -1 unknown
  std::string uuid;       ///< of the GPU, also for a MIG instance; "" unknown
  std::string namespace_name;
  std::string pod;  ///< "": the GPU was seen with no pod on it
  std::string container;
  std::int32_t mig_instance = -1;  ///< GPU instance id; -1: the whole GPU
  std::string mig_profile;         ///< "1g.10gb"; "" whole GPU

  bool operator==(const GpuUse&) const = default;
};

/// Reads the exporter's metrics (Prometheus text format, docs/formats/gpu-usage.md): which pod holds which GPU, which a
/// dump of pods does not tell. Each pair of GPU and container once, in the order of the text; a GPU on which some line
/// names a pod is not listed as free. Metrics that are not DCGM's are skipped unread.
/// Errors: a DCGM line that breaks the format, a label that is not UTF-8, no DCGM metric at all.
[[nodiscard]] Result<std::vector<GpuUse>> parse_gpu_usage(const Source& source);

}  // namespace gpusched::io
