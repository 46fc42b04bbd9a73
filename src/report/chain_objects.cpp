#include "report/chain_objects.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>

#include "gpusched/chain/names.hpp"
#include "gpusched/chain/units.hpp"

namespace gpusched::report {

namespace {

using Json = nlohmann::ordered_json;
using chain::LabelMap;

constexpr std::string_view kKueue = "kueue.x-k8s.io/v1beta2";
constexpr std::string_view kWorker = "worker.gpustack.ai/v1";

Json map_json(const LabelMap& map) {
  Json json = Json::object();
  for (const auto& [key, value] : map) json.get_ref<Json::object_t&>().emplace_back(key, value);
  return json;
}

Json object(std::string_view api_version, std::string_view kind, const std::string& name, const LabelMap& labels = {},
            const LabelMap& annotations = {}, const std::string& name_space = {}) {
  Json json = {{"apiVersion", api_version}, {"kind", kind}};
  Json& metadata = json["metadata"];
  metadata["name"] = name;
  if (!name_space.empty()) metadata["namespace"] = name_space;
  if (!labels.empty()) metadata["labels"] = map_json(labels);
  if (!annotations.empty()) metadata["annotations"] = map_json(annotations);
  return json;
}

Json node_feature(const chain::NodeFacts& node, const chain::Settings& settings) {
  Json json = object(
      "nfd.k8s-sigs.io/v1alpha1", "NodeFeature", node.name + "-gpustack-worker",
      {{"nfd.node.kubernetes.io/node-name", node.name}, {"app.kubernetes.io/part-of", "gpustack-operator-worker"}}, {},
      settings.system_namespace);
  json["spec"]["labels"] = map_json(node.worker_feature);
  return json;
}

Json topology(const chain::TopologyPlan& plan) {
  Json json = object(kKueue, "Topology", plan.name(), {{std::string(chain::kObjectType), "topology"}});
  Json& levels = json["spec"]["levels"] = Json::array();
  for (const std::string& level : plan.levels) levels.push_back(Json{{"nodeLabel", level}});
  return json;
}

Json flavor(const chain::Flavor& value, const chain::Settings& settings) {
  Json json = object(kKueue, "ResourceFlavor", value.name, flavor_labels(value), flavor_notes(value, settings));
  Json& spec = json["spec"];
  spec["nodeLabels"] = map_json(flavor_node_labels(value.key, settings));
  spec["tolerations"] = Json::array({Json{{"operator", "Exists"}}});
  spec["topologyName"] = "gpustack-" + value.key.profile;
  return json;
}

Json view(const chain::View& value) {
  return {{"onceMaxRequest", value.once_max_request}, {"remaining", value.remaining}, {"capacity", value.capacity}};
}

Json counts(const chain::ProfileCounts& profiles) {
  Json json = Json::object();
  for (const auto& [name, count] : profiles) json[name] = count;
  return json;
}

/// The status shows the four views of accelerators, or that of CPU.
Json type_status(const chain::Pool& pool) {
  Json status = {{"phase", pool.phase}, {"entrance", pool.local_queue}};
  if (!pool.identity.acceleratable()) {
    status["cpu"] = view(pool.cpu_view);
    return status;
  }
  status["exclusive"] = view(pool.views.exclusive);
  status["shared"] = view(pool.views.shared);
  status["sliced"] = view(pool.views.sliced);
  Json& partitioned = status["partitioned"] = view(pool.views.partitioned);
  partitioned["remainingProfiles"] = counts(pool.views.remaining_profiles);
  partitioned["allocatedProfiles"] = counts(pool.views.allocated_profiles);
  Json& detail = status["detail"] = Json::object();
  if (!pool.model.product.empty()) detail["product"] = pool.model.product;
  if (!pool.memory.empty()) detail["memory"] = pool.memory;
  if (!pool.model.cores.empty()) detail["cores"] = pool.model.cores;
  Json& sliced = detail["slicedDetail"] = Json::object();
  if (pool.logical_count > 0) {
    sliced["logical"] = {{"count", pool.logical_count}, {"coresPercentageOvercommit", pool.cores_overcommit}};
  }
  if (pool.physical_count > 0) {
    Json& physical = sliced["physical"];
    physical["count"] = pool.physical_count;
    for (const chain::OfferedProfile& profile : pool.profiles) {
      physical["profiles"].push_back(
          Json{{"name", profile.name}, {"count", profile.count}, {"memoryMib", profile.memory_mib}});
    }
  }
  return status;
}

Json instance_type(const chain::Pool& pool, bool with_status) {
  LabelMap labels = schedule_labels(pool.identity);
  if (pool.authored) labels[std::string(chain::kDerivedFromNode)] = "true";
  labels[std::string(chain::kQueueEntrance)] = pool.local_queue;
  Json json = object(kWorker, "InstanceType", pool.name, labels);
  Json& spec = json["spec"];
  spec["acceleratable"] = pool.identity.acceleratable();
  if (pool.identity.acceleratable()) spec["acceleratorGroup"] = pool.identity.accelerator_group;
  spec["generalGroup"] = pool.identity.general_group;
  spec["os"] = pool.identity.os;
  spec["arch"] = pool.identity.arch;
  spec["displayName"] = pool.display_name;
  spec["unitResources"] = {{"cpu", pool.cpu}, {"ram", pool.ram}};
  spec["localStorage"] = pool.local_storage;
  spec["inactive"] = pool.state.inactive;
  if (with_status) json["status"] = type_status(pool);
  return json;
}

LabelMap queue_notes(const chain::Pool& pool) {
  LabelMap notes;
  if (pool.state.groups) notes[std::string(chain::kTasQueue)] = "true";
  if (pool.state.marker) notes[std::string(chain::kEmptyPlanHold)] = "true";
  if (pool.state.phase != chain::MigrationPhase::kNone) {
    notes[std::string(chain::kMigrationPhase)] = name_of(pool.state.phase);
    notes[std::string(chain::kMigrationStopPolicy)] = name_of(pool.state.saved);
  }
  return notes;
}

Json cluster_queue(const chain::Pool& pool) {
  LabelMap labels = schedule_labels(pool.identity);
  labels[std::string(chain::kObjectType)] = "instancetypes";
  Json json = object(kKueue, "ClusterQueue", pool.name, labels, queue_notes(pool));
  Json& spec = json["spec"] = Json::object();
  if (!pool.groups.empty()) {
    Json flavors = Json::array();
    for (const chain::FlavorQuota& quota : pool.groups) {
      const Json amount = {{"name", pool.covered_resource}, {"nominalQuota", chain::canonical(quota.nominal)}};
      flavors.push_back(Json{{"name", quota.flavor}, {"resources", Json::array({amount})}});
    }
    const Json group = {{"coveredResources", Json::array({pool.covered_resource})}, {"flavors", std::move(flavors)}};
    spec["resourceGroups"] = Json::array({group});
  }
  spec["namespaceSelector"] = Json::object();
  spec["flavorFungibility"] = {{"whenCanBorrow", "TryNextFlavor"}, {"whenCanPreempt", "MayStopSearch"}};
  spec["preemption"] = {{"borrowWithinCohort", Json{{"policy", "Never"}}},
                        {"reclaimWithinCohort", "Never"},
                        {"withinClusterQueue", "LowerPriority"}};
  if (!pool.checks.empty()) {
    Json& checks = spec["admissionChecksStrategy"]["admissionChecks"] = Json::array();
    for (const std::string& check : pool.checks) checks.push_back(Json{{"name", check}});
  }
  if (pool.state.policy != chain::StopPolicy::kUnset) spec["stopPolicy"] = name_of(pool.state.policy);
  return json;
}

Json local_queue(const chain::Pool& pool, const std::string& name_space) {
  Json json =
      object(kKueue, "LocalQueue", pool.local_queue, {}, {{std::string(chain::kScheduleQueue), pool.name}}, name_space);
  json["spec"]["clusterQueue"] = pool.name;
  return json;
}

Json catalog_entry(const chain::CatalogEntry& entry) {
  Json json = object(kWorker, "InstanceTypeFlavor", entry.name);
  const bool accelerated = entry.identity.acceleratable();
  const bool aware = entry.identity.general_group != chain::kGenericGroup;
  Json& spec = json["spec"];
  spec["acceleratable"] = accelerated;
  if (!accelerated || aware) spec["generalGroup"] = entry.identity.general_group;
  if (!accelerated) {
    const std::string& group = entry.identity.general_group;
    spec["manufacturer"] = group.substr(0, group.find('-'));
    return json;
  }
  spec["acceleratorGroup"] = entry.identity.accelerator_group;
  spec["manufacturer"] = entry.model.manufacturer->name;
  const std::map<std::string_view, const std::string*> texts = {{"cores", &entry.model.cores},
                                                                {"family", &entry.model.family},
                                                                {"memory", &entry.model.memory},
                                                                {"product", &entry.model.product}};
  for (const auto& [key, text] : texts) {
    if (!text->empty()) spec[std::string(key)] = *text;
  }
  spec["sliceable"] = entry.sliceable;
  return json;
}

Json admission_check(const chain::LiveCheck& check) {
  Json json = object(kKueue, "AdmissionCheck", check.name);
  json["spec"]["controllerName"] = check.controller;
  return json;
}

}  // namespace

Json chain_object_list(const chain::Chain& chain, const chain::Settings& settings, ChainStage stage, bool with_status) {
  Json list = Json::array();
  if (stage == ChainStage::kAll || stage == ChainStage::kThree) {
    for (const chain::NodeFacts& node : chain.nodes) list.push_back(node_feature(node, settings));
  }
  if (stage == ChainStage::kThree) return list;
  for (const chain::TopologyPlan& plan : chain.topologies) {
    if (!plan.levels.empty()) list.push_back(topology(plan));
  }
  for (const chain::Flavor& value : chain.flavors) list.push_back(flavor(value, settings));
  for (const chain::LiveCheck& check : chain.checks) {
    if (!check.controller.empty()) list.push_back(admission_check(check));
  }
  for (const chain::Pool& pool : chain.pools) {
    if (pool.type_exists && !pool.state.type_deleting) list.push_back(instance_type(pool, with_status));
  }
  for (const chain::Pool& pool : chain.pools) {
    if (pool.state.exists && !pool.state.deleting) list.push_back(cluster_queue(pool));
  }
  for (const chain::Pool& pool : chain.pools) {
    if (!pool.state.exists || pool.state.deleting) continue;
    for (const std::string& name_space : chain.namespaces) list.push_back(local_queue(pool, name_space));
  }
  for (const chain::CatalogEntry& entry : chain.catalog) list.push_back(catalog_entry(entry));
  return list;
}

Document chain_objects(const chain::Chain& chain, const chain::Settings& settings, ChainStage stage) {
  Json document = {{"apiVersion", "v1"}, {"kind", "List"}};
  document["items"] = chain_object_list(chain, settings, stage, false);
  return {std::make_shared<const Json>(std::move(document))};
}

}  // namespace gpusched::report
