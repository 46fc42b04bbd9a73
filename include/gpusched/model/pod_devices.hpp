#pragma once

#include <cstdint>

#include "gpusched/model/cluster_shape.hpp"

namespace gpusched {

/// GPUs, replicas and MIG instances that a pod of the class asks for; parts of a GPU count as one.
[[nodiscard]] inline std::int64_t devices_asked(const PodClass& pod_class) {
  std::int64_t devices = pod_class.gpus;
  for (const MigRequest& request : pod_class.mig) {
    devices += request.count;
  }
  return devices;
}

}  // namespace gpusched
