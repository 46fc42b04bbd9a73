#include <algorithm>
#include <set>

#include "kubescheduler/node_selection.hpp"
#include "kubescheduler/plugins.hpp"

namespace gpusched::kubescheduler {

namespace {

const objects::NodeAffinity& added_affinity(const Cycle& cycle) {
  static const objects::NodeAffinity kNone;
  const auto* const profile = cycle.options.configuration.find_profile(
      cycle.pod.spec->scheduler_name.empty() ? "default-scheduler" : cycle.pod.spec->scheduler_name);
  return profile == nullptr ? kNone : profile->added_affinity;
}

class NodeAffinityFilter final : public FilterPlugin {
 public:
  explicit NodeAffinityFilter(Cycle& cycle)
      : pod_(cycle.pod),
        added_(added_affinity(cycle)),
        enforced_(cycle.reasons.unresolvable("node(s) didn't match scheduler-enforced node affinity")),
        other_(cycle.reasons.unresolvable("node(s) didn't match Pod's node affinity/selector")) {}

  Status filter(const NodeView& view) override {
    const objects::Node& node = view.object();
    if (added_.required && !matches(*added_.required, node.meta.labels, node.meta.name)) {
      return enforced_;
    }
    return matches_required(pod_, node) ? Status() : other_;
  }

 private:
  const objects::Pod& pod_;
  const objects::NodeAffinity& added_;
  Status enforced_, other_;
};

using Names = std::set<std::string>;

/// The names that a term allows by metadata.name In, or none when it does not name nodes.
std::optional<Names> named_nodes(const objects::NodeSelectorTerm& term) {
  std::optional<Names> names;
  for (const objects::NodeSelectorRequirement& field : term.match_fields) {
    if (field.key != "metadata.name" || field.op != "In") {
      continue;
    }
    const Names listed(field.values.begin(), field.values.end());
    if (!names) {
      names = listed;
    } else {
      std::erase_if(*names, [&](const std::string& name) { return !listed.contains(name); });
    }
  }
  return names;
}

class NodeAffinityScore final : public ScorePlugin {
 public:
  explicit NodeAffinityScore(Cycle& cycle) : snapshot_(cycle.snapshot), added_(added_affinity(cycle).preferred) {
    if (cycle.pod.spec->affinity.node) {
      preferred_ = cycle.pod.spec->affinity.node->preferred;
    }
  }

  [[nodiscard]] bool empty() const { return added_.empty() && preferred_.empty(); }

  std::int64_t score(NodeIndex index) override {
    const objects::Node& node = *snapshot_.node(index).object;
    std::int64_t sum = 0;
    for (const auto terms : {added_, preferred_}) {
      for (const objects::PreferredSchedulingTerm& term : terms) {
        if (term.weight != 0 && matches(term.preference, node.meta.labels, node.meta.name)) {
          sum += term.weight;
        }
      }
    }
    return sum;
  }

  void normalize(std::span<const NodeIndex>, std::span<std::int64_t> scores) override {
    normalize_by_maximum(scores, false);
  }

 private:
  const Snapshot& snapshot_;
  std::span<const objects::PreferredSchedulingTerm> added_, preferred_;
};

}  // namespace

PreFiltered pre_filter_node_affinity(Cycle& cycle) {
  const auto& affinity = cycle.pod.spec->affinity.node;
  const bool required = affinity && affinity->required;
  if (!required && cycle.pod.spec->node_selector.empty() && !added_affinity(cycle).required) {
    return {};
  }
  PreFiltered result{{}, std::make_unique<NodeAffinityFilter>(cycle), false, {}};
  if (!required || affinity->required->terms.empty()) {
    return result;
  }
  Names names;
  for (const objects::NodeSelectorTerm& term : affinity->required->terms) {
    const std::optional<Names> of_term = named_nodes(term);
    if (!of_term) {
      return result;
    }
    names.insert(of_term->begin(), of_term->end());
  }
  if (names.empty()) {
    return {cycle.reasons.unresolvable("pod affinity terms conflict"), nullptr, false, {}};
  }
  result.names_nodes = true;
  result.node_names.assign(names.begin(), names.end());
  return result;
}

std::unique_ptr<ScorePlugin> pre_score_node_affinity(Cycle& cycle, FeasibleNodes) {
  auto score = std::make_unique<NodeAffinityScore>(cycle);
  if (score->empty()) {
    return nullptr;
  }
  return score;
}

}  // namespace gpusched::kubescheduler
