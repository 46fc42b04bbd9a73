#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "gpusched/io/decode.hpp"
#include "gpusched/model/shape_builder.hpp"

namespace gpusched::io {

/// More than any cluster has of anything, and far enough below 2^63 that several amounts can be added.
inline constexpr std::int64_t kMaxAmount = std::int64_t{1} << 60;

/// A decimal number of a fixture in the unit of its name, as a whole number of smaller units (rounded up): memory_gib
/// in bytes, nvlink_gbps in MB/s, gradient_gb in bytes, a ratio in thousandths. An error outside [0, max]. None when
/// the member is absent.
enum class DecimalUnit : std::uint8_t { kGib, kGbps, kGb, kRatio };
[[nodiscard]] std::optional<std::int64_t> optional_amount(ObjectReader& object, std::string_view key, DecimalUnit unit);

/// The bytes of a required `memory_gib`, above 0.
[[nodiscard]] std::int64_t required_memory(ObjectReader& object);

inline constexpr std::string_view kMigResourcePrefix = "nvidia.com/mig-";

/// The name of a GPU resource: one that a device plugin may advertise whole GPUs under. An error for what Kubernetes
/// counts itself (names without a domain, such as cpu) and for the names of MIG instances. None when it is absent or
/// wrong.
[[nodiscard]] std::optional<std::string_view> optional_gpu_resource(ObjectReader& object);

/// A map of resource name to quantity in the units of the model: milli-CPU, otherwise whole units rounded up, at most
/// kMaxAmount. An amount of 0 is left in.
[[nodiscard]] std::vector<std::pair<ResourceId, std::int64_t>> resource_amounts(Decoder& decoder, ObjectReader& object,
                                                                                std::string_view key,
                                                                                ShapeBuilder& builder);

/// Fills in what the pod counts in scores: its cpu and memory requests, or kube-scheduler's stand-ins for none.
void set_non_zero_requests(PodClass& pod);

/// node_selector and labels.
[[nodiscard]] LabelSet label_set(ObjectReader& object, std::string_view key, ShapeBuilder& builder);

}  // namespace gpusched::io
