#pragma once

#include "gpusched/io/decode.hpp"
#include "gpusched/objects/pod.hpp"

/// The larger parts of a pod.
namespace gpusched::io::core {

[[nodiscard]] objects::Container read_container(Decoder& decoder, const Value& value);
[[nodiscard]] objects::ResourceRequirements read_requirements(Decoder& decoder, const Value& value);
[[nodiscard]] objects::NodeAffinity read_node_affinity(Decoder& decoder, const Value& value);
[[nodiscard]] objects::Affinity read_affinity(Decoder& decoder, const Value& value);
[[nodiscard]] objects::Toleration read_toleration(Decoder& decoder, const Value& value);
[[nodiscard]] objects::TopologySpreadConstraint read_spread_constraint(Decoder& decoder, const Value& value);
[[nodiscard]] objects::Volume read_volume(Decoder& decoder, const Value& value);
void read_pod_status(Decoder& decoder, const Value& value, objects::Pod& pod);

/// The member `key` as a disk; `id_key` names the field that says which one.
[[nodiscard]] std::optional<objects::DiskSource> read_disk(Decoder& decoder, ObjectReader& reader, std::string_view key,
                                                           std::string_view id_key);
[[nodiscard]] std::optional<objects::CsiVolumeSource> read_csi(Decoder& decoder, ObjectReader& reader);

}  // namespace gpusched::io::core
