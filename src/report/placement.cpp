#include "gpusched/report/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/cluster_map.hpp"
#include "report/fragmentation_parts.hpp"
#include "report/header.hpp"
#include "report/placement_parts.hpp"

namespace gpusched::report {

using Json = nlohmann::ordered_json;

namespace {

using placement::PodOutcome;

/// What the pod counts against: "nvidia.com/gpu", "nvidia.com/mig-3g.40gb", "" for a pod without devices.
std::string resource_text(const ClusterShape& shape, const PodClass& pod) {
  std::vector<std::string_view> names;
  if (pod.gpus > 0) {
    names.push_back(shape.name(pod.gpu_resource));
  }
  for (const MigRequest& request : pod.mig) {
    names.push_back(shape.name(request.resource));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

void add_devices(Json& entry, const ClusterUsage& usage, const PodOutcome& outcome) {
  const ClusterShape& shape = usage.shape();
  const NodeClass& node_class = usage.node_class(outcome.node);
  Json gpus = Json::array();
  Json instances = Json::array();
  std::vector<std::uint16_t> islands;
  for (const GpuShare& share : outcome.shares) {
    if (gpus.empty() || gpus.back() != share.gpu || share.instance == GpuShare::kNoInstance) {
      gpus.push_back(share.gpu);
    }
    islands.push_back(node_class.gpus[share.gpu].island);
    if (share.instance != GpuShare::kNoInstance) {
      const MigInstance& instance = node_class.instances[share.instance];
      instances.push_back(fmt::format("{}@{}", shape.text(instance.profile), instance.start));
    }
  }
  std::ranges::sort(islands);
  islands.erase(std::ranges::unique(islands).begin(), islands.end());
  entry["gpus"] = std::move(gpus);
  entry["islands"] = islands;
  if (instances.size() == 1) {
    entry["migInstance"] = instances.front();
  } else if (!instances.empty()) {
    entry["migInstances"] = std::move(instances);
  }
}

Json all_reduce_object(const topology::AllReduceBound& bound, std::int64_t gradient_bytes) {
  return {{"gradientGB", static_cast<double>(gradient_bytes) / 1e9},
          {"link", bound.link == topology::Link::kNvlink ? "nvlink" : "pcie"},
          {"bandwidthGBps", static_cast<double>(bound.bandwidth_mbps) / 1000.0},
          {"seconds", bound.seconds}};
}

Json pod_entry(const ClusterUsage& usage, std::span<const PodFacts> facts, const PodOutcome& outcome) {
  const ClusterShape& shape = usage.shape();
  const PodClass& pod = usage.pod_class(outcome.pod);
  Json entry{{"name", shape.text(usage.pod_name(outcome.pod))},
             {"node", outcome.node.valid() ? shape.name(outcome.node) : std::string_view()},
             {"resource", resource_text(shape, pod)}};
  if (!outcome.node.valid()) {
    entry["gpus"] = Json::array();
    entry["islands"] = Json::array();
    entry["consequences"] = Json::array();
    entry["message"] = placement::fit_error(shape, pod, *outcome.reasons);
    entry["nodes"] = reason_list(shape, pod, *outcome.reasons);
  } else {
    add_devices(entry, usage, outcome);
    Json consequences = Json::array();
    for (const placement::Consequence& consequence : outcome.consequences) {
      consequences.push_back({{"kind", placement::consequence_name(consequence.kind)},
                              {"text", placement::consequence_text(shape, pod, consequence)}});
    }
    entry["consequences"] = std::move(consequences);
    entry["message"] = "";
    if (facts_of(facts, outcome.pod).has_claims) {
      entry["claimsUndecided"] = true;
    }
    if (outcome.all_reduce) {
      entry["allReduce"] = all_reduce_object(*outcome.all_reduce, pod.gradient_bytes);
    }
  }
  if (!outcome.victims.empty()) {
    Json victims = Json::array();
    for (const PodId victim : outcome.victims) {
      victims.push_back(shape.text(usage.pod_name(victim)));
    }
    entry["victims"] = std::move(victims);
  }
  if (outcome.evicted_by.valid()) {
    entry["evictedBy"] = shape.text(usage.pod_name(outcome.evicted_by));
  }
  if (outcome.requeued) {
    entry["requeued"] = true;
  }
  return entry;
}

Json fill_object(const ClusterShape& shape, const FillAnswer& fill) {
  Json nodes = Json::array();
  for (const auto& [node, count] : fill.result.per_node) {
    nodes.push_back({{"node", shape.name(node)}, {"count", count}});
  }
  const PodClass& pod = shape.pod_classes[fill.pod_class.index()];
  Json object{{"pod", fill.pod}, {"count", fill.result.count}};
  if (fill.result.at_least) {
    object["atLeast"] = true;
  }
  object["perNode"] = std::move(nodes);
  object["message"] = fill.result.at_least ? "" : placement::fit_error(shape, pod, *fill.result.reasons);
  object["nodes"] = reason_list(shape, pod, *fill.result.reasons);
  return object;
}

}  // namespace

Json reason_list(const ClusterShape& shape, const PodClass& pod, std::span<const placement::ReasonGroup> groups) {
  Json list = Json::array();
  for (const placement::ReasonGroup& group : groups) {
    Json examples = Json::array();
    for (const NodeId node : group.examples) {
      examples.push_back(shape.name(node));
    }
    list.push_back({{"reason", placement::reason_text(shape, pod, group.reason)},
                    {"count", group.count},
                    {"examples", std::move(examples)}});
  }
  return list;
}

Document placement_report(const ClusterUsage& usage, const placement::Options& options,
                          const placement::PlacementResult& result, const frag::Fragmentation& fragmentation,
                          const PlacementParts& parts, std::span<const std::string> fail_on) {
  Json report = document_header("PlacementReport");
  report["view"] = placement::kViewNames[static_cast<std::size_t>(options.view)];
  report["policy"] = placement::kPolicyNames[static_cast<std::size_t>(options.policy)];
  if (!fail_on.empty()) {
    report["failOn"] = Json(std::vector<std::string>(fail_on.begin(), fail_on.end()));
  }
  Json pods = Json::array();
  Json victims = Json::array();
  for (const PodOutcome& outcome : result.pods) {
    pods.push_back(pod_entry(usage, parts.disruption.facts, outcome));
    for (const PodId victim : outcome.victims) {
      victims.push_back(usage.shape().text(usage.pod_name(victim)));
    }
  }
  report["pods"] = std::move(pods);
  report["victims"] = std::move(victims);
  report["placed"] = result.placed();
  report["unplaced"] = result.unplaced();
  if (parts.fill) {
    report["fill"] = fill_object(usage.shape(), *parts.fill);
  }
  if (parts.drainable) {
    report["drainable"] = drainable_object(usage, parts.disruption, *parts.drainable);
  }
  if (parts.defrag) {
    report["defrag"] = defrag_object(usage, parts.disruption, *parts.defrag);
  }
  if (parts.min_nodes) {
    report["minNodes"] = min_nodes_object(usage, *parts.min_nodes);
  }
  if (!parts.compare.empty()) {
    report["compare"] = compare_object(parts.compare);
  }
  report["fragmentation"] = fragmentation_object(fragmentation.exclusive, fragmentation.time_sliced);
  report["mig"] = mig_list(usage, fragmentation.mig);
  if (parts.cluster == Cluster::kShown) {
    report["cluster"] = cluster_object(usage);
  }
  return {std::make_shared<const Json>(std::move(report))};
}

}  // namespace gpusched::report
