#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpusched/io/decode.hpp"
#include "gpusched/objects/pod.hpp"

namespace gpusched::io {

/// How many of something there are on one level of a workload, and the number of the first one.
struct Dimension {
  std::int64_t count = 1;
  std::int64_t first = 0;
};

/// A pod template of a workload.
struct PodTemplate {
  std::string name;  ///< of its pods, without their numbers: "mpijob/train-worker"; of a bare Pod its own
  std::string name_space;
  std::string pointer;                ///< where it stands: "/spec/template"
  objects::Pod pod;                   ///< labels and spec
  std::vector<Dimension> dimensions;  ///< from outside in: the jobs of a JobSet, then the pods of a job
  bool one_pod = false;               ///< a Pod inside of another object
  bool per_node = false;              ///< one pod on every node that it may run on
};

/// Every pod template inside an object. Errors (counts, and those of decoding pods) go to the decoder.
[[nodiscard]] std::vector<PodTemplate> find_pod_templates(Decoder& decoder, const Value& object);

}  // namespace gpusched::io
