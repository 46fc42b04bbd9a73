#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "gpusched/io/model_reader.hpp"
#include "gpusched/model/node_rules.hpp"

// DaemonSets run one pod on every node that their pods may be on, whatever else is there.
// Rule: k8s.io/kubernetes v1.37, pkg/controller/daemon, NodeShouldRunDaemonPod.
namespace gpusched::io {

namespace {

bool may_run(const ClusterShape& shape, const Node& node, const PodClass& pod) {
  const NodeClass& node_class = shape.node_classes[node.node_class.index()];
  const LabelSet& labels = shape.label_sets[node_class.labels.index()];
  return matches(labels, pod.node_selector) && matches_affinity(shape, labels, node.name, pod) &&
         tolerates(shape.taint_sets[node_class.taints.index()], pod.tolerations);
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
