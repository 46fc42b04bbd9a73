#include "gpusched/report/chain.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "gpusched/chain/names.hpp"
#include "report/chain_admission.hpp"
#include "report/chain_objects.hpp"
#include "report/header.hpp"

namespace gpusched::report {

namespace {

using Json = nlohmann::ordered_json;

/// A new key at the end; operator[] would look through all others first.
void put(Json& object, const std::string& key, Json value) {
  object.get_ref<Json::object_t&>().emplace_back(key, std::move(value));
}

Json amounts(const chain::Amounts& map) {
  Json json = Json::object();
  for (const auto& [key, amount] : map) put(json, key, chain::canonical(amount));
  return json;
}

Json model(const chain::NodeFacts& node, const chain::Model& value) {
  Json json = {{"key", value.key}, {"count", value.count}, {"memory", value.memory}};
  if (value.cards < 0) return json;
  const chain::CardGroup& group = node.groups[static_cast<std::size_t>(value.cards)];
  json["sliceable"] = std::ranges::count_if(group.cards, &chain::is_sliceable);
  json["partitioned"] = std::ranges::count_if(group.cards, &chain::is_partitioned);
  json["inLedger"] = std::ranges::count_if(group.cards, [](const chain::Card& card) { return card.ledger != nullptr; });
  return json;
}

Json node_json(const chain::NodeFacts& node) {
  Json json = {{"name", node.name},      {"managed", node.managed},        {"os", node.os},
               {"arch", node.arch},      {"generalKey", node.general_key}, {"cores", node.cores},
               {"profile", node.profile}};
  Json& models = json["models"] = Json::array();
  for (const chain::Model& value : node.models) models.push_back(model(node, value));
  json["pools"] = amounts(node.bare);
  if (node.bare_assumed) json["poolsAssumed"] = true;
  return json;
}

void put_stage3(Json& report, const chain::Chain& chain) {
  Json nodes = Json::array();
  Json capacity = Json::object();
  Json labels = Json::object();
  for (const chain::NodeFacts& node : chain.nodes) {
    nodes.push_back(node_json(node));
    put(capacity, node.name, amounts(node.keys));
    Json own = Json::object();
    for (const auto& [key, value] : node.labels) {
      if (chain::is_chain_label(key)) put(own, key, value);
    }
    put(labels, node.name, std::move(own));
  }
  report["nodes"] = std::move(nodes);
  report["capacity"] = std::move(capacity);
  report["labels"] = std::move(labels);
}

Json write_json(const chain::Write& write) {
  return {{"controller", name_of(write.actor)}, {"write", write.what}};
}

Json pool_json(const chain::Pool& pool) {
  Json json = {{"name", pool.name},
               {"localQueue", pool.local_queue},
               {"resource", pool.covered_resource},
               {"unit", {{"cpu", pool.cpu}, {"ram", pool.ram}, {"localStorage", pool.local_storage}}},
               {"authored", pool.authored},
               {"phase", pool.phase},
               {"stopPolicy", name_of(pool.state.policy)},
               {"inactive", pool.state.inactive}};
  Json& quota = json["quota"] = Json::array();
  for (const chain::FlavorQuota& flavor : pool.groups) {
    quota.push_back(Json{{"flavor", flavor.flavor}, {"nominal", chain::canonical(flavor.nominal)}});
  }
  json["checks"] = pool.checks;
  json["views"] = pool.identity.acceleratable()
                      ? column(pool.views)
                      : std::to_string(pool.cpu_view.once_max_request) + "/" + std::to_string(pool.cpu_view.remaining);
  json["topologyReady"] = pool.plan.problem == chain::PlanProblem::kNone ? "Ready" : name_of(pool.plan.problem);
  if (!pool.plan.detail.empty()) json["topologyMessage"] = pool.plan.detail;
  if (pool.plan.retry_seconds != 0) json["retrySeconds"] = pool.plan.retry_seconds;
  Json& writes = json["writes"] = Json::array();
  for (const chain::Write& write : pool.writes) writes.push_back(write_json(write));
  json["stopsInstances"] = pool.drained;
  return json;
}

void put_stage4(Json& report, const chain::Chain& chain) {
  Json& flavors = report["flavors"] = Json::array();
  for (std::size_t i = 0; i < chain.flavors.size(); ++i) {
    const chain::Flavor& flavor = chain.flavors[i];
    Json json = {{"name", flavor.name},
                 {"nodes", flavor.nodes},
                 {"count", flavor.key.count},
                 {"capacity", flavor.capacity},
                 {"profile", flavor.key.profile}};
    Json& queues = json["queues"] = Json::array();
    for (const chain::Pool& pool : chain.pools) {
      if (std::ranges::find(pool.flavors, static_cast<std::uint32_t>(i)) != pool.flavors.end()) {
        queues.push_back(pool.name);
      }
    }
    flavors.push_back(std::move(json));
  }
  Json& pools = report["queues"] = Json::array();
  for (const chain::Pool& pool : chain.pools) pools.push_back(pool_json(pool));
}

}  // namespace

Document chain_report(const chain::Chain& chain, const chain::Settings& settings, const ChainParts& parts) {
  Json report = document_header("ChainReport");
  const ChainStage stage = parts.stage;
  if (!parts.changes.empty()) report["changes"] = parts.changes;
  if (stage == ChainStage::kAll || stage == ChainStage::kThree) put_stage3(report, chain);
  if (stage == ChainStage::kAll || stage == ChainStage::kFour) put_stage4(report, chain);
  if (parts.admission != nullptr && (stage == ChainStage::kAll || stage == ChainStage::kAdmission)) {
    put_admission(report, chain, *parts.admission, parts.explain);
  }
  if (parts.objects && stage != ChainStage::kAdmission)
    report["objects"] = chain_object_list(chain, settings, stage, true);
  Json& links = report["links"] = Json::array();
  for (const chain::BrokenLink& link : parts.links) {
    Json json = {{"link", name_of(link.link)}, {"object", link.object}, {"message", link.message}};
    if (!link.hint.empty()) json["hint"] = link.hint;
    links.push_back(std::move(json));
  }
  return {std::make_shared<const Json>(std::move(report))};
}

}  // namespace gpusched::report
