#include "kueue/topology_filter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gpusched/base/text.hpp"
#include "gpusched/objects/node_match.hpp"

namespace gpusched::kueue {

namespace {

// core/v1's Taint.ToString.
std::string text(const objects::Taint& taint) {
  const std::string key = taint.value.empty() ? taint.key : taint.key + "=" + taint.value;
  return key + ":" + taint.effect;
}

bool selects(const objects::Labels& selector, const objects::Labels& labels) {
  return std::ranges::all_of(selector, [&](const auto& wanted) {
    const std::string* const value = objects::find(labels, wanted.first);
    return value != nullptr && *value == wanted.second;
  });
}

// Counts the first reason against a node.
bool excludes(const NodeFilter& filter, const objects::Node& node, Verdicts& verdicts) {
  // Kueue compares numbers in tolerations (operators Gt and Lt) whatever the cluster's gates say.
  if (const auto* taint = objects::find_untolerated(node.spec.taints, filter.tolerations, true)) {
    ++verdicts.by_taint[text(*taint)];
    return true;
  }
  if (!selects(filter.selector, node.meta.labels)) {
    ++verdicts.by_selector;
    return true;
  }
  if (filter.affinity && !objects::matches(*filter.affinity, node.meta.labels, node.meta.name)) {
    ++verdicts.by_affinity;
    return true;
  }
  return false;
}

// As the NodeAffinity plugin scores: the weights of all terms that match.
std::int64_t preference(const NodeFilter& filter, const objects::Node& node) {
  std::int64_t sum = 0;
  for (const objects::PreferredSchedulingTerm& term : filter.preferred) {
    if (objects::matches(term.preference, node.meta.labels, node.meta.name)) sum += term.weight;
  }
  return sum;
}

}  // namespace

Verdicts judge(const NodeFilter& filter, std::span<const objects::Node* const> nodes, std::size_t leaves) {
  Verdicts verdicts;
  verdicts.excluded.resize(leaves);
  if (!filter.preferred.empty() && !nodes.empty()) verdicts.preference.resize(leaves);
  for (std::size_t leaf = 0; leaf < nodes.size(); ++leaf) {
    verdicts.excluded[leaf] = excludes(filter, *nodes[leaf], verdicts) ? 1 : 0;
    if (verdicts.excluded[leaf] == 0 && !filter.preferred.empty()) {
      verdicts.preference[leaf] = preference(filter, *nodes[leaf]);
    }
  }
  return verdicts;
}

std::string exclusion_text(const Exclusions& exclusions) {
  std::vector<std::string> reasons;
  const Verdicts& verdicts = *exclusions.verdicts;
  if (verdicts.by_selector > 0) reasons.push_back(fmt::format("nodeSelector: {}", verdicts.by_selector));
  if (verdicts.by_affinity > 0) reasons.push_back(fmt::format("affinity: {}", verdicts.by_affinity));
  for (const auto& [taint, nodes] : verdicts.by_taint) reasons.push_back(fmt::format("taint \"{}\": {}", taint, nodes));
  for (const auto& [name, nodes] : exclusions.by_resource) {
    reasons.push_back(fmt::format("resource \"{}\": {}", name, nodes));
  }
  if (reasons.empty()) return "";
  std::ranges::sort(reasons);
  return fmt::format(". Total nodes: {}; excluded: {}", exclusions.leaves, join(reasons, ", "));
}

}  // namespace gpusched::kueue
