#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "gpusched/objects/meta.hpp"

/// How the operator derives names. Source: GPUStack operator v0.9.0-rc2.
namespace gpusched::chain {

/// A product name as a part of a key: lower case, ASCII letters and digits, single separators '-', '_', '.'; a leading
/// `prefix` (the manufacturer) is dropped. At most `max_length` bytes, 0: any number. `strip_cruft` first drops what
/// CPU names carry around the model: "(R)", "11th Gen", "64-Core Processor", "@ 2.60GHz".
[[nodiscard]] std::string normalize_name(std::string_view name, std::string_view prefix, std::size_t max_length,
                                         bool strip_cruft);

/// The id of a model's group: its normalized name, with "-80g" behind it when ids carry the memory.
[[nodiscard]] std::string group_id(std::string_view manufacturer, std::string_view product, std::int64_t memory_mib,
                                   bool with_memory);
/// "80g": whole GiB, rounded, at least 1 for anything but 0.
[[nodiscard]] std::string memory_suffix(std::int64_t memory_mib);

/// The key of the node's CPU ("amd-epyc-7763"), at most 54 bytes so that label names made of it stay within 63.
[[nodiscard]] std::string general_key(const objects::Labels& labels, const objects::Labels& annotations);
/// The manufacturer in front of it.
[[nodiscard]] std::string general_manufacturer(const objects::Labels& labels);

/// Bytes as the device manager writes them into a label: the largest binary unit not above the value, rounded half up
/// to a whole number; it loses what is behind.
[[nodiscard]] std::string memory_label(std::int64_t bytes);
/// The MiB that such a label (any Kubernetes quantity) stands for, rounded down; 0 when it cannot be read.
[[nodiscard]] std::int64_t memory_label_mib(std::string_view label);
/// A product name as a label's value: "Tesla T4" -> "Tesla-T4", at most 63 bytes.
[[nodiscard]] std::string product_label(std::string_view product);

/// A number as Kubernetes prints it: 12800000 -> "12800k".
[[nodiscard]] std::string canonical(std::int64_t value);

/// "fnv64-" and the 16 hexadecimal digits of FNV-1a 64 over the level keys, joined by a zero byte.
[[nodiscard]] std::string topology_profile(std::span<const std::string> levels);
/// "gpustack-fnv64-" and the hash of the ClusterQueue's name: 31 characters, because the queue-name label takes 63.
[[nodiscard]] std::string local_queue_name(std::string_view cluster_queue);

}  // namespace gpusched::chain
