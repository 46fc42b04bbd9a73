#include "whatif/model_editor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "gpusched/base/text.hpp"
#include "gpusched/model/node_rules.hpp"
#include "gpusched/objects/selector_text.hpp"
#include "whatif/names.hpp"

namespace gpusched::whatif {

bool is_selector(std::string_view text) {
  return text.find_first_of("=!, ()") != std::string_view::npos;
}

Result<EditedCluster> apply(std::span<const ClusterEdit> edits, Cluster cluster, const placement::Options& options) {
  EditedCluster result{std::move(cluster), {}};
  ModelEditor editor(result.cluster, options);
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
  std::vector<PodId>& pods = result.cluster.pods;
  pods.insert(pods.begin(), editor.homeless().begin(), editor.homeless().end());
  result.cluster.usage.commit();
  return result;
}

PodFacts ModelEditor::facts(PodId pod) const {
  return pod.index() < cluster_.pod_facts.size() ? cluster_.pod_facts[pod.index()] : PodFacts{};
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
      objects::Labels labels;
      for (const auto& [key, value] : shape().label_sets[id.index()]) {
        labels.emplace_back(shape().text(key), shape().text(value));
      }
      answer->second = matches(*selector, labels);
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
  cluster_.usage = std::move(next);
}

Result<EditEffect> ModelEditor::operator()(const AddShape& edit) {
  ShapeEdit changed(shape());
  const NodeClassId node_class = add_node_class(changed.builder, *edit.node);
  EditEffect effect;
  std::int32_t number = 0;
  for (std::int32_t i = 0; i < edit.count; ++i) {
    std::string added;
    do {
      added = fmt::format("{}-new-{}", edit.node->name, ++number);
    } while (shape().find_node(added).valid());
    changed.builder.node(added, node_class);
    effect.nodes.push_back(std::move(added));
  }
  const NodeClass& added = changed.builder.shape().node_classes[node_class.index()];
  std::map<std::string_view, int> gpus;
  for (const Gpu& gpu : added.gpus) {
    const StringId model = changed.builder.shape().board(gpu).model;
    ++gpus[model.valid() ? changed.builder.shape().text(model) : "GPU"];
  }
  std::vector<std::string> each;
  for (const auto& [model, count] : gpus) {
    each.push_back(fmt::format("{} {}", count, model));
  }
  effect.effect =
      fmt::format("{}{}: {}", edit.count == 1 ? "a node with " : fmt::format("{} nodes, each with ", edit.count),
                  each.empty() ? "no GPU" : join(each, " and "), short_list(effect.nodes));
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
  LabelSet labels = shape().label_sets[node_class.labels.index()];
  const StringId key = changed.builder.text(edit.key);
  const auto found = std::ranges::find(labels, key, &LabelSet::value_type::first);
  const std::string before = found == labels.end() ? std::string() : std::string(shape().text(found->second));
  EditEffect effect{
      {},
      found == labels.end() ? fmt::format("it had no label {}", edit.key) : fmt::format("was {}={}", edit.key, before),
      {edit.node}};
  if (found != labels.end()) {
    labels.erase(found);
  }
  if (edit.value) {
    labels.emplace_back(key, changed.builder.text(*edit.value));
  }
  node_class.labels = changed.builder.labels(std::move(labels));
  rebuild(std::move(changed), *node, std::move(node_class));
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
  if (edit.remove) {
    effect.effect = removed == 0 ? "it had no such taint" : "pods need not tolerate it any more";
    return effect;
  }
  effect.effect = "its pods stay, new ones must tolerate it";
  if (added.effect == TaintEffect::kNoExecute) {
    placement::Placer placer(cluster_.usage, options_);
    for (const PodId pod : pods_of(*node)) {
      if (facts(pod).control != PodControl::kPlaceholder && !tolerates_taint(cluster_.usage.pod_class(pod), added)) {
        effect.pods.push_back(move(pod, placer));
      }
    }
    effect.effect = "pods that do not tolerate it leave: " + eviction_text(effect.pods);
  }
  return effect;
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
  effect.effect = effect.nodes.empty()
                      ? fmt::format("{} already", edit.cordoned ? "cordoned" : "schedulable")
                      : fmt::format("{} {}", short_list(effect.nodes),
                                    effect.nodes.size() == 1 ? "takes no new pods" : "take no new pods");
  if (!effect.nodes.empty() && !edit.cordoned) {
    effect.effect = fmt::format("{} may take pods again", short_list(effect.nodes));
  }
  return effect;
}

}  // namespace gpusched::whatif
