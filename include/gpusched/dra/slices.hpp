#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/model/cluster_shape.hpp"
#include "gpusched/objects/resource_slice.hpp"

namespace gpusched::dra {

enum class SliceStyle : std::uint8_t {
  kLesson,  ///< attributes type, model, index, nvlinkIsland, timeSliced and a memory capacity
  kNvidia,  ///< the names of NVIDIA's DRA driver, v25.12 and later
};

inline constexpr std::string_view kLessonDriver = "gpu.example.com";
inline constexpr std::string_view kNvidiaDriver = "gpu.nvidia.com";

struct SliceOptions {
  std::string driver;  ///< "": the style's own
  SliceStyle style = SliceStyle::kLesson;
  /// Style kNvidia: every profile at every legal start as a device, on shared counters, where the board's geometry is
  /// known and the driver could repartition it; else the instances that exist.
  bool dynamic_mig = false;
  /// Minor version of the cluster: 34 wants counters and devices in one slice, 35 and later in different ones.
  int kubernetes_minor = 37;
};

/// The ResourceSlices that a DRA driver on every node would publish: one pool per node, named after it, nodes in input
/// order, GPUs by index. GPUs are published whether or not a pod holds them; a GPU in MIG mode publishes its instances
/// only; a node without devices publishes nothing. What is unknown is left out. docs/formats/slices.md has the fields.
///
/// The slices keep the API server's limits; a pool that needs more devices or counter sets is split over several, with
/// names that sort in the order of the devices. Errors: "driver-name-invalid", "node-name-invalid",
/// "device-name-invalid", "device-name-duplicate", "slice-name-invalid", "slice-name-duplicate",
/// "attribute-too-long", "slice-limit", all that there are.
[[nodiscard]] Result<std::vector<objects::ResourceSlice>> slices_of(const ClusterShape& shape,
                                                                    const SliceOptions& options);

}  // namespace gpusched::dra
