#pragma once

#include <string>
#include <string_view>

#include "gpusched/objects/meta.hpp"

namespace gpusched::objects {

/// What people made a pod with: {"Deployment", "web"}. The texts are those of the arguments.
struct PodOwner {
  std::string_view kind, name;
};

/// The owner that people know of a pod with this controller. A Deployment names its ReplicaSets "<deployment>-<hash>"
/// and gives their pods the hash as label pod-template-hash (Kubernetes, pkg/controller/deployment), so that it is told
/// although kubectl was not asked for ReplicaSets. Every other controller is its own answer.
[[nodiscard]] PodOwner pod_owner(std::string_view controller_kind, std::string_view controller_name,
                                 const Labels& pod_labels);

/// The kind that a word on the command line names, in lower case and singular: "sts", "StatefulSets" and
/// "statefulsets.apps" are "statefulset". Of kinds that kubectl does not know itself only the group goes.
[[nodiscard]] std::string kind_of_word(std::string_view word);
/// Whether the word, so read or as a plural, names the kind: "rayclusters" names "RayCluster".
[[nodiscard]] bool names_kind(std::string_view word, std::string_view kind);

}  // namespace gpusched::objects
