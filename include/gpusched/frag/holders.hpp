#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "gpusched/model/cluster_usage.hpp"

namespace gpusched::frag {

/// To whom a pod belongs, by PodId; invalid texts are unknown.
struct PodOwner {
  StringId group;     ///< what is summed up: a namespace, or the pod's controller
  StringId since;     ///< RFC 3339 in UTC
  bool asked = true;  ///< it is to be listed
};

/// Everything that the pods of one group hold.
struct Holder {
  std::string name;  ///< "(none)" for pods that belong to nobody
  std::int64_t pods = 0;
  std::int64_t gpu_milli = 0;               ///< of exclusive GPUs; 1000 is a whole one
  std::int64_t replicas = 0;                ///< of time-sliced GPUs
  std::map<std::string, std::int64_t> mig;  ///< instances by profile
  std::string since;                        ///< of the oldest of its pods; "" unknown

  bool operator==(const Holder&) const = default;
};

/// Who holds GPUs: those who hold most come first, then by name. Pods without GPUs and those that nobody asked for are
/// left out. `owners` may be shorter than the list of pods.
[[nodiscard]] std::vector<Holder> holders_by(const ClusterUsage& usage, std::span<const PodOwner> owners);

}  // namespace gpusched::frag
