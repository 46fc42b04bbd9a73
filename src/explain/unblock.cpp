#include <algorithm>
#include <optional>

#include "explain/fixes.hpp"
#include "gpusched/objects/node_match.hpp"

namespace gpusched::explain {

namespace {

/// Taints that tell of a state: the node is to be healed, not tolerated. Source: kubernetes.io, well-known taints; the
/// cloud providers' and Cluster API's taints of nodes that come or go.
bool tells_of_a_state(const objects::Taint& taint) {
  return taint.key.starts_with("node.kubernetes.io/") || taint.key.starts_with("node.cloudprovider.kubernetes.io/") ||
         taint.key.starts_with("node.cluster.x-k8s.io/") || taint.key == "ToBeDeletedByClusterAutoscaler" ||
         taint.key == "karpenter.sh/disrupted";
}

objects::Toleration toleration_of(const objects::Taint& taint) {
  objects::Toleration toleration;
  toleration.key = taint.key;
  toleration.op = taint.value.empty() ? "Exists" : "Equal";
  toleration.value = taint.value;
  toleration.effect = taint.effect;
  return toleration;
}

/// What of the selector and of the required affinity does not hold on the node.
void relax_selector(const Question& question, const objects::Node& node, Plan& plan) {
  const objects::PodSpec& spec = question.pod.spec;
  for (const auto& [key, value] : spec.node_selector) {
    const std::string* const label = objects::find(node.meta.labels, key);
    if (label == nullptr || *label != value) {
      plan.pod.emplace_back(whatif::DropNodeSelector{key});
    }
  }
  if (!spec.affinity.node || !spec.affinity.node->required ||
      objects::matches(*spec.affinity.node->required, node.meta.labels, node.meta.name)) {
    return;
  }
  // Of the terms, of which one must hold, the one with the fewest wrong expressions.
  std::optional<std::vector<whatif::PodEdit>> fewest;
  for (const objects::NodeSelectorTerm& term : spec.affinity.node->required->terms) {
    std::vector<whatif::PodEdit> drops;
    for (const bool fields : {false, true}) {
      for (const objects::NodeSelectorRequirement& requirement : fields ? term.match_fields : term.match_expressions) {
        objects::NodeSelectorTerm alone;
        (fields ? alone.match_fields : alone.match_expressions).push_back(requirement);
        if (!objects::matches(alone, node.meta.labels, node.meta.name)) {
          drops.emplace_back(whatif::DropNodeAffinity{requirement});
        }
      }
    }
    if (!fewest || drops.size() < fewest->size()) {
      fewest = std::move(drops);
    }
  }
  if (fewest) {
    plan.pod.insert(plan.pod.end(), fewest->begin(), fewest->end());
  }
}

/// Whether a node that the pod cannot use has a taint: then counting it in the spread may be the cause.
bool tainted_nodes_count(const Question& question) {
  return std::ranges::any_of(question.survey.groups, [](const NodeGroup& group) {
    return group.has(Step::kTaint) || group.has(Step::kCordon);
  });
}

}  // namespace

std::vector<Plan> unblocking_plans(const Question& question, const NodeGroup& group) {
  const objects::Node& node = *question.snapshot.node(group.nodes.front()).object;
  Plan plan;
  std::vector<std::string> spread_keys;
  for (const Obstacle& obstacle : group.obstacles) {
    switch (obstacle.step) {
      case Step::kCordon:
        plan.cluster.emplace_back(whatif::CordonNode{node.meta.name, false});
        break;
      case Step::kTaint:
        for (const objects::Taint* const taint :
             untolerated(node, question.pod, question.options.rules.compare_tolerations)) {
          if (taint->key == "node.kubernetes.io/unschedulable") {
            continue;  // goes with the cordon
          }
          if (tells_of_a_state(*taint)) {
            return {};
          }
          plan.pod.emplace_back(whatif::AddToleration{toleration_of(*taint)});
        }
        break;
      case Step::kSelector:
        relax_selector(question, node, plan);
        break;
      case Step::kAffinity:
      case Step::kAntiAffinity:
        plan.pod.emplace_back(whatif::DropPodAffinity{obstacle.step == Step::kAntiAffinity});
        break;
      case Step::kSpread:
        for (const objects::TopologySpreadConstraint& spread : question.pod.spec->topology_spread_constraints) {
          if (spread.when_unsatisfiable == "DoNotSchedule") {
            spread_keys.push_back(spread.topology_key);
          }
        }
        break;
      case Step::kBusy:
      case Step::kTooManyPods:
      case Step::kTooSmall:
        break;
      default:
        return {};
    }
  }
  std::vector<Plan> plans;
  if (!spread_keys.empty() && tainted_nodes_count(question)) {
    Plan honor = plan;
    for (const std::string& key : spread_keys) {
      honor.pod.emplace_back(whatif::HonorTaintsInSpread{key});
    }
    plans.push_back(std::move(honor));
  }
  for (const std::string& key : spread_keys) {
    plan.pod.emplace_back(whatif::DropTopologySpread{key});
  }
  if (!plan.pod.empty() || !plan.cluster.empty()) {
    plans.push_back(std::move(plan));
  }
  return plans;
}

}  // namespace gpusched::explain
