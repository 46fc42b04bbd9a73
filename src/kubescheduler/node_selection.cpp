#include "kubescheduler/node_selection.hpp"

namespace gpusched::kubescheduler {

bool matches_required(const objects::Pod& pod, const objects::Node& node) {
  for (const auto& [key, wanted] : pod.spec->node_selector) {
    const std::string* const value = objects::find(node.meta.labels, key);
    if (value == nullptr || *value != wanted) {
      return false;
    }
  }
  const auto& affinity = pod.spec->affinity.node;
  return !affinity || !affinity->required || matches(*affinity->required, node.meta.labels, node.meta.name);
}

const objects::Taint* find_untolerated(const objects::Node& node, const objects::Pod& pod, bool compare_numbers) {
  return objects::find_untolerated(node.spec.taints, pod.spec->tolerations, compare_numbers);
}

}  // namespace gpusched::kubescheduler
