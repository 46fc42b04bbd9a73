#include "gpusched/whatif/cluster_edit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "gpusched/base/overloaded.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/objects/set_label.hpp"
#include "gpusched/whatif/pod_edit.hpp"
#include "whatif/names.hpp"

namespace gpusched::whatif {

namespace {

constexpr std::string_view kHostname = "kubernetes.io/hostname";

void set(objects::ResourceList& list, const std::string& name, std::int64_t amount) {
  std::erase_if(list, [&](const auto& entry) { return entry.first == name; });
  if (amount != 0) {
    list.emplace_back(name, Quantity::from_int64(amount));
  }
}

void taint_node(const TaintNode& edit, objects::Node& node) {
  std::vector<objects::Taint>& taints = node.spec.taints;
  std::erase_if(taints, [&](const objects::Taint& taint) {
    return taint.key == edit.taint.key && (edit.taint.effect.empty() || taint.effect == edit.taint.effect);
  });
  if (!edit.remove) {
    taints.push_back(edit.taint);
  }
}

/// What kubectl cordon and the node controller do: the field and its taint.
void cordon(bool cordoned, objects::Node& node) {
  constexpr const char* kTaint = "node.kubernetes.io/unschedulable";
  node.spec.unschedulable = cordoned;
  taint_node({{}, {kTaint, "", "NoSchedule"}, !cordoned}, node);
}

}  // namespace

std::unexpected<Diagnostics> unknown_node(std::string_view name, std::span<const objects::Node> nodes) {
  std::vector<std::string_view> names;
  std::ranges::transform(nodes, std::back_inserter(names),
                         [](const auto& node) -> std::string_view { return node.meta.name; });
  return unknown_node(name, names);
}

std::unexpected<Diagnostics> unknown_node(std::string_view name, std::span<const std::string_view> names) {
  constexpr std::size_t kShown = 5;
  const std::string nearest = suggest(name, names);
  const std::string some = join(names.first(std::min(names.size(), kShown)), ", ");
  const std::string all = names.empty() ? std::string("the input has no nodes")
                          : names.size() <= kShown
                              ? fmt::format("name a node of the input: {}", some)
                              : fmt::format("name a node of the input: {} and {} more", some, names.size() - kShown);
  return fail("unknown-node", fmt::format("the cluster has no node {}", quote(name)),
              nearest.empty() ? all : fmt::format("did you mean {}?", nearest));
}

std::unexpected<Diagnostics> no_node_matches(std::string_view selector) {
  return fail("no-node-matches", fmt::format("no node has labels that match {}", quote(selector)),
              "a selector is key=value,... as kubectl -l takes it");
}

std::unexpected<Diagnostics> unknown_pod(std::string_view namespace_name, std::string_view name) {
  return fail("unknown-pod", fmt::format("the cluster has no pod {}/{}", shorten(namespace_name), shorten(name)));
}

std::unexpected<Diagnostics> unknown_pod(std::string_view name, std::span<const std::string_view> names) {
  const std::string nearest = suggest(name, names);
  return fail(
      "unknown-pod", fmt::format("the cluster has no pod {}", quote(name)),
      nearest.empty() ? "name a pod that holds or waits for a place here" : fmt::format("did you mean {}?", nearest));
}

void change_node(const ClusterEdit& edit, objects::Node& node) {
  std::visit(
      Overloaded{[&](const CordonNode& e) { cordon(e.cordoned, node); }, [&](const DrainNode&) { cordon(true, node); },
                 [&](const LabelNode& e) { objects::set_label(node.meta.labels.edit(), e.key, e.value); },
                 [&](const TaintNode& e) { taint_node(e, node); },
                 [&](const SetAllocatable& e) { set(node.status.allocatable, e.resource, e.amount); },
                 [](const auto&) {}},
      edit);
}

objects::Node new_node_like(const objects::Node& node, std::int32_t number) {
  objects::Node added = node;
  added.meta.name = fmt::format("{}-new-{}", node.meta.name, number);
  added.meta.uid.clear();
  if (objects::find(added.meta.labels, kHostname) != nullptr) {
    objects::set_label(added.meta.labels.edit(), kHostname, added.meta.name);
  }
  cordon(false, added);
  return added;
}

bool stays_on_drain(const objects::Pod& pod) {
  const objects::OwnerReference* const owner = objects::controller_of(pod.meta);
  return owner != nullptr && (owner->kind == "DaemonSet" || owner->kind == "Node");
}

namespace {

std::string describe_sharing(const ShareGpus& edit) {
  if (edit.strategy == SharingStrategy::kNone) {
    return fmt::format("share nothing on {}", edit.node);
  }
  return fmt::format("share the GPUs of {} by {} in {}{}", edit.node,
                     edit.strategy == SharingStrategy::kMps ? "MPS" : "time-slicing", edit.replicas,
                     edit.rename ? ", renamed" : "");
}

}  // namespace

std::string describe(const ClusterEdit& edit) {
  return std::visit(
      Overloaded{[](const AddNodes& e) {
                   return e.count == 1 ? fmt::format("add a node like {}", e.like)
                                       : fmt::format("add {} nodes like {}", e.count, e.like);
                 },
                 [](const AddShape& e) {
                   return e.count == 1 ? fmt::format("add a node {}", e.node->name)
                                       : fmt::format("add {} nodes {}", e.count, e.node->name);
                 },
                 [](const RemoveNode& e) { return fmt::format("remove {}", e.node); },
                 [](const CordonNode& e) { return fmt::format("{} {}", e.cordoned ? "cordon" : "uncordon", e.node); },
                 [](const DrainNode& e) { return fmt::format("drain {}", e.node); },
                 [](const LabelNode& e) {
                   return e.value ? fmt::format("label {} with {}={}", e.node, e.key, *e.value)
                                  : fmt::format("take the label {} off {}", e.key, e.node);
                 },
                 [](const TaintNode& e) {
                   return e.remove ? fmt::format("take the taint {} off {}", to_text(e.taint), e.node)
                                   : fmt::format("taint {} with {}", e.node, to_text(e.taint));
                 },
                 [](const ShareGpus& e) { return describe_sharing(e); },
                 [](const RepartitionGpus& e) {
                   return e.gpu ? fmt::format("repartition {} GPU {} to {}", e.node, *e.gpu, e.layout)
                                : fmt::format("repartition {} to {}", e.node, e.layout);
                 },
                 [](const ScaleOwner& e) {
                   return fmt::format("scale {}/{}{}{} to {}", e.kind, e.namespace_name,
                                      e.namespace_name.empty() ? "" : "/", e.name, e.count);
                 },
                 [](const DeletePod& e) { return fmt::format("evict {}", e.name); },
                 [](const SetAllocatable& e) {
                   return fmt::format("make {} offer {} {}", e.node, amount_text(e.resource, e.amount), e.resource);
                 },
                 [](const EvictPod& e) { return fmt::format("evict {}/{}", e.namespace_name, e.name); },
                 [](const MovePod& e) { return fmt::format("move {}/{} to {}", e.namespace_name, e.name, e.node); }},
      edit);
}

}  // namespace gpusched::whatif
