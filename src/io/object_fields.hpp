#pragma once

#include <span>

#include "io/projection.hpp"

namespace gpusched::io {

/// The members of a pod's and a node's spec and status that decide anything; the rest of a dump is skipped. What a
/// reader of these objects wants to see must be named here.
[[nodiscard]] std::span<const Projection> pod_spec_fields();
[[nodiscard]] std::span<const Projection> pod_status_fields();
[[nodiscard]] std::span<const Projection> node_spec_fields();
[[nodiscard]] std::span<const Projection> node_status_fields();

}  // namespace gpusched::io
