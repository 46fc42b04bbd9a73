#include "gpusched/model/node_pools.hpp"

#include <algorithm>
#include <array>

namespace gpusched {

namespace {
constexpr std::array<std::string_view, 8> kPoolLabels = {"cloud.google.com/gke-nodepool",
                                                         "eks.amazonaws.com/nodegroup",
                                                         "alpha.eksctl.io/nodegroup-name",
                                                         "kubernetes.azure.com/agentpool",
                                                         "agentpool",
                                                         "karpenter.sh/nodepool",
                                                         "node.cluster.x-k8s.io/nodepool",
                                                         "pool"};
}

std::span<const std::string_view> pool_label_keys() {
  return kPoolLabels;
}

std::string_view pool_of(const ClusterShape& shape, const NodeClass& node_class) {
  const LabelSet& labels = shape.label_sets[node_class.labels.index()];
  for (const std::string_view key : kPoolLabels) {
    const StringId id = shape.strings.find(key);
    const auto found = std::ranges::find(labels, id, &LabelSet::value_type::first);
    if (id.valid() && found != labels.end()) {
      return shape.text(found->second);
    }
  }
  return {};
}

}  // namespace gpusched
