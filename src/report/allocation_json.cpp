#include "report/allocation_json.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace gpusched::report {

namespace {

using Json = nlohmann::ordered_json;

void put(Json& json, std::string_view key, const std::string& value) {
  if (!value.empty()) json[std::string(key)] = value;
}

void put(Json& json, std::string_view key, const std::vector<std::string>& values) {
  if (!values.empty()) json[std::string(key)] = values;
}

Json toleration_json(const objects::DeviceToleration& toleration) {
  Json json = Json::object();
  put(json, "key", toleration.key);
  put(json, "operator", toleration.op);
  put(json, "value", toleration.value);
  put(json, "effect", toleration.effect);
  if (toleration.toleration_seconds) json["tolerationSeconds"] = *toleration.toleration_seconds;
  return json;
}

Json result_json(const objects::DeviceRequestAllocationResult& result) {
  Json json = {
      {"request", result.request}, {"driver", result.driver}, {"pool", result.pool}, {"device", result.device}};
  if (result.admin_access) json["adminAccess"] = *result.admin_access;
  for (const objects::DeviceToleration& toleration : result.tolerations) {
    json["tolerations"].push_back(toleration_json(toleration));
  }
  put(json, "bindingConditions", result.binding_conditions);
  put(json, "bindingFailureConditions", result.binding_failure_conditions);
  if (result.share_id) json["shareID"] = *result.share_id;
  if (result.consumed_capacity && !result.consumed_capacity->empty()) {
    for (const auto& [name, amount] : *result.consumed_capacity) json["consumedCapacity"][name] = amount.to_string();
  }
  put(json, "skipNodeOperations", result.skip_node_operations);
  return json;
}

Json config_json(const objects::DeviceAllocationConfiguration& config) {
  Json json = {{"source", config.source}};
  put(json, "requests", config.requests);
  if (const auto& opaque = config.configuration.opaque) {
    json["opaque"] = {{"driver", opaque->driver}};
    // The text was a JSON value when it was read.
    Json parameters = Json::parse(opaque->parameters, nullptr, false);
    if (!parameters.is_discarded()) json["opaque"]["parameters"] = std::move(parameters);
  }
  return json;
}

Json requirements_json(const std::vector<objects::NodeSelectorRequirement>& requirements) {
  Json list = Json::array();
  for (const objects::NodeSelectorRequirement& requirement : requirements) {
    Json json = {{"key", requirement.key}, {"operator", requirement.op}};
    put(json, "values", requirement.values);
    list.push_back(std::move(json));
  }
  return list;
}

Json node_selector_json(const objects::NodeSelector& selector) {
  Json terms = Json::array();
  for (const objects::NodeSelectorTerm& term : selector.terms) {
    Json json = Json::object();
    if (!term.match_expressions.empty()) json["matchExpressions"] = requirements_json(term.match_expressions);
    if (!term.match_fields.empty()) json["matchFields"] = requirements_json(term.match_fields);
    terms.push_back(std::move(json));
  }
  return {{"nodeSelectorTerms", std::move(terms)}};
}

}  // namespace

Json allocation_json(const objects::AllocationResult& allocation) {
  Json json = {{"devices", Json::object()}};
  for (const auto& result : allocation.results) json["devices"]["results"].push_back(result_json(result));
  for (const auto& config : allocation.config) json["devices"]["config"].push_back(config_json(config));
  if (allocation.node_selector) json["nodeSelector"] = node_selector_json(*allocation.node_selector);
  put(json, "allocationTimestamp", allocation.allocation_timestamp);
  return json;
}

}  // namespace gpusched::report
