#include "whatif/model_editor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "gpusched/base/text.hpp"
#include "gpusched/model/node_labels.hpp"
#include "gpusched/model/node_rules.hpp"
#include "gpusched/objects/selector_text.hpp"
#include "gpusched/objects/set_label.hpp"
#include "gpusched/whatif/node_shapes.hpp"
#include "whatif/names.hpp"
#include "whatif/run_edits.hpp"

namespace gpusched::whatif {

Result<EditedCluster> apply(std::span<const ClusterEdit> edits, Cluster cluster, const placement::Options& options) {
  EditedCluster result{std::move(cluster), {}};
  ModelEditor editor(result.cluster, options);
  Result<std::vector<EditEffect>> effects = run_edits(edits, editor);
  if (!effects) {
    return std::unexpected(std::move(effects.error()));
  }
  result.effects = std::move(*effects);
  std::vector<PodId>& pods = result.cluster.pods;
  pods.insert(pods.begin(), editor.homeless().begin(), editor.homeless().end());
  result.cluster.usage.commit();
  return result;
}

objects::Labels ModelEditor::labels(LabelSetId id) const {
  objects::Labels labels;
  for (const auto& [key, value] : label_texts(shape(), id)) {
    labels.emplace_back(key, value);
  }
  return labels;
}

Result<NodeId> ModelEditor::find_node(std::string_view text) const {
  if (const NodeId node = shape().find_node(text); node.valid()) {
    return node;
  }
  std::vector<std::string_view> names;
  for (const Node& node : shape().nodes) {
    names.push_back(shape().text(node.name));
  }
  return unknown_node(text, names);
}

Result<std::vector<NodeId>> ModelEditor::targets(std::string_view text) const {
  if (const NodeId node = shape().find_node(text); node.valid()) {
    return std::vector{node};
  }
  if (!is_selector(text)) {
    return std::unexpected(find_node(text).error());
  }
  const Result<objects::LabelSelector> selector = objects::parse_label_selector(text);
  if (!selector) {
    return std::unexpected(selector.error());
  }
  std::map<LabelSetId, bool> answers;
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < shape().nodes.size(); ++i) {
    const LabelSetId id = cluster_.usage.node_class(NodeId{i}).labels;
    const auto [answer, added] = answers.try_emplace(id);
    if (added) {
      answer->second = matches(*selector, labels(id));
    }
    if (answer->second) {
      nodes.emplace_back(i);
    }
  }
  return nodes.empty() ? no_node_matches(text) : Result<std::vector<NodeId>>(std::move(nodes));
}

std::vector<PodId> ModelEditor::pods_of(NodeId node) const {
  std::vector<PodId> pods;
  for (PodId pod = cluster_.usage.first_pod(node); pod.valid(); pod = cluster_.usage.next_pod(pod)) {
    pods.push_back(pod);
  }
  std::ranges::sort(pods);
  return pods;
}

void ModelEditor::rebuild(ShapeEdit edit, NodeId node, NodeClass node_class) {
  edit.changed.emplace_back(node, edit.builder.node_class_as_given(std::move(node_class)));
  rebuild(std::move(edit));
}

namespace {

/// What is known by node, after the nodes have moved: new ones know nothing. A list that was empty stays so.
template <class Fact>
void carry(std::vector<Fact>& facts, std::span<const NodeId> place, std::size_t nodes) {
  if (facts.empty()) {
    return;
  }
  std::vector<Fact> next(nodes);
  for (std::size_t i = 0; i < std::min(facts.size(), place.size()); ++i) {
    if (place[i].valid()) {
      next[place[i].index()] = facts[i];
    }
  }
  facts = std::move(next);
}

}  // namespace

void ModelEditor::rebuild(ShapeEdit edit, const InstanceMap& instance) {
  const ClusterUsage& now = cluster_.usage;
  const std::vector<bool> gone = edit.gone;
  ClusterUsage next(std::move(edit).build());
  std::vector<NodeId> place(now.shape().nodes.size());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < place.size(); ++i) {
    if (!gone[i]) {
      place[i] = NodeId{kept++};
      next.set_cordoned(place[i], now.cordoned(NodeId{i}));
      if (now.assumed(NodeId{i})) {
        next.set_assumed(place[i]);
      }
    }
  }
  next.reserve_pods(now.pod_count());
  for (std::size_t i = 0; i < now.pod_count(); ++i) {
    const PodId pod = next.add_pod(now.pod_class_id(PodId{i}), now.pod_name(PodId{i}));
    const NodeId node = now.node_of(pod);
    if (!node.valid()) {
      continue;
    }
    std::vector<GpuShare> shares(now.shares(pod).begin(), now.shares(pod).end());
    for (GpuShare& share : shares) {
      if (instance && share.instance != GpuShare::kNoInstance) {
        share.instance = instance(node, share.instance);
      }
    }
    next.bind(pod, place[node.index()], shares);
  }
  next.commit();
  carry(cluster_.kubelet, place, next.shape().nodes.size());
  carry(cluster_.nvlink_domains, place, next.shape().nodes.size());
  carry(cluster_.network.nodes, place, next.shape().nodes.size());
  cluster_.usage = std::move(next);
}

Result<EditEffect> ModelEditor::operator()(const AddShape& edit) {
  ShapeEdit changed(shape());
  const NodeClassId node_class = add_node_class(changed.builder, *edit.node);
  EditEffect effect = add_nodes(std::move(changed), node_class, edit.node->name, edit.count);
  connect(effect.nodes, edit.node->network);
  return effect;
}

Result<EditEffect> ModelEditor::operator()(const AddNodes& edit) {
  const Result<NodeId> like = find_node(edit.like);
  if (!like) {
    return std::unexpected(like.error());
  }
  ShapeEdit changed(shape());
  const NodeClassId id = add_class_like(changed.builder, cluster_.usage.node_class(*like));
  EditEffect effect = add_nodes(std::move(changed), id, edit.like, edit.count);
  // The kubelet of a new machine is set up as those of its pool; which NVLink domain and rack it joins, nobody knows
  // yet.
  const NodeId source = shape().find_node(edit.like);
  connect(effect.nodes, cluster_.network.of(source));
  if (const std::size_t index = source.index(); index < cluster_.kubelet.size()) {
    const KubeletFacts kubelet = cluster_.kubelet[index];
    for (const std::string& added : effect.nodes) {
      cluster_.kubelet[shape().find_node(added).index()] = kubelet;
    }
  }
  return effect;
}

/// Gives new nodes the NICs of their kind, in no rack.
void ModelEditor::connect(std::span<const std::string> nodes, NodeNetwork network) {
  network.rack = {};
  if (network == NodeNetwork{}) {
    return;
  }
  cluster_.network.nodes.resize(shape().nodes.size());
  for (const std::string& node : nodes) {
    cluster_.network.nodes[shape().find_node(node).index()] = network;
  }
}

namespace {

/// The class with the node's own name as its host name, if it has one.
NodeClassId with_host_name(ShapeBuilder& builder, NodeClassId id, std::string_view node) {
  NodeClass node_class = builder.shape().node_classes[id.index()];
  LabelSet labels = builder.shape().label_sets[node_class.labels.index()];
  const auto host = std::ranges::find(labels, builder.text("kubernetes.io/hostname"), &LabelSet::value_type::first);
  if (host == labels.end()) {
    return id;
  }
  host->second = builder.text(node);
  node_class.labels = builder.labels(std::move(labels));
  return builder.node_class_as_given(std::move(node_class));
}

}  // namespace

EditEffect ModelEditor::add_nodes(ShapeEdit changed, NodeClassId node_class, const std::string& stem,
                                  std::int32_t count) {
  EditEffect effect;
  std::int32_t number = 0;
  for (std::int32_t i = 0; i < count; ++i) {
    std::string added;
    do {
      added = fmt::format("{}-new-{}", stem, ++number);
    } while (shape().find_node(added).valid());
    changed.builder.node(added, with_host_name(changed.builder, node_class, added));
    effect.nodes.push_back(std::move(added));
  }
  std::map<std::string_view, int> gpus;
  for (const Gpu& gpu : changed.builder.shape().node_classes[node_class.index()].gpus) {
    const StringId model = changed.builder.shape().board(gpu).model;
    ++gpus[model.valid() ? changed.builder.shape().text(model) : "GPU"];
  }
  std::vector<std::string> each;
  for (const auto& [model, number_of] : gpus) {
    each.push_back(fmt::format("{} {}", number_of, model));
  }
  effect.effect = added_text(effect.nodes, each);
  rebuild(std::move(changed));
  return effect;
}

Result<EditEffect> ModelEditor::operator()(const LabelNode& edit) {
  const Result<NodeId> node = find_node(edit.node);
  if (!node) {
    return std::unexpected(node.error());
  }
  ShapeEdit changed(shape());
  NodeClass node_class = cluster_.usage.node_class(*node);
  objects::Labels wanted = labels(node_class.labels);
  const std::string* const found = objects::find(wanted, edit.key);
  const EditEffect effect{
      {}, label_text(edit.key, found == nullptr ? std::nullopt : std::optional(*found)), {edit.node}};
  objects::set_label(wanted, edit.key, edit.value);
  node_class.labels = changed.labels(wanted);
  rebuild(std::move(changed), *node, std::move(node_class));
  if (std::ranges::find(kNvlinkDomainLabels, edit.key) != kNvlinkDomainLabels.end()) {
    const std::string_view domain = nvlink_domain(label_texts(shape(), cluster_.usage.node_class(*node).labels));
    cluster_.nvlink_domains.resize(std::max(cluster_.nvlink_domains.size(), node->index() + 1));
    cluster_.nvlink_domains[node->index()] = domain.empty() ? StringId{} : shape().strings.find(domain);
  }
  const std::string& rack_label = cluster_.network.rack_label;
  if (rack_label.empty() ? std::ranges::find(kRackLabels, edit.key) != kRackLabels.end() : edit.key == rack_label) {
    const auto texts = label_texts(shape(), cluster_.usage.node_class(*node).labels);
    const std::string_view rack = rack_of(texts, rack_label);
    cluster_.network.nodes.resize(shape().nodes.size());
    cluster_.network.nodes[node->index()].rack = rack.empty() ? StringId{} : shape().strings.find(rack);
  }
  return effect;
}

namespace {

TaintEffect effect_of(std::string_view text) {
  return text == "PreferNoSchedule" ? TaintEffect::kPreferNoSchedule
         : text == "NoExecute"      ? TaintEffect::kNoExecute
                                    : TaintEffect::kNoSchedule;
}

bool tolerates_taint(const PodClass& pod, const Taint& taint) {
  // The filter looks at NoSchedule and NoExecute alike, so one taint alone tells whether it is tolerated.
  return tolerates(std::span(&taint, 1), pod.tolerations);
}

}  // namespace

Result<EditEffect> ModelEditor::operator()(const TaintNode& edit) {
  const Result<NodeId> node = find_node(edit.node);
  if (!node) {
    return std::unexpected(node.error());
  }
  ShapeEdit changed(shape());
  NodeClass node_class = cluster_.usage.node_class(*node);
  std::vector<Taint> taints = shape().taint_sets[node_class.taints.index()];
  const StringId key = changed.builder.text(edit.taint.key);
  const std::size_t removed = std::erase_if(taints, [&](const Taint& taint) {
    return taint.key == key && (edit.taint.effect.empty() || taint.effect == effect_of(edit.taint.effect));
  });
  const StringId value = edit.taint.value.empty() ? StringId{} : changed.builder.text(edit.taint.value);
  const Taint added{key, value, effect_of(edit.taint.effect)};
  if (!edit.remove) {
    taints.push_back(added);
  }
  node_class.taints = changed.builder.taints(std::move(taints));
  rebuild(std::move(changed), *node, std::move(node_class));
  EditEffect effect{{}, {}, {edit.node}};
  if (!edit.remove && added.effect == TaintEffect::kNoExecute) {
    placement::Placer placer(cluster_.usage, options_);
    for (const PodId pod : pods_of(*node)) {
      const PodControl control = facts(pod).control;
      if (control == PodControl::kPlaceholder || tolerates_taint(cluster_.usage.pod_class(pod), added)) {
        continue;
      }
      if (control == PodControl::kStays) {  // its DaemonSet makes it for this node only
        cluster_.usage.unbind(pod);
        effect.pods.push_back({name(pod), PodChange::kGone, edit.node});
      } else {
        effect.pods.push_back(move(pod, placer));
      }
    }
  }
  effect.effect = taint_text(edit, removed > 0, effect);
  return effect;
}

std::string ModelEditor::idle_text(std::span<const NodeId> nodes) const {
  std::size_t idle = 0;
  for (const NodeId node : nodes) {
    const NodeClass& node_class = cluster_.usage.node_class(node);
    for (std::size_t i = 0; i < node_class.gpus.size(); ++i) {
      const Gpu& gpu = node_class.gpus[i];
      idle += !gpu.mig && gpu.replicas == 1 && cluster_.usage.free_milli(node)[i] == kWholeGpuMilli ? 1 : 0;
    }
  }
  return idle == 0 ? std::string() : fmt::format("; {} free GPU{} out of reach", idle, idle == 1 ? "" : "s");
}

Result<EditEffect> ModelEditor::operator()(const CordonNode& edit) {
  const Result<std::vector<NodeId>> nodes = targets(edit.node);
  if (!nodes) {
    return std::unexpected(nodes.error());
  }
  EditEffect effect;
  for (const NodeId node : *nodes) {
    if (cluster_.usage.cordoned(node) != edit.cordoned) {
      cluster_.usage.set_cordoned(node, edit.cordoned);
      effect.nodes.push_back(name(node));
    }
  }
  effect.effect = cordoned_text(effect.nodes, edit.cordoned) + (edit.cordoned ? idle_text(*nodes) : std::string());
  return effect;
}

}  // namespace gpusched::whatif
