#include "explain/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <span>

#include "explain/amounts.hpp"
#include "gpusched/base/text.hpp"

namespace gpusched::explain {

namespace {

struct BlockName {
  Step step;
  std::string_view by;
};

constexpr std::array kBlockNames = {
    BlockName{Step::kCordon, "cordon"},          BlockName{Step::kTaint, "taint"},
    BlockName{Step::kSelector, "selector"},      BlockName{Step::kNodeName, "node name"},
    BlockName{Step::kVolume, "volume"},          BlockName{Step::kSpread, "topology spread"},
    BlockName{Step::kAffinity, "affinity"},      BlockName{Step::kAntiAffinity, "anti-affinity"},
    BlockName{Step::kFeatures, "node features"}, BlockName{Step::kClaim, "claim"},
};

std::string_view block_name(Step step) {
  const auto found = std::ranges::find(kBlockNames, step, &BlockName::step);
  return found == kBlockNames.end() ? "other" : found->by;
}

std::string node_count(std::size_t count) {
  return count == 1 ? "1 node" : fmt::format("{} nodes", count);
}

/// Every node at the shortest distance that has the obstacle.
std::vector<NodeIndex> nearest_nodes(const Survey& survey, const auto& wanted) {
  std::vector<NodeIndex> nodes;
  for (const NodeGroup& group : survey.groups) {
    if (group.distance == survey.groups.front().distance && wanted(group)) {
      nodes.insert(nodes.end(), group.nodes.begin(), group.nodes.end());
    }
  }
  return nodes;
}

/// Nodes where only pods are in the way, whatever their distance below 10.
std::vector<NodeIndex> occupied_nodes(const Survey& survey, const std::string& resource) {
  std::vector<NodeIndex> nodes;
  for (const NodeGroup& group : survey.groups) {
    const bool short_of_it = std::ranges::any_of(group.obstacles, [&](const Obstacle& obstacle) {
      return obstacle.step == Step::kBusy && obstacle.what == resource;
    });
    if (group.distance < 10 && short_of_it) {
      nodes.insert(nodes.end(), group.nodes.begin(), group.nodes.end());
    }
  }
  std::ranges::sort(nodes);
  return nodes;
}

/// The resource that is short on most of the nearest nodes, extended ones first; nullptr: none.
const Wanted* scarce_resource(const Survey& survey) {
  const Wanted* scarcest = nullptr;
  std::size_t most = 0;
  for (const Wanted& resource : survey.wanted) {
    const Obstacle busy{Step::kBusy, resource.name};
    const std::size_t count = nearest_nodes(survey, [&](const NodeGroup& group) {
                                return std::ranges::find(group.obstacles, busy) != group.obstacles.end();
                              }).size();
    if (count > most && (scarcest == nullptr || !scarcest->extended)) {
      scarcest = &resource;
      most = count;
    }
  }
  return scarcest;
}

/// "4 nvidia.com/gpu are": the extended resources that the pod asks for; "" none.
std::string devices_text(const Survey& survey) {
  std::vector<std::string> texts;
  std::int64_t count = 0;
  for (const Wanted& resource : survey.wanted) {
    if (resource.extended) {
      texts.push_back(fmt::format("{} {}", resource.amount, resource.name));
      count += resource.amount;
    }
  }
  return texts.empty() ? std::string() : fmt::format("{} {}", join(texts, ", "), count == 1 ? "is" : "are");
}

/// "g6-a lacks cpu; g6-b, g6-c lack memory".
std::string lacking_text(const Snapshot& snapshot, std::span<const NodeGroup* const> groups) {
  std::vector<std::string> texts;
  for (const NodeGroup* const group : groups) {
    std::vector<std::string> names;
    std::ranges::transform(group->obstacles, std::back_inserter(names), &Obstacle::what);
    texts.push_back(fmt::format("{} {} {}", name_list(snapshot, group->nodes),
                                group->nodes.size() == 1 ? "lacks" : "lack", join(names, " and ")));
  }
  return join(texts, "; ");
}

/// The pod's devices are free on some nodes, and what is short there is cpu or memory beside them: then the devices are
/// not what is busy. nullopt: no such nodes.
std::optional<Finding> short_beside_devices(const Snapshot& snapshot, const Survey& survey) {
  const std::string devices = devices_text(survey);
  const std::vector<const NodeGroup*> beside = survey.groups_short_of(false);
  if (devices.empty() || beside.empty()) {
    return std::nullopt;
  }
  std::vector<NodeIndex> nodes;
  for (const NodeGroup* const group : beside) {
    nodes.insert(nodes.end(), group->nodes.begin(), group->nodes.end());
  }
  std::ranges::sort(nodes);
  const auto everywhere = std::ranges::find_if(beside.front()->obstacles, [&](const Obstacle& obstacle) {
    return std::ranges::all_of(beside, [&](const NodeGroup* group) {
      return std::ranges::find(group->obstacles, obstacle) != group->obstacles.end();
    });
  });
  if (everywhere == beside.front()->obstacles.end()) {
    return Finding{
        "fragmented", "",
        fmt::format("{} free on {}, but {}", devices, name_list(snapshot, nodes), lacking_text(snapshot, beside))};
  }
  const Wanted& lacking = *survey.find(everywhere->what);
  const auto free = [&](NodeIndex node) {
    return std::max<std::int64_t>(free_of(snapshot.node(node), lacking.index), 0);
  };
  const std::int64_t most = free(*std::ranges::max_element(nodes, {}, free));
  const std::string asked =
      fmt::format("{} {}", prose_amount(lacking.name, lacking.amount, Rounding::kUp), lacking.name);
  if (const std::vector<const NodeGroup*> elsewhere = survey.groups_short_of(true); !elsewhere.empty()) {
    return Finding{"fragmented", "",
                   fmt::format("{} free on {} and {} on {}, but no node has both free", devices,
                               name_list(snapshot, nodes), asked, name_list(snapshot, elsewhere.front()->nodes))};
  }
  return Finding{
      "busy", "",
      fmt::format("{} free on {}, but at most {} of the {} that it needs there; it fits when {} more are freed",
                  devices, name_list(snapshot, nodes), prose_amount(lacking.name, most, Rounding::kDown), asked,
                  prose_amount(lacking.name, lacking.amount - most, Rounding::kUp))};
}

Finding occupied(const Snapshot& snapshot, const Survey& survey) {
  if (std::optional<Finding> finding = short_beside_devices(snapshot, survey)) {
    return *std::move(finding);
  }
  const Wanted* const resource = scarce_resource(survey);
  if (resource == nullptr) {
    const NodeGroup& nearest = survey.groups.front();
    const Obstacle& obstacle = nearest.obstacles.front();
    return {
        "busy", "",
        fmt::format("{} on {}; it fits when pods leave", obstacle_text(obstacle), name_list(snapshot, nearest.nodes))};
  }
  const std::vector<NodeIndex> nodes = occupied_nodes(survey, resource->name);
  std::int64_t total = 0;
  std::int64_t most = -1;
  NodeIndex freest;
  for (const NodeIndex node : nodes) {
    const std::int64_t free = std::max<std::int64_t>(free_of(snapshot.node(node), resource->index), 0);
    total += free;
    if (free > most) {
      most = free;
      freest = node;
    }
  }
  const std::string asked = prose_amount(resource->name, resource->amount, Rounding::kUp);
  const std::string missing = prose_amount(resource->name, resource->amount - most, Rounding::kUp);
  if (total >= resource->amount) {
    return {"fragmented", "",
            fmt::format("{} {} are free on {}, but no node has {} free: at most {} on {}",
                        prose_amount(resource->name, total, Rounding::kDown), resource->name, node_count(nodes.size()),
                        asked, prose_amount(resource->name, most, Rounding::kDown), snapshot.node(freest).name())};
  }
  return {
      "busy", "",
      fmt::format("asks for {} {}, at most {} free on {} that could hold it ({}); it fits when {} more {} freed there",
                  asked, resource->name, prose_amount(resource->name, most, Rounding::kDown), node_count(nodes.size()),
                  snapshot.node(freest).name(), missing, missing == "1" ? "is" : "are")};
}

/// The step that blocks most of the nearest nodes; of equals the one that kube-scheduler meets first.
Finding blocked(const Snapshot& snapshot, const Survey& survey) {
  const int distance = survey.groups.front().distance;
  std::vector<std::pair<Step, std::size_t>> counts;
  for (const NodeGroup& group : survey.groups) {
    if (group.distance != distance) {
      continue;
    }
    const auto first =
        std::ranges::find_if(group.obstacles, [](const Obstacle& obstacle) { return obstacle.step >= Step::kClaim; });
    const auto known = std::ranges::find(counts, first->step, &std::pair<Step, std::size_t>::first);
    if (known == counts.end()) {
      counts.emplace_back(first->step, group.nodes.size());
    } else {
      known->second += group.nodes.size();
    }
  }
  const Step step = std::ranges::max_element(counts, {}, &std::pair<Step, std::size_t>::second)->first;
  const std::vector<NodeIndex> nodes = nearest_nodes(survey, [&](const NodeGroup& group) { return group.has(step); });
  std::vector<std::string> whats;
  for (const NodeGroup& group : survey.groups) {
    for (const Obstacle& obstacle : group.obstacles) {
      if (group.distance == distance && obstacle.step == step &&
          std::ranges::find(whats, obstacle.what) == whats.end()) {
        whats.push_back(obstacle.what);
      }
    }
  }
  const std::string where = name_list(snapshot, nodes);
  std::string text;
  switch (step) {
    case Step::kTaint:
      text = fmt::format("the pod does not tolerate {} of {}", join(whats, "; "), where);
      break;
    case Step::kCordon:
      text = fmt::format("{} {} cordoned", where, nodes.size() == 1 ? "is" : "are");
      break;
    case Step::kSelector:
      text = fmt::format("the pod's node selector or affinity leaves out {}", where);
      break;
    case Step::kClaim:
      text = fmt::format("a claim of the pod is allocated for another node than {}", where);
      break;
    default:
      text = fmt::format("{}: {}", where, join(whats, "; "));
  }
  return {"blocked", std::string(block_name(step)), std::move(text)};
}

Finding never_fits(const Snapshot& snapshot, const Survey& survey) {
  for (const Wanted& resource : survey.wanted) {
    if (resource.extended && resource.largest <= 0) {
      const bool capacity = std::ranges::any_of(snapshot.nodes(), [&](const NodeState& node) {
        const Quantity* const amount = objects::find(node.object->status.capacity, resource.name);
        return amount != nullptr && amount->sign() > 0;
      });
      return capacity
                 ? Finding{"blocked", "device plugin",
                           fmt::format("no node has {} allocatable although its hardware is there: the device "
                                       "plugin is not healthy or restarts; the nodes are not busy",
                                       resource.name)}
                 : Finding{"never fits", "", fmt::format("no node publishes {}; waiting does not help", resource.name)};
    }
  }
  for (const Wanted& resource : survey.wanted) {
    if (resource.amount > resource.largest) {
      std::vector<NodeIndex> largest;
      for (std::size_t i = 0; i < snapshot.nodes().size(); ++i) {
        if (snapshot.nodes()[i].allocatable_of(resource.index) == resource.largest) {
          largest.emplace_back(i);
        }
      }
      return {
          "never fits", "",
          fmt::format("it asks for {} {} on one node, the largest has {} ({}); waiting does not help",
                      prose_amount(resource.name, resource.amount, Rounding::kUp), resource.name,
                      prose_amount(resource.name, resource.largest, Rounding::kDown), name_list(snapshot, largest))};
    }
  }
  const NodeGroup& nearest = survey.groups.front();
  std::vector<std::string> texts;
  std::ranges::transform(nearest.obstacles, std::back_inserter(texts), obstacle_text);
  return {"never fits", "",
          fmt::format("no node has all that it asks for; nearest {}: {}; waiting does not help",
                      name_list(snapshot, nearest.nodes), join(texts, ", "))};
}

}  // namespace

Finding verdict_by_nodes(const Snapshot& snapshot, const Survey& survey) {
  const int distance = survey.groups.front().distance;
  if (distance < 10) {
    return occupied(snapshot, survey);
  }
  return distance < 500 ? blocked(snapshot, survey) : never_fits(snapshot, survey);
}

Finding verdict_before_nodes(const objects::Pod& pod, const kubescheduler::Prediction& prediction) {
  using kubescheduler::Verdict;
  switch (prediction.verdict) {
    case Verdict::kGated:
      return {"waiting for a gate", "",
              fmt::format("the pod is not tried until its scheduling gates are gone: {}",
                          join(pod.spec->scheduling_gates, ", "))};
    case Verdict::kWaiting:
      if (prediction.plugin == "DynamicResources") {
        return {"waiting for a claim", "", prediction.plugin_message};
      }
      return pod.meta.deletion_timestamp
                 ? Finding{"being deleted", "", "the pod is being deleted; it is not scheduled any more"}
                 : Finding{
                       "another scheduler", "",
                       fmt::format("the pod is for the scheduler {}; kube-scheduler's default profile does not look "
                                   "at it, and what that one decides is not predicted here",
                                   pod.spec->scheduler_name)};
    case Verdict::kError:
      return {"error", "", "an error ends every attempt, also where the pod would fit; it is tried again and again"};
    case Verdict::kUndecided:
      return {"undecided", "", "the search for devices reached its step budget; --max-steps raises it"};
    default:
      break;
  }
  if (prediction.pre_filter.empty()) {
    return {"no nodes", "", "the cluster has no nodes"};
  }
  const kubescheduler::PluginStatus& refusal = prediction.pre_filter.front();
  const std::string reason = join(refusal.reasons, ", ");
  if (refusal.plugin == "NodeAffinity") {
    return {"blocked", "selector", fmt::format("no node can match: {}", reason)};
  }
  if (refusal.plugin == "DynamicResources") {
    return {"waiting for a claim", "", reason};
  }
  return {
      refusal.plugin.starts_with("Volume") || refusal.plugin == "NodeVolumeLimits" ? "waiting for a volume" : "blocked",
      refusal.plugin == "InterPodAffinity" ? "affinity" : "", reason};
}

}  // namespace gpusched::explain
