#include "whatif/object_editor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "gpusched/base/text.hpp"
#include "gpusched/dra/slices.hpp"
#include "gpusched/objects/selector_text.hpp"
#include "whatif/model_editor.hpp"
#include "whatif/names.hpp"

namespace gpusched::whatif {

Result<EditedObjects> apply(std::span<const ClusterEdit> edits, objects::ClusterObjects cluster,
                            const ObjectEditOptions& options) {
  EditedObjects result{std::move(cluster), {}, {}, {}};
  ObjectEditor editor(result, options);
  for (const ClusterEdit& edit : edits) {
    Result<EditEffect> effect = std::visit(editor, edit);
    if (!effect) {
      for (Diagnostic& error : effect.error()) {
        error.object = describe(edit);
      }
      return std::unexpected(std::move(effect.error()));
    }
    effect->edit = describe(edit);
    result.effects.push_back(std::move(*effect));
  }
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
    if (!pod.finished() && names.contains(pod.spec.node_name)) {
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
  std::set<std::string, std::less<>> names;
  for (const objects::Node& node : cluster().nodes) {
    names.insert(node.meta.name);
  }
  EditEffect effect;
  std::int32_t number = 0;
  for (std::int32_t i = 0; i < edit.count; ++i) {
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
  add_slices(edit, effect.nodes);
  effect.effect =
      fmt::format("{}{}: {}", edit.count == 1 ? "a node with " : fmt::format("{} nodes, each with ", edit.count),
                  each.empty() ? "no device" : join(each, " and "), short_list(effect.nodes));
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
    if (!node.spec.unschedulable) {
      change_node(edit, node);
      effect.nodes.push_back(node.meta.name);
    }
    edited_.cordoned.push_back(node.meta.name);
  }
  effect.effect = effect.nodes.empty() ? "cordoned already"
                                       : fmt::format("{} {} no new pods", short_list(effect.nodes),
                                                     effect.nodes.size() == 1 ? "takes" : "take");
  return effect;
}

Result<EditEffect> ObjectEditor::operator()(const LabelNode& edit) {
  const Result<objects::Node*> node = find_node(edit.node);
  if (!node) {
    return std::unexpected(node.error());
  }
  const std::string* const before = objects::find((*node)->meta.labels, edit.key);
  EditEffect effect{
      {},
      before == nullptr ? fmt::format("it had no label {}", edit.key) : fmt::format("was {}={}", edit.key, *before),
      {edit.node}};
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
  if (edit.remove) {
    effect.effect = before == (*node)->spec.taints ? "it had no such taint" : "pods need not tolerate it any more";
    return effect;
  }
  effect.effect = "its pods stay, new ones must tolerate it";
  if (edit.taint.effect == "NoExecute") {
    std::vector<std::size_t> leaving;
    for (const std::size_t index : pods_on({edit.node})) {
      const auto tolerates = [&](const objects::Toleration& toleration) {
        return objects::tolerates(toleration, edit.taint);
      };
      if (std::ranges::none_of(cluster().pods[index].spec.tolerations, tolerates)) {
        leaving.push_back(index);
      }
    }
    move(leaving, false, effect);
    effect.effect = "pods that do not tolerate it leave: " + eviction_text(effect.pods);
  }
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

void set_label(objects::Labels& labels, std::string_view key, const std::optional<std::string>& value) {
  objects::Node node;
  node.meta.labels = std::move(labels);
  change_node(LabelNode{{}, std::string(key), value}, node);
  labels = std::move(node.meta.labels);
}

}  // namespace gpusched::whatif
