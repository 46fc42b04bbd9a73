#include "explain/survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "explain/cluster_facts.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/whatif/pod_edit.hpp"

namespace gpusched::explain {

namespace {

constexpr std::string_view kInsufficient = "Insufficient ";

struct PluginStep {
  std::string_view plugin;
  Step step;
};

constexpr std::array kPluginSteps = {
    PluginStep{"NodeName", Step::kNodeName},
    PluginStep{"NodeUnschedulable", Step::kCordon},
    PluginStep{"TaintToleration", Step::kTaint},
    PluginStep{"NodeAffinity", Step::kSelector},
    PluginStep{"NodePorts", Step::kPorts},
    PluginStep{"VolumeRestrictions", Step::kVolume},
    PluginStep{"NodeVolumeLimits", Step::kVolume},
    PluginStep{"VolumeBinding", Step::kVolume},
    PluginStep{"VolumeZone", Step::kVolume},
    PluginStep{"PodTopologySpread", Step::kSpread},
    PluginStep{"NodeDeclaredFeatures", Step::kFeatures},
};

Step step_of(std::string_view plugin, std::string_view reason) {
  if (plugin == "InterPodAffinity") {
    return reason.find("anti-affinity") == std::string_view::npos ? Step::kAffinity : Step::kAntiAffinity;
  }
  if (plugin == "DynamicResources") {
    return reason == "resourceclaim not available on the node" ? Step::kClaim : Step::kDevices;
  }
  const auto found = std::ranges::find(kPluginSteps, plugin, &PluginStep::plugin);
  return found == kPluginSteps.end() ? Step::kOther : found->step;
}

int distance_of(const NodeGroup& group) {
  int distance = 0;
  for (const Obstacle& obstacle : group.obstacles) {
    switch (obstacle.step) {
      case Step::kNotOffered:
        distance += 1000;
        break;
      case Step::kTooSmall:
        distance += 500;
        break;
      case Step::kBusy:
      case Step::kTooManyPods:
      case Step::kPorts:
      case Step::kDevices:
        distance += 1;
        break;
      default:
        distance += 10;
    }
  }
  return distance;
}

std::vector<Wanted> wanted_resources(const Snapshot& snapshot, const objects::Pod& pod) {
  const objects::ResourceAmounts amounts = objects::pod_demand(pod, snapshot.request_rules()).requests;
  std::vector<Wanted> wanted;
  const auto add = [&](const std::string& name, std::int64_t amount) {
    if (amount <= 0) {
      return;
    }
    Wanted& resource =
        wanted.emplace_back(Wanted{name, snapshot.find_resource(name), amount, 0, objects::is_extended_resource(name)});
    for (const NodeState& node : snapshot.nodes()) {
      resource.largest = std::max(resource.largest, node.allocatable_of(resource.index));
    }
  };
  for (const auto& [name, amount] : amounts.scalars) {
    add(name, amount);
  }
  add("cpu", amounts.milli_cpu);
  add("memory", amounts.memory);
  add("ephemeral-storage", amounts.ephemeral_storage);
  return wanted;
}

/// Turns refusals of nodes into obstacles. What depends on the node beside the refusals: whether a resource is only
/// busy, and which taints are in the way.
class Surveyor {
 public:
  Surveyor(const Snapshot& snapshot, const objects::Pod& pod, const kubescheduler::PredictOptions& options)
      : snapshot_(snapshot), pod_(pod), compare_numbers_(options.rules.compare_tolerations) {}

  [[nodiscard]] std::vector<Obstacle> obstacles_of(const NodeState& node, const kubescheduler::NodeRefusals& refusals,
                                                   const std::vector<Wanted>& wanted) const {
    std::vector<Obstacle> obstacles;
    for (const kubescheduler::PluginStatus& status : refusals) {
      if (status.plugin == "TaintToleration") {
        if (std::string taints = taint_list(*node.object); !taints.empty()) {
          obstacles.push_back({Step::kTaint, std::move(taints)});
        }
        continue;
      }
      for (const std::string& reason : status.reasons) {
        obstacles.push_back(status.plugin == "NodeResourcesFit" ? shortage(node, reason, wanted)
                                                                : Obstacle{step_of(status.plugin, reason), reason});
      }
    }
    return obstacles;
  }

 private:
  [[nodiscard]] std::string taint_list(const objects::Node& node) const {
    std::vector<std::string> texts;
    for (const objects::Taint* const taint : untolerated(node, pod_, compare_numbers_)) {
      if (node.spec.unschedulable && taint->key == "node.kubernetes.io/unschedulable") {
        continue;  // the cordon itself
      }
      texts.push_back(whatif::to_text(*taint));
    }
    return join(texts, ", ");
  }
  [[nodiscard]] Obstacle shortage(const NodeState& node, const std::string& reason,
                                  const std::vector<Wanted>& wanted) const {
    if (!reason.starts_with(kInsufficient)) {
      return {node.allowed_pods > 0 ? Step::kTooManyPods : Step::kTooSmall, "pods"};
    }
    const std::string name = reason.substr(kInsufficient.size());
    const auto found = std::ranges::find(wanted, name, &Wanted::name);
    const std::int64_t allocatable = found == wanted.end() ? 0 : node.allocatable_of(found->index);
    if (allocatable <= 0 && found != wanted.end() && found->extended) {
      return {Step::kNotOffered, name};
    }
    return {found != wanted.end() && found->amount <= allocatable ? Step::kBusy : Step::kTooSmall, name};
  }

  const Snapshot& snapshot_;
  const objects::Pod& pod_;
  bool compare_numbers_;
};

/// What a message would tell of the nodes.
std::vector<RefusedNodes> refused_nodes(const Snapshot& snapshot, const kubescheduler::Obstacles& all) {
  constexpr std::size_t kExamples = 3;
  std::vector<RefusedNodes> list;
  std::map<std::vector<std::string>, std::size_t> places;
  std::vector<std::size_t> place_of_kind;
  for (const kubescheduler::NodeRefusals& refusals : all.kinds) {
    if (refusals.empty()) {
      place_of_kind.push_back(SIZE_MAX);
      continue;
    }
    const auto [place, is_new] = places.try_emplace(refusals.front().reasons, list.size());
    if (is_new) {
      list.push_back({refusals.front().reasons, 0, {}});
    }
    place_of_kind.push_back(place->second);
  }
  for (std::size_t i = 0; i < all.of_node.size(); ++i) {
    const std::size_t place = place_of_kind[all.of_node[i]];
    if (place == SIZE_MAX) {
      continue;
    }
    RefusedNodes& group = list[place];
    if (++group.count <= kExamples) {
      group.examples.push_back(snapshot.node(NodeIndex(i)).name());
    }
  }
  return list;
}

/// What tells apart the obstacles of nodes with the same refusals.
struct Variant {
  std::uint32_t kind = 0;
  std::uint32_t taints = 0;  ///< class of the node's taints, if they are in the way
  std::uint64_t rooms = 0;   ///< a digit of base 3 a resource, if one is short: none, too little, enough

  auto operator<=>(const Variant&) const = default;
};

/// What of a list of refusals depends on the node.
struct KindNeeds {
  bool taints = false, rooms = false;
};

Variant variant_of(const NodeState& node, std::uint32_t kind, KindNeeds needs, std::uint32_t taint_class,
                   const std::vector<Wanted>& wanted) {
  Variant variant{kind, needs.taints ? taint_class : 0, 0};
  for (std::size_t i = 0; needs.rooms && i < wanted.size(); ++i) {
    const std::int64_t allocatable = node.allocatable_of(wanted[i].index);
    variant.rooms = variant.rooms * 3 + (allocatable <= 0 ? 0U : allocatable < wanted[i].amount ? 1U : 2U);
  }
  return variant;
}

}  // namespace

bool NodeGroup::has(Step step) const {
  return std::ranges::find(obstacles, step, &Obstacle::step) != obstacles.end();
}

const Wanted* Survey::find(std::string_view resource) const {
  const auto found = std::ranges::find(wanted, resource, &Wanted::name);
  return found == wanted.end() ? nullptr : &*found;
}

std::vector<const NodeGroup*> Survey::groups_short_of(bool extended) const {
  const auto is_such = [&](const Obstacle& obstacle) {
    const Wanted* const resource = find(obstacle.what);
    return obstacle.step == Step::kBusy && resource != nullptr && resource->extended == extended;
  };
  std::vector<const NodeGroup*> found;
  for (const NodeGroup& group : groups) {
    if (!group.obstacles.empty() && std::ranges::all_of(group.obstacles, is_such)) {
      found.push_back(&group);
    }
  }
  return found;
}

Survey survey_nodes(const Snapshot& snapshot, const objects::Pod& pod, const kubescheduler::PredictOptions& options,
                    const ClusterFacts& facts) {
  Survey survey;
  survey.wanted = wanted_resources(snapshot, pod);
  const kubescheduler::Obstacles all = kubescheduler::find_obstacles(snapshot, pod, options);
  survey.looked_at_nodes = !all.of_node.empty();
  survey.refused = refused_nodes(snapshot, all);
  const Surveyor surveyor(snapshot, pod, options);
  std::vector<KindNeeds> needs;
  for (const kubescheduler::NodeRefusals& refusals : all.kinds) {
    const auto has = [&](std::string_view plugin) {
      return std::ranges::find(refusals, plugin, &kubescheduler::PluginStatus::plugin) != refusals.end();
    };
    needs.push_back({has("TaintToleration"), has("NodeResourcesFit")});
  }
  std::map<Variant, std::size_t> places;
  for (std::size_t i = 0; i < all.of_node.size(); ++i) {
    const NodeState& node = snapshot.node(NodeIndex(i));
    const std::uint32_t kind = all.of_node[i];
    const auto [place, is_new] = places.try_emplace(
        variant_of(node, kind, needs[kind], facts.taint_classes[i], survey.wanted), survey.groups.size());
    if (is_new) {
      NodeGroup& group = survey.groups.emplace_back();
      group.obstacles = surveyor.obstacles_of(node, all.kinds[kind], survey.wanted);
      group.distance = distance_of(group);
    }
    survey.groups[place->second].nodes.emplace_back(i);
  }
  std::ranges::stable_sort(survey.groups, {}, &NodeGroup::distance);
  return survey;
}

std::vector<const objects::Taint*> untolerated(const objects::Node& node, const objects::Pod& pod,
                                               bool compare_numbers) {
  std::vector<const objects::Taint*> taints;
  for (const objects::Taint& taint : node.spec.taints) {
    const auto tolerates = [&](const objects::Toleration& toleration) {
      return objects::tolerates(toleration, taint, compare_numbers);
    };
    if (taint.effect != "PreferNoSchedule" && std::ranges::none_of(pod.spec->tolerations, tolerates)) {
      taints.push_back(&taint);
    }
  }
  return taints;
}

std::string name_list(const Snapshot& snapshot, const std::vector<NodeIndex>& nodes, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < std::min(nodes.size(), count); ++i) {
    text.append(i == 0 ? "" : ", ").append(snapshot.node(nodes[i]).name());
  }
  return nodes.size() > count ? fmt::format("{} and {} more", text, nodes.size() - count) : text;
}

std::string obstacle_text(const Obstacle& obstacle) {
  switch (obstacle.step) {
    case Step::kNotOffered:
      return fmt::format("no {}", obstacle.what);
    case Step::kTooSmall:
      return fmt::format("too little {} even when empty", obstacle.what);
    case Step::kBusy:
      return fmt::format("{} in use", obstacle.what);
    case Step::kTooManyPods:
      return "too many pods";
    case Step::kCordon:
      return "cordoned";
    case Step::kTaint:
      return fmt::format("the taint {}", obstacle.what);
    case Step::kSelector:
      return "node affinity or selector";
    case Step::kDevices:
      return obstacle.what == "cannot allocate all claims" ? "no devices for the claims" : obstacle.what;
    default:
      return obstacle.what;
  }
}

}  // namespace gpusched::explain
