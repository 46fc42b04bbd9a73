#pragma once

#include "gpusched/io/decode.hpp"
#include "gpusched/objects/node.hpp"
#include "gpusched/objects/pod.hpp"
#include "gpusched/objects/policy.hpp"
#include "gpusched/objects/storage.hpp"

/// Kubernetes objects of the core, apps, policy, scheduling and storage groups, as `kubectl get -o json|yaml` prints
/// them. apiVersion and kind have been looked at by the caller. Keys that scheduling does not read are skipped, wrong
/// types and unreadable quantities are errors of the decoder; nothing is defaulted or validated.
namespace gpusched::io {

[[nodiscard]] objects::Pod decode_pod(Decoder& decoder, const Value& value);
[[nodiscard]] objects::Node decode_node(Decoder& decoder, const Value& value);

[[nodiscard]] objects::Namespace decode_namespace(Decoder& decoder, const Value& value);
[[nodiscard]] objects::PriorityClass decode_priority_class(Decoder& decoder, const Value& value);
[[nodiscard]] objects::PodDisruptionBudget decode_pod_disruption_budget(Decoder& decoder, const Value& value);
[[nodiscard]] objects::Service decode_service(Decoder& decoder, const Value& value);
/// A ReplicaSet, StatefulSet or ReplicationController; `kind` says which.
[[nodiscard]] objects::PodController decode_pod_controller(Decoder& decoder, const Value& value, std::string_view kind);

[[nodiscard]] objects::PersistentVolumeClaim decode_persistent_volume_claim(Decoder& decoder, const Value& value);
[[nodiscard]] objects::PersistentVolume decode_persistent_volume(Decoder& decoder, const Value& value);
[[nodiscard]] objects::StorageClass decode_storage_class(Decoder& decoder, const Value& value);
[[nodiscard]] objects::CsiNode decode_csi_node(Decoder& decoder, const Value& value);
[[nodiscard]] objects::CsiDriver decode_csi_driver(Decoder& decoder, const Value& value);
[[nodiscard]] objects::CsiStorageCapacity decode_csi_storage_capacity(Decoder& decoder, const Value& value);

}  // namespace gpusched::io
