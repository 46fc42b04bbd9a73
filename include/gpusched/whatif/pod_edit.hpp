#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/objects/node.hpp"
#include "gpusched/objects/pod.hpp"

/// Changes of a pod, as values: what its owner could write differently.
namespace gpusched::whatif {

/// Adds a toleration to spec.tolerations.
struct AddToleration {
  objects::Toleration toleration;
  bool operator==(const AddToleration&) const = default;
};

/// Takes a key out of spec.nodeSelector.
struct DropNodeSelector {
  std::string key;
  bool operator==(const DropNodeSelector&) const = default;
};

/// Asks for another value of a key of spec.nodeSelector.
struct SetNodeSelector {
  std::string key, value;
  bool operator==(const SetNodeSelector&) const = default;
};

/// Takes one expression out of every term of the required node affinity; a term that becomes empty goes, and with the
/// last term the whole rule.
struct DropNodeAffinity {
  objects::NodeSelectorRequirement expression;
  bool operator==(const DropNodeAffinity&) const = default;
};

/// Asks every node for one more thing: added to each term of the required node affinity, or as its only one.
struct RequireNode {
  objects::NodeSelectorRequirement expression;
  bool operator==(const RequireNode&) const = default;
};

/// Takes all required terms of podAffinity or podAntiAffinity away.
struct DropPodAffinity {
  bool anti = false;
  bool operator==(const DropPodAffinity&) const = default;
};

/// Takes the DoNotSchedule constraints of one topology key away.
struct DropTopologySpread {
  std::string topology_key;
  bool operator==(const DropTopologySpread&) const = default;
};

/// Sets nodeTaintsPolicy to Honor on the constraints of one topology key: nodes with taints that the pod does not
/// tolerate no longer count.
struct HonorTaintsInSpread {
  std::string topology_key;
  bool operator==(const HonorTaintsInSpread&) const = default;
};

/// Lowers what the pod requests in total of one resource (cpu in milli, others in whole units): of the container that
/// asks for most, request and limit. An error ("request-not-lowered") when one container cannot make up for it.
struct LowerRequest {
  std::string resource;
  std::int64_t total = 0;
  bool operator==(const LowerRequest&) const = default;
};

/// Asks for the same amount of another resource.
struct RenameResource {
  std::string from, to;
  bool operator==(const RenameResource&) const = default;
};

/// Removes all scheduling gates.
struct OpenGates {
  bool operator==(const OpenGates&) const = default;
};

/// Gives the pod to another scheduler; "" is default-scheduler.
struct UseScheduler {
  std::string name;
  bool operator==(const UseScheduler&) const = default;
};

/// Gives the pod a PriorityClass.
struct UsePriority {
  std::string class_name;
  std::int32_t value = 0;
  bool operator==(const UsePriority&) const = default;
};

using PodEdit = std::variant<AddToleration, DropNodeSelector, SetNodeSelector, DropNodeAffinity, RequireNode,
                             DropPodAffinity, DropTopologySpread, HonorTaintsInSpread, LowerRequest, RenameResource,
                             OpenGates, UseScheduler, UsePriority>;

/// The pod with the change. What is to be dropped need not be there.
[[nodiscard]] Result<objects::Pod> apply(const PodEdit& edit, objects::Pod pod);

/// An order to the owner of the pod: "add the toleration nvidia.com/gpu=present:NoSchedule".
[[nodiscard]] std::string describe(const PodEdit& edit);

/// "key=value:effect" as kubectl taint writes it.
[[nodiscard]] std::string to_text(const objects::Taint& taint);
/// "dedicated=ml:NoSchedule", "dedicated exists:NoSchedule", "everything".
[[nodiscard]] std::string to_text(const objects::Toleration& toleration);
/// "gpu.product in (A100, H100)", "gpu.memory > 40000", "ssd exists".
[[nodiscard]] std::string to_text(const objects::NodeSelectorRequirement& requirement);
/// An amount in the unit that people write: cores, bytes with a binary suffix, whole devices. `amount` is in milli for
/// cpu, else in whole units.
[[nodiscard]] std::string amount_text(std::string_view resource, std::int64_t amount);

}  // namespace gpusched::whatif
