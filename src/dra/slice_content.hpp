#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/dra/slices.hpp"
#include "gpusched/model/cluster_shape.hpp"
#include "gpusched/objects/resource_slice.hpp"

namespace gpusched::dra {

/// What one ResourceSlice holds beside the pool that it belongs to.
struct SliceContent {
  std::vector<objects::CounterSet> counter_sets;
  std::vector<objects::Device> devices;
};

/// The slices of a node's pool as a driver groups them, before limits.
using PoolContent = std::vector<SliceContent>;

/// Devices in the style of the lesson, all in one slice.
[[nodiscard]] PoolContent lesson_pool(const ClusterShape& shape, const NodeClass& node_class);

/// Devices as NVIDIA's driver names and groups them.
[[nodiscard]] PoolContent nvidia_pool(const ClusterShape& shape, const NodeClass& node_class,
                                      const SliceOptions& options);

/// The same devices and counter sets in the same order, in slices that keep the API server's limits; none is empty.
[[nodiscard]] PoolContent split_pool(const PoolContent& pool);

/// Adds an error for every device that the API server would refuse; `object` is whom to name.
void check_devices(const PoolContent& pool, const std::string& object, Diagnostics& errors);

/// RFC 1123: lower case letters, digits and '-', not at an end; at most 63 bytes.
[[nodiscard]] bool is_dns_label(std::string_view name);
/// Labels of any length with dots between them, at most 253 bytes in all.
[[nodiscard]] bool is_dns_subdomain(std::string_view name);

/// `name` in lower case, everything that a DNS label cannot hold replaced by '-'.
[[nodiscard]] std::string to_label_characters(std::string_view name);

[[nodiscard]] inline Quantity mebibytes(std::int64_t mib) {
  return Quantity::from_int64(mib * 1024 * 1024, QuantityFormat::kBinarySi);
}

}  // namespace gpusched::dra
