#include "gpusched/report/pending.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "gpusched/base/text.hpp"
#include "gpusched/explain/causes.hpp"
#include "report/allocation_json.hpp"
#include "report/explanation_json.hpp"
#include "report/header.hpp"
#include "report/pending_detail.hpp"

namespace gpusched::report {

namespace {

using Json = nlohmann::ordered_json;
using kubescheduler::NodeAnswer;
using kubescheduler::PluginStatus;
using kubescheduler::Prediction;

Json pod_name(const objects::Pod& pod) {
  return {{"namespace", pod.meta.namespace_name}, {"name", pod.meta.name}};
}

/// [{verdict, by?, pods, requests, examples}]
Json cause_list(std::span<const PendingAnswer> answers) {
  constexpr std::size_t kExamples = 3;
  std::vector<explain::Explained> pods;
  for (const PendingAnswer& answer : answers) {
    pods.push_back({answer.pod, answer.explanation});
  }
  Json list = Json::array();
  for (const explain::Cause& cause : explain::group_by_cause(pods)) {
    Json& object = list.emplace_back(Json{{"verdict", cause.verdict}});
    if (!cause.by.empty()) {
      object["by"] = cause.by;
    }
    object["pods"] = cause.pods.size();
    object["requests"] = Json::object();
    for (const auto& [name, amount] : cause.requests) {
      object["requests"][name] = amount;
    }
    if (cause.claims > 0) {
      object["claims"] = cause.claims;
    }
    object["examples"] = Json::array();
    for (std::size_t i = 0; i < std::min(cause.pods.size(), kExamples); ++i) {
      const objects::ObjectMeta& meta = cause.pods[i]->meta;
      object["examples"].push_back(meta.namespace_name + "/" + meta.name);
    }
  }
  return list;
}

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

Json group_list(std::span<const explain::RefusedNodes> groups) {
  Json list = Json::array();
  for (const explain::RefusedNodes& group : groups) {
    list.push_back({{"reason", join(group.reasons, ", ")}, {"count", group.count}, {"examples", group.examples}});
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
  const Prediction& prediction = *answer.prediction;
  Json report = document_header("PendingReport");
  report["pod"] = pod_name(*answer.pod);
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
    report["nodes"] = group_list(answer.explanation->refused);
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
  report["explanation"] = findings_json(answer.explanation->findings);
  report["fixes"] = fixes_json(answer.explanation->fixes);
  return report;
}

/// Equal pods share the work; with a line for every node the figures are the pod's own.
Json report_list(const kubescheduler::Snapshot& snapshot, const kubescheduler::SchedulerRules& rules,
                 std::span<const PendingAnswer> answers, NodeList nodes) {
  Json items = Json::array();
  std::map<std::pair<const void*, const void*>, std::size_t> known;
  for (const PendingAnswer& answer : answers) {
    const auto [place, is_new] = known.try_emplace({answer.prediction, answer.explanation}, items.size());
    Json report =
        is_new || nodes == NodeList::kNodes ? report_of(snapshot, rules, answer, nodes) : items[place->second];
    report["pod"] = pod_name(*answer.pod);
    items.push_back(std::move(report));
  }
  return items;
}

}  // namespace

Document pending_report(const kubescheduler::Snapshot& snapshot, const kubescheduler::SchedulerRules& rules,
                        const PendingAnswer& answer, NodeList nodes) {
  return {std::make_shared<const Json>(report_of(snapshot, rules, answer, nodes))};
}

Document pending_reports(const kubescheduler::Snapshot& snapshot, const kubescheduler::SchedulerRules& rules,
                         std::span<const PendingAnswer> answers, NodeList nodes,
                         std::span<const explain::Finding> missing_pods) {
  Json list = document_header("List");
  list["causes"] = cause_list(answers);
  list["missingPods"] = findings_json(missing_pods);
  list["items"] = report_list(snapshot, rules, answers, nodes);
  return {std::make_shared<const Json>(std::move(list))};
}

Document workload_report(const kubescheduler::Snapshot& snapshot, const kubescheduler::SchedulerRules& rules,
                         const explain::WorkloadAnswer& workload, std::span<const PendingAnswer> answers,
                         NodeList nodes) {
  Json report = document_header("WorkloadReport");
  const explain::WorkloadName& name = workload.workload;
  report["workload"] = {{"kind", name.kind}, {"namespace", name.namespace_name}, {"name", name.name}};
  report["podsWithNode"] = workload.placed;
  report["podsWithoutNode"] = workload.waiting.size();
  report["explanation"] = findings_json(workload.findings);
  report["causes"] = cause_list(answers);
  report["items"] = report_list(snapshot, rules, answers, nodes);
  return {std::make_shared<const Json>(std::move(report))};
}

}  // namespace gpusched::report
