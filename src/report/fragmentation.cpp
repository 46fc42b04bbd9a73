#include "gpusched/report/fragmentation.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/cluster_map.hpp"
#include "report/fragmentation_parts.hpp"
#include "report/header.hpp"
#include "report/repartition.hpp"

namespace gpusched::report {

using Json = nlohmann::ordered_json;

namespace {

/// A number, or {min, max} where a dump leaves it open.
Json range(const frag::Range& range) {
  return range.min == range.max ? Json(range.min) : Json{{"min", range.min}, {"max", range.max}};
}

Json profile_names(const mig::Board& board, mig::ProfileSet profiles) {
  Json names = Json::array();
  for (const mig::ProfileIndex profile : profiles) {
    names.push_back(board.profiles[profile].name);
  }
  return names;
}

Json mig_entry(const ClusterUsage& usage, const frag::MigGpu& entry) {
  const ClusterShape& shape = usage.shape();
  const NodeClass& node_class = usage.node_class(entry.node);
  const Board& board = shape.board(node_class.gpus[entry.gpu]);
  Json used = Json::array();
  for (const std::uint16_t i : entry.used) {
    const MigInstance& instance = node_class.instances[i];
    const PodId holder = usage.instance_holders(entry.node)[i];
    used.push_back({{"profile", shape.text(instance.profile)},
                    {"start", instance.start},
                    {"pod", shape.text(usage.pod_name(holder))}});
  }
  Json free = Json::array();
  for (const std::uint16_t i : entry.free) {
    const MigInstance& instance = node_class.instances[i];
    free.push_back({{"profile", shape.text(instance.profile)}, {"start", instance.start}});
  }
  Json document{{"node", shape.name(entry.node)},
                {"gpu", entry.gpu},
                {"model", shape.text(board.model)},
                {"used", std::move(used)},
                {"free", std::move(free)}};
  if (entry.geometry_known) {
    const mig::Board& geometry = mig::boards()[board.mig_board];
    document["couldAdd"] = profile_names(geometry, entry.could_add);
    document["couldAddOther"] = profile_names(geometry, entry.could_add_other);
  } else {
    document["geometry"] = "unknown";
  }
  return document;
}

Json holder_object(const frag::Holder& holder) {
  Json mig = Json::object();
  for (const auto& [profile, count] : holder.mig) {
    mig[profile] = count;
  }
  Json object{{"name", holder.name}, {"pods", holder.pods}};
  // Parts of GPUs are rare, and then a decimal fraction.
  if (holder.gpu_milli % kWholeGpuMilli == 0) {
    object["gpus"] = holder.gpu_milli / kWholeGpuMilli;
  } else {
    object["gpus"] = static_cast<double>(holder.gpu_milli) / kWholeGpuMilli;
  }
  object["replicas"] = holder.replicas;
  object["migInstances"] = std::move(mig);
  object["since"] = holder.since;
  return object;
}

Json moved_pods(std::span<const frag::MovedPod> pods) {
  Json list = Json::array();
  for (const frag::MovedPod& pod : pods) {
    list.push_back({{"pod", pod.pod}, {"gpus", pod.gpus}});
  }
  return list;
}

/// What changed since the baseline.
Json changes_object(const frag::Changes& changes) {
  Json nodes = Json::array();
  for (const frag::NodeChange& change : changes.nodes) {
    nodes.push_back({{"name", change.node},
                     {"freeBefore", change.free_before ? Json(*change.free_before) : Json()},
                     {"freeAfter", change.free_after ? Json(*change.free_after) : Json()},
                     {"arrived", moved_pods(change.arrived)},
                     {"left", moved_pods(change.left)}});
  }
  return {{"fragmentation", fragmentation_object(changes.before, {})}, {"nodes", std::move(nodes)}};
}

Json blockers_object(const ClusterUsage& usage, const frag::Blockers& blockers) {
  const ClusterShape& shape = usage.shape();
  const NodeClass& node_class = usage.node_class(blockers.node);
  Json holders = Json::array();
  for (const PodId pod : blockers.holders) {
    Json gpus = Json::array();
    for (const GpuShare& share : usage.shares(pod)) {
      const Gpu& gpu = node_class.gpus[share.gpu];
      if (!gpu.mig && (!blockers.one_island || gpu.island == blockers.island)) {
        gpus.push_back(share.gpu);
      }
    }
    holders.push_back({{"pod", shape.text(usage.pod_name(pod))}, {"gpus", std::move(gpus)}});
  }
  Json object{{"size", blockers.size}, {"node", shape.name(blockers.node)}};
  if (blockers.one_island) {
    object["island"] = blockers.island;
  }
  object["free"] = blockers.free;
  object["total"] = blockers.total;
  object["holders"] = std::move(holders);
  return object;
}

/// `violations` has the sentences; each threshold with its value is there when there are any.
void add_thresholds(std::span<const frag::ThresholdAnswer> answers, Json& report) {
  Json violations = Json::array();
  Json thresholds = Json::array();
  for (const frag::ThresholdAnswer& answer : answers) {
    const bool fit = answer.threshold.kind == frag::ThresholdKind::kMinFit;
    Json& entry = thresholds.emplace_back(Json{{"kind", fit ? "min-fit" : "max-stranded"},
                                               {"size", answer.threshold.size},
                                               {"limit", answer.threshold.limit}});
    entry["value"] = fit ? Json(static_cast<std::int64_t>(answer.value)) : Json(answer.value);
    if (!answer.violation.empty()) {
      entry["violation"] = answer.violation;
      violations.push_back(answer.violation);
    }
  }
  report["violations"] = std::move(violations);
  if (!answers.empty()) {
    report["thresholds"] = std::move(thresholds);
  }
}

}  // namespace

Json fragmentation_object(const frag::ExclusiveGpus& exclusive, const frag::TimeSlicedGpus& time_sliced) {
  Json rows = Json::array();
  for (const frag::SizeRow& row : exclusive.rows) {
    rows.push_back({{"size", row.size},
                    {"byCount", row.by_count},
                    {"withinIsland", range(row.within_island)},
                    {"stranded", row.stranded},
                    {"strandedPercent", row.stranded_percent(exclusive.free)},
                    {"usablePercent", row.usable_percent(exclusive.total)}});
  }
  Json object{{"free", exclusive.free},
              {"total", exclusive.total},
              {"largestBlock", exclusive.largest_block},
              {"largestIsland", range(exclusive.largest_island)},
              {"rows", std::move(rows)}};
  if (exclusive.cordoned > 0) {
    object["cordoned"] = exclusive.cordoned;
  }
  if (!exclusive.gangs.empty()) {
    Json gangs = Json::array();
    for (const frag::GangRow& row : exclusive.gangs) {
      gangs.push_back({{"pods", row.gang.pods},
                       {"gpusPerPod", row.gang.gpus_per_pod},
                       {"byCount", row.by_count},
                       {"withinIsland", range(row.within_island)}});
    }
    object["gangs"] = std::move(gangs);
  }
  if (time_sliced.gpus > 0) {
    object["timeSliced"] = {
        {"gpus", time_sliced.gpus}, {"replicas", time_sliced.replicas}, {"freeReplicas", time_sliced.free_replicas}};
  }
  return object;
}

Json mig_list(const ClusterUsage& usage, std::span<const frag::MigGpu> gpus) {
  Json list = Json::array();
  for (const frag::MigGpu& entry : gpus) {
    list.push_back(mig_entry(usage, entry));
  }
  return list;
}

Document fragmentation_report(const ClusterUsage& usage, const frag::Fragmentation& fragmentation,
                              const FragmentationParts& parts) {
  Json report = document_header("FragmentationReport");
  report["fragmentation"] = fragmentation_object(fragmentation.exclusive, fragmentation.time_sliced);
  for (std::size_t i = 0; i < parts.domain_gangs.size(); ++i) {
    report["fragmentation"]["gangs"][i]["withinDomain"] = range(parts.domain_gangs[i]);
  }
  report["mig"] = mig_list(usage, fragmentation.mig);
  if (fragmentation.blockers.size > 0) {
    report["blockers"] = blockers_object(usage, fragmentation.blockers);
  }
  if (!parts.group_by.empty()) {
    report["by"] = parts.group_by;
    Json groups = Json::array();
    for (const frag::Group& group : parts.groups) {
      Json entry{{"name", group.name}};
      entry.update(fragmentation_object(group.exclusive, group.time_sliced));
      groups.push_back(std::move(entry));
    }
    for (const frag::Holder& holder : parts.holders) {
      groups.push_back(holder_object(holder));
    }
    report["groups"] = std::move(groups);
  }
  if (parts.changes) {
    report["baseline"] = changes_object(*parts.changes);
  }
  if (parts.repartition) {
    report["repartition"] = repartition_object(usage, parts.disruption, *parts.repartition);
  }
  Json free_nodes = Json::array();
  for (const NodeId node : fragmentation.free_nodes) {
    free_nodes.push_back(usage.shape().name(node));
  }
  report["freeNodes"] = std::move(free_nodes);
  add_thresholds(parts.thresholds, report);
  if (parts.cluster == Cluster::kShown) {
    report["cluster"] = cluster_object(usage);
  }
  return {std::make_shared<const Json>(std::move(report))};
}

}  // namespace gpusched::report
