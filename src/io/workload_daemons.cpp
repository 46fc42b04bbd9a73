#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

#include "gpusched/io/model_reader.hpp"

// DaemonSets run one pod on every node that their pods may be on, whatever else is there.
// Rule: k8s.io/kubernetes v1.37, pkg/controller/daemon, NodeShouldRunDaemonPod.
namespace gpusched::io {

namespace {

bool tolerated(const Taint& taint, const PodClass& pod) {
  return std::ranges::any_of(pod.tolerations, [&](const Toleration& toleration) {
    return (!toleration.effect || *toleration.effect == taint.effect) &&
           (!toleration.key.valid() || toleration.key == taint.key) &&
           (toleration.op == TolerationOperator::kExists || toleration.value == taint.value);
  });
}

bool holds(const ClusterShape& shape, const SelectorRequirement& requirement, std::optional<StringId> value) {
  const bool listed = value && std::ranges::find(requirement.values, *value) != requirement.values.end();
  switch (requirement.op) {
    case SelectorOperator::kIn:
      return listed;
    case SelectorOperator::kNotIn:
      return !listed;
    case SelectorOperator::kExists:
      return value.has_value();
    case SelectorOperator::kDoesNotExist:
      return !value.has_value();
    case SelectorOperator::kGt:
    case SelectorOperator::kLt: {
      const std::string_view text = value ? shape.text(*value) : std::string_view();
      std::int64_t number = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      return error == std::errc() && end == text.data() + text.size() &&
             (requirement.op == SelectorOperator::kGt ? number > requirement.number : number < requirement.number);
    }
  }
  return false;
}

bool may_run(const ClusterShape& shape, const Node& node, const PodClass& pod) {
  const NodeClass& node_class = shape.node_classes[node.node_class.index()];
  const LabelSet& labels = shape.label_sets[node_class.labels.index()];
  const auto label = [&](StringId key) {
    const auto found = std::ranges::find(labels, key, &LabelSet::value_type::first);
    return found == labels.end() ? std::nullopt : std::optional(found->second);
  };
  const bool selected = std::ranges::all_of(
      pod.node_selector, [&](const auto& wanted) { return label(wanted.first) == std::optional(wanted.second); });
  const auto fulfilled = [&](const SelectorTerm& term) {
    return !term.empty() && std::ranges::all_of(term, [&](const SelectorRequirement& requirement) {
      return holds(shape, requirement, requirement.key.valid() ? label(requirement.key) : std::optional(node.name));
    });
  };
  const bool wanted = pod.node_affinity.empty() || std::ranges::any_of(pod.node_affinity, fulfilled);
  return selected && wanted &&
         std::ranges::all_of(shape.taint_sets[node_class.taints.index()], [&](const Taint& taint) {
           return taint.effect == TaintEffect::kPreferNoSchedule || tolerated(taint, pod);
         });
}

}  // namespace

void ModelReader::spread_daemons() {
  if (std::ranges::none_of(pods_, &WantedPod::per_node)) {
    return;
  }
  std::vector<WantedPod> pods;
  for (const WantedPod& pod : pods_) {
    if (!pod.per_node) {
      pods.push_back(pod);
      continue;
    }
    const std::string name(builder_.shape().text(pod.name));
    PodClass prototype = builder_.shape().pod_classes[pod.pod_class.index()];
    std::erase_if(prototype.requests, [&](const auto& request) {  // interning adds them again
      return (prototype.gpus > 0 && request.first == prototype.gpu_resource) ||
             std::ranges::find(prototype.mig, request.first, &MigRequest::resource) != prototype.mig.end();
    });
    const std::size_t before = pods.size();
    for (std::size_t i = 0; i < builder_.shape().nodes.size(); ++i) {
      const Node node = builder_.shape().nodes[i];
      if (!may_run(builder_.shape(), node, prototype)) {
        continue;
      }
      // The controller pins each pod to its node.
      PodClass pinned = prototype;
      if (pinned.node_affinity.empty()) {
        pinned.node_affinity.emplace_back();
      }
      for (SelectorTerm& term : pinned.node_affinity) {
        term.push_back({{}, SelectorOperator::kIn, {node.name}, 0});
      }
      const std::string node_name(builder_.shape().text(node.name));
      pods.push_back({builder_.text(fmt::format("{}-{}", name, node_name)), builder_.pod_class(std::move(pinned)),
                      pod.facts, false});
    }
    if (pods.size() == before) {
      Diagnostic& warning = notes_.emplace_back();
      warning.severity = Severity::kWarning;
      warning.code = "no-pods-made";
      warning.message = "its pods may be on no node of the cluster: selector, affinity or taints keep them away";
      warning.object = name;
    }
  }
  pods_ = std::move(pods);
}

}  // namespace gpusched::io
