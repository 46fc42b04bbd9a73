#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "gpusched/objects/resource_slice.hpp"
#include "gpusched/report/document.hpp"

namespace gpusched::report {

/// Versions of the group resource.k8s.io. Kubernetes serves v1 since 1.34, v1beta2 since 1.33, v1beta1 since 1.32.
enum class ApiVersion : std::uint8_t { kV1, kV1beta2, kV1beta1 };

/// "v1", "v1beta2" or "v1beta1", with or without "resource.k8s.io/" in front.
[[nodiscard]] std::optional<ApiVersion> parse_api_version(std::string_view text);

/// A v1 List of the slices that `kubectl apply` takes, in their order, with maps in their order. v1beta2 differs from
/// v1 by its name only; v1beta1 keeps all fields of a device but its name in `basic`. Absent and empty fields are left
/// out. Source: k8s.io/api v0.37.2, resource/{v1,v1beta2,v1beta1}/types.go.
[[nodiscard]] Document slices_report(std::span<const objects::ResourceSlice> slices, ApiVersion version);

}  // namespace gpusched::report
