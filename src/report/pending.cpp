#include "gpusched/report/pending.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "gpusched/base/text.hpp"
#include "report/allocation_json.hpp"
#include "report/header.hpp"
#include "report/pending_detail.hpp"

namespace gpusched::report {

namespace {

using Json = nlohmann::ordered_json;
using kubescheduler::NodeAnswer;
using kubescheduler::PluginStatus;
using kubescheduler::Prediction;

Json node_object(const NodeAnswer& node, const PendingDetail& detail) {
  Json details = Json::array();
  for (const std::string& reason : node.status.reasons) {
    if (Json object = detail.of(node.node, reason); !object.is_null()) {
      details.push_back(std::move(object));
    }
  }
  Json scores = Json::object();
  for (const kubescheduler::PluginScore& score : node.scores) {
    scores[score.plugin] = score.weighted;
  }
  if (!node.scores.empty()) {
    scores["total"] = node.total;
  }
  return {{"name", node.node},
          {"plugin", node.status.plugin},
          {"code", name_of(node.status.code)},
          {"reasons", node.status.reasons},
          {"detail", std::move(details)},
          {"scores", std::move(scores)}};
}

/// Nodes that do not fit for the same reasons, in the order in which the first of them stands.
Json group_list(std::span<const NodeAnswer> nodes) {
  constexpr std::size_t kExamples = 3;
  Json list = Json::array();
  std::map<std::string, std::size_t> places;
  for (const NodeAnswer& node : nodes) {
    if (node.status.code == kubescheduler::StatusCode::kSuccess) {
      continue;
    }
    const std::string reason = join(node.status.reasons, ", ");
    const auto [place, added] = places.try_emplace(reason, list.size());
    if (added) {
      list.push_back({{"reason", reason}, {"count", 0}, {"examples", Json::array()}});
    }
    Json& group = list[place->second];
    group["count"] = group["count"].get<std::int64_t>() + 1;
    if (group["examples"].size() < kExamples) {
      group["examples"].push_back(node.node);
    }
  }
  return list;
}

Json status_object(std::span<const PluginStatus> statuses) {
  if (statuses.empty()) {
    return nullptr;
  }
  const PluginStatus& status = statuses.front();
  return {{"plugin", status.plugin}, {"code", name_of(status.code)}, {"reasons", status.reasons}};
}

void add_preemption(const Prediction& prediction, Json& report) {
  Json preemptions = Json::object();
  for (const kubescheduler::Preemption& preemption : prediction.preemptions) {
    preemptions[preemption.node] = preemption.victims;
  }
  report["nominatedNode"] = prediction.nominated_node;
  report["victims"] = prediction.victims;
  report["preemptions"] = std::move(preemptions);
  report["deallocated"] = prediction.deallocated;
}

Json report_of(const kubescheduler::Snapshot& snapshot, const kubescheduler::SchedulerRules& rules,
               const PendingAnswer& answer, NodeList node_list) {
  const Prediction& prediction = answer.prediction;
  Json report = document_header("PendingReport");
  report["pod"] = {{"namespace", answer.pod->meta.namespace_name}, {"name", answer.pod->meta.name}};
  report["verdict"] = name_of(prediction.verdict);
  report["reason"] = prediction.reason;
  report["message"] = prediction.message;
  report["messages"] = prediction.messages;
  report["plugin"] = prediction.plugin;
  report["pluginMessage"] = prediction.plugin_message;
  report["preFilter"] = status_object(prediction.pre_filter);
  report["node"] = prediction.node;
  report["bestNodes"] = prediction.best_nodes;
  report["feasibleNodes"] = prediction.feasible_nodes;
  report["sampled"] = prediction.sampled;
  if (node_list == NodeList::kGroups) {
    report["nodes"] = group_list(prediction.nodes);
  } else {
    const PendingDetail detail(snapshot, rules, *answer.pod);
    Json nodes = Json::array();
    for (const NodeAnswer& node : prediction.nodes) {
      nodes.push_back(node_object(node, detail));
    }
    report["nodes"] = std::move(nodes);
  }
  add_preemption(prediction, report);
  Json errors = Json::object();
  for (const auto& [node, text] : prediction.errors) {
    errors[node] = text;
  }
  report["errors"] = std::move(errors);
  Json claims = Json::array();
  for (const kubescheduler::ClaimAllocation& claim : prediction.claims) {
    claims.push_back(
        {{"claim", claim.namespace_name + "/" + claim.claim}, {"allocation", allocation_json(claim.allocation)}});
  }
  report["claims"] = std::move(claims);
  return report;
}

}  // namespace

Document pending_report(const kubescheduler::Snapshot& snapshot, const kubescheduler::SchedulerRules& rules,
                        const PendingAnswer& answer, NodeList nodes) {
  return {std::make_shared<const Json>(report_of(snapshot, rules, answer, nodes))};
}

Document pending_reports(const kubescheduler::Snapshot& snapshot, const kubescheduler::SchedulerRules& rules,
                         std::span<const PendingAnswer> answers, NodeList nodes) {
  Json list = document_header("List");
  list["items"] = Json::array();
  for (const PendingAnswer& answer : answers) {
    list["items"].push_back(report_of(snapshot, rules, answer, nodes));
  }
  return {std::make_shared<const Json>(std::move(list))};
}

}  // namespace gpusched::report
