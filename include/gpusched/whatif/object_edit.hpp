#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpusched/kubescheduler/predict.hpp"
#include "gpusched/objects/cluster_objects.hpp"
#include "gpusched/whatif/cluster_edit.hpp"
#include "gpusched/whatif/effect.hpp"

namespace gpusched::whatif {

/// What edits of objects need beside the objects.
struct ObjectEditOptions {
  kubescheduler::PredictOptions predict;  ///< who finds a place for pods that have to leave
  /// By the cluster's PodDisruptionBudgets: how many of its pods may be evicted now. Shorter: what the status says.
  std::vector<std::int32_t> allowed_disruptions;
  /// The GPUs of a node as the simulator's model has them: a shape with this one node.
  std::function<Result<ShapePtr>(const objects::Node&)> model_of;
};

struct EditedObjects {
  objects::ClusterObjects cluster;
  std::vector<EditEffect> effects;  ///< one for each edit
  /// Namespace and name of the pods that edits made Pending, in the order in which they lost or wanted their place.
  std::vector<std::pair<std::string, std::string>> pending;
  std::vector<std::string> cordoned;  ///< nodes that edits cordoned
};

/// Applies the edits in order to the objects of a dump. Pods that have to leave a node are placed again at once, where
/// kube-scheduler would put them; their claims are freed and allocated anew if nobody else uses them.
/// Errors as those of models (model_edit.hpp), and "shape-without-object" for a template that is no Kubernetes node,
/// "edit-not-of-objects" (SetAllocatable, EvictPod, MovePod).
[[nodiscard]] Result<EditedObjects> apply(std::span<const ClusterEdit> edits, objects::ClusterObjects cluster,
                                          const ObjectEditOptions& options);

}  // namespace gpusched::whatif
