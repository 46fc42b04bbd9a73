#include "whatif/object_editor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "gpusched/base/text.hpp"
#include "gpusched/dra/slices.hpp"
#include "gpusched/objects/selector_text.hpp"
#include "whatif/names.hpp"
#include "whatif/run_edits.hpp"

namespace gpusched::whatif {

Result<EditedObjects> apply(std::span<const ClusterEdit> edits, objects::ClusterObjects cluster,
                            const ObjectEditOptions& options) {
  EditedObjects result{std::move(cluster), {}, {}, {}};
  ObjectEditor editor(result, options);
  Result<std::vector<EditEffect>> effects = run_edits(edits, editor);
  if (!effects) {
    return std::unexpected(std::move(effects.error()));
  }
  result.effects = std::move(*effects);
  return result;
}

ObjectEditor::ObjectEditor(EditedObjects& edited, const ObjectEditOptions& options)
    : edited_(edited), options_(options), allowed_(options.allowed_disruptions) {
  const auto& budgets = cluster().disruption_budgets;
  for (std::size_t i = allowed_.size(); i < budgets.size(); ++i) {
    allowed_.push_back(budgets[i].disruptions_allowed);
  }
}

Result<objects::Node*> ObjectEditor::find_node(std::string_view name) {
  for (objects::Node& node : cluster().nodes) {
    if (node.meta.name == name) {
      return &node;
    }
  }
  return unknown_node(name, cluster().nodes);
}

Result<std::vector<std::size_t>> ObjectEditor::targets(std::string_view text) {
  const std::vector<objects::Node>& nodes = cluster().nodes;
  const auto named =
      std::ranges::find(nodes, text, [](const objects::Node& node) -> std::string_view { return node.meta.name; });
  if (named != nodes.end()) {
    return std::vector{static_cast<std::size_t>(named - nodes.begin())};
  }
  if (!is_selector(text)) {
    return unknown_node(text, nodes);
  }
  const Result<objects::LabelSelector> selector = objects::parse_label_selector(text);
  if (!selector) {
    return std::unexpected(selector.error());
  }
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (matches(*selector, nodes[i].meta.labels)) {
      found.push_back(i);
    }
  }
  return found.empty() ? no_node_matches(text) : Result<std::vector<std::size_t>>(std::move(found));
}

std::vector<std::size_t> ObjectEditor::pods_on(const std::vector<std::string>& nodes) {
  const std::set<std::string_view> names(nodes.begin(), nodes.end());
  std::vector<std::size_t> pods;
  for (std::size_t i = 0; i < cluster().pods.size(); ++i) {
    const objects::Pod& pod = cluster().pods[i];
    if (!pod.finished() && names.contains(pod.node_name)) {
      pods.push_back(i);
    }
  }
  return pods;
}

Result<EditEffect> ObjectEditor::operator()(const AddShape& edit) {
  const objects::Node& like = edit.node->object;
  if (like.meta.name.empty()) {
    return fail("shape-without-object", "a node of a cluster fixture cannot join a cluster of Kubernetes objects",
                "name an instance type, or a file with a Kubernetes Node");
  }
  if (objects::find(like.status.allocatable, "memory") == nullptr) {
    return fail("shape-memory-unknown",
                fmt::format("the catalogue does not know how much memory a {} has, and kube-scheduler counts it",
                            edit.node->name),
                "describe the node in a file: --add FILE=N");
  }
  EditEffect effect = add_nodes(like, edit.count);
  add_slices(edit, effect.nodes);
  return effect;
}

Result<EditEffect> ObjectEditor::operator()(const AddNodes& edit) {
  const Result<objects::Node*> found = find_node(edit.like);
  if (!found) {
    return std::unexpected(found.error());
  }
  const objects::Node like = **found;
  EditEffect effect = add_nodes(like, edit.count);
  // The driver on a new node publishes what that on its example does, in a pool of the node's own.
  const std::size_t slices = cluster().resource_slices.size();
  for (const std::string& name : effect.nodes) {
    for (std::size_t i = 0; i < slices; ++i) {
      objects::ResourceSlice slice = cluster().resource_slices[i];
      if (slice.spec.node_name == edit.like) {
        slice.name = fmt::format("{}-{}", name, slice.name);
        slice.spec.node_name = name;
        slice.spec.pool.name =
            slice.spec.pool.name == edit.like ? name : fmt::format("{}-{}", name, slice.spec.pool.name);
        cluster().resource_slices.push_back(std::move(slice));
      }
    }
  }
  return effect;
}

EditEffect ObjectEditor::add_nodes(const objects::Node& like, std::int32_t count) {
  std::set<std::string, std::less<>> names;
  for (const objects::Node& node : cluster().nodes) {
    names.insert(node.meta.name);
  }
  EditEffect effect;
  std::int32_t number = 0;
  for (std::int32_t i = 0; i < count; ++i) {
    objects::Node added;
    do {
      added = new_node_like(like, ++number);
    } while (!names.insert(added.meta.name).second);
    effect.nodes.push_back(added.meta.name);
    cluster().nodes.push_back(std::move(added));
  }
  std::vector<std::string> each;
  for (const auto& [resource, amount] : like.status.allocatable) {
    if (objects::is_extended_resource(resource)) {
      each.push_back(fmt::format("{} {}", amount.to_string(), resource));
    }
  }
  std::map<std::string_view, std::size_t> devices;  // by driver
  for (const objects::ResourceSlice& slice : cluster().resource_slices) {
    if (slice.spec.node_name == like.meta.name) {
      devices[slice.spec.driver] += slice.spec.devices.size();
    }
  }
  for (const auto& [driver, number_of] : devices) {
    each.push_back(fmt::format("{} device{} of {}", number_of, number_of == 1 ? "" : "s", driver));
  }
  effect.effect = added_text(effect.nodes, each);
  return effect;
}

// A cluster whose GPUs are published by a DRA driver has one on the new nodes, too, and no device plugin if it has
// none.
void ObjectEditor::add_slices(const AddShape& edit, const std::vector<std::string>& names) {
  dra::SliceOptions slice_options;
  std::set<std::string_view> publishing;
  for (const objects::ResourceSlice& slice : cluster().resource_slices) {
    if ((slice.spec.driver == dra::kNvidiaDriver || slice.spec.driver == dra::kLessonDriver) && slice.spec.node_name) {
      slice_options.style =
          slice.spec.driver == dra::kNvidiaDriver ? dra::SliceStyle::kNvidia : dra::SliceStyle::kLesson;
      publishing.insert(*slice.spec.node_name);
    }
  }
  if (publishing.empty()) {
    return;
  }
  constexpr std::string_view kGpu = "nvidia.com/gpu";
  const bool plugin = std::ranges::any_of(cluster().nodes, [&](const objects::Node& node) {
    return publishing.contains(node.meta.name) && offered(node, kGpu) > 0;
  });
  ShapeBuilder builder;
  const NodeClassId node_class = add_node_class(builder, *edit.node);
  for (const std::string& name : names) {
    builder.node(name, node_class);
    if (!plugin) {
      offer(*find_node(name).value(), std::string(kGpu), 0);
    }
  }
  if (Result<std::vector<objects::ResourceSlice>> slices = dra::slices_of(*std::move(builder).build(), slice_options)) {
    std::ranges::move(*slices, std::back_inserter(cluster().resource_slices));
  }
}

Result<EditEffect> ObjectEditor::operator()(const CordonNode& edit) {
  const Result<std::vector<std::size_t>> nodes = targets(edit.node);
  if (!nodes) {
    return std::unexpected(nodes.error());
  }
  EditEffect effect;
  for (const std::size_t index : *nodes) {
    objects::Node& node = cluster().nodes[index];
    if (node.spec.unschedulable != edit.cordoned) {
      change_node(edit, node);
      effect.nodes.push_back(node.meta.name);
    }
    std::erase(edited_.cordoned, node.meta.name);
    if (edit.cordoned) {
      edited_.cordoned.push_back(node.meta.name);
    }
  }
  effect.effect = cordoned_text(effect.nodes, edit.cordoned);
  return effect;
}

Result<EditEffect> ObjectEditor::operator()(const LabelNode& edit) {
  const Result<objects::Node*> node = find_node(edit.node);
  if (!node) {
    return std::unexpected(node.error());
  }
  const std::string* const label = objects::find((*node)->meta.labels, edit.key);
  const EditEffect effect{
      {}, label_text(edit.key, label == nullptr ? std::nullopt : std::optional(*label)), {edit.node}};
  change_node(edit, **node);
  return effect;
}

Result<EditEffect> ObjectEditor::operator()(const TaintNode& edit) {
  const Result<objects::Node*> node = find_node(edit.node);
  if (!node) {
    return std::unexpected(node.error());
  }
  const std::vector<objects::Taint> before = (*node)->spec.taints;
  change_node(edit, **node);
  EditEffect effect{{}, {}, {edit.node}};
  if (!edit.remove && edit.taint.effect == "NoExecute") {
    std::vector<std::size_t> leaving;
    std::vector<std::size_t> going;
    for (const std::size_t index : pods_on({edit.node})) {
      const objects::Pod& pod = cluster().pods[index];
      if (std::ranges::any_of(pod.spec->tolerations, [&](const objects::Toleration& toleration) {
            return objects::tolerates(toleration, edit.taint);
          })) {
        continue;
      }
      if (stays_on_drain(pod)) {  // its DaemonSet makes it for this node only
        effect.pods.push_back({full_name(pod), PodChange::kGone, edit.node});
        going.push_back(index);
      } else {
        leaving.push_back(index);
      }
    }
    move(leaving, false, effect);
    remove_pods(going);
  }
  effect.effect = taint_text(edit, before != (*node)->spec.taints, effect);
  return effect;
}

void offer(objects::Node& node, const std::string& resource, std::int64_t amount) {
  for (objects::ResourceList* const list : {&node.status.capacity, &node.status.allocatable}) {
    const auto found = std::ranges::find(*list, resource, &objects::ResourceList::value_type::first);
    if (amount == 0) {
      std::erase_if(*list, [&](const auto& entry) { return entry.first == resource; });
    } else if (found == list->end()) {
      list->emplace_back(resource, Quantity::from_int64(amount));
    } else {
      found->second = Quantity::from_int64(amount);
    }
  }
}

std::int64_t offered(const objects::Node& node, std::string_view resource) {
  const Quantity* const amount = objects::find(node.status.allocatable, resource);
  return amount == nullptr ? 0 : amount->value();
}

}  // namespace gpusched::whatif
