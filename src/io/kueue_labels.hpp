#pragma once

#include <string_view>

/// Labels of Kueue 0.17 that several readers look at.
namespace gpusched::io {

inline constexpr std::string_view kQueueLabel = "kueue.x-k8s.io/queue-name";
inline constexpr std::string_view kPodGroupLabel = "kueue.x-k8s.io/pod-group-name";

}  // namespace gpusched::io
