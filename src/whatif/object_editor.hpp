#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/whatif/object_edit.hpp"

namespace gpusched::whatif {

/// Applies edits to the objects of a dump, one after another.
class ObjectEditor {
 public:
  ObjectEditor(EditedObjects& edited, const ObjectEditOptions& options);

  Result<EditEffect> operator()(const AddNodes& edit);
  Result<EditEffect> operator()(const AddShape& edit);
  Result<EditEffect> operator()(const RemoveNode& edit);
  Result<EditEffect> operator()(const CordonNode& edit);
  Result<EditEffect> operator()(const DrainNode& edit);
  Result<EditEffect> operator()(const LabelNode& edit);
  Result<EditEffect> operator()(const TaintNode& edit);
  Result<EditEffect> operator()(const ShareGpus& edit);
  Result<EditEffect> operator()(const RepartitionGpus& edit);
  Result<EditEffect> operator()(const ScaleOwner& edit);
  Result<EditEffect> operator()(const DeletePod& edit);
  template <class Other>
  Result<EditEffect> operator()(const Other& edit) {
    return fail("edit-not-of-objects", "objects alone cannot do this: " + describe(ClusterEdit(edit)));
  }

 private:
  [[nodiscard]] objects::ClusterObjects& cluster() { return edited_.cluster; }
  [[nodiscard]] Result<objects::Node*> find_node(std::string_view name);
  /// The nodes that a name or a selector means, as indices in input order.
  [[nodiscard]] Result<std::vector<std::size_t>> targets(std::string_view text);
  /// The pods that hold something on these nodes, as indices in input order.
  [[nodiscard]] std::vector<std::size_t> pods_on(const std::vector<std::string>& nodes);
  [[nodiscard]] bool is_bound_to(const objects::Pod& pod, std::string_view node) const {
    return pod.node_name == node && !pod.finished();
  }

  [[nodiscard]] EditEffect add_nodes(const objects::Node& like, std::int32_t count);
  void add_slices(const AddShape& edit, const std::vector<std::string>& names);
  /// Takes the pods off their nodes and lets the scheduler place them again, one after another; within the budgets if
  /// they are evicted through the API.
  void move(const std::vector<std::size_t>& pods, bool through_api, EditEffect& effect);
  /// Whether the budgets let a pod go, and which one counts it; else the reason.
  struct Permission {
    std::string refusal;
    std::vector<std::size_t> budgets;
  };
  [[nodiscard]] Permission ask_budgets(const objects::Pod& pod) const;
  /// Removes pods, and the claims that were made for them alone.
  void remove_pods(std::span<const std::size_t> pods);
  /// Pods of the node that request the resource, and how much together.
  [[nodiscard]] std::pair<std::int64_t, std::vector<std::string>> held(std::string_view node,
                                                                       std::string_view resource) const;

  EditedObjects& edited_;
  const ObjectEditOptions& options_;
  std::vector<std::int32_t> allowed_;  // by budget
};

/// "namespace/name".
[[nodiscard]] std::string full_name(const objects::Pod& pod);
/// Sets what a node offers of a resource, capacity and allocatable; 0 takes it away.
void offer(objects::Node& node, const std::string& resource, std::int64_t amount);
/// In whole units; 0 when the node does not offer it.
[[nodiscard]] std::int64_t offered(const objects::Node& node, std::string_view resource);

}  // namespace gpusched::whatif
