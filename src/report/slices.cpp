#include "gpusched/report/slices.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>

namespace gpusched::report {
namespace {

using Json = nlohmann::ordered_json;
using objects::Named;

std::string_view text_of(ApiVersion version) {
  switch (version) {
    case ApiVersion::kV1beta1:
      return "resource.k8s.io/v1beta1";
    case ApiVersion::kV1beta2:
      return "resource.k8s.io/v1beta2";
    case ApiVersion::kV1:
      break;
  }
  return "resource.k8s.io/v1";
}

Json to_json(const Quantity& quantity) {
  return quantity.to_string();
}

template <class T>
void put(Json& object, const char* key, const std::optional<T>& value) {
  if (!value) return;
  if constexpr (std::is_same_v<T, Quantity>) {
    object[key] = to_json(*value);
  } else {
    object[key] = *value;
  }
}

void put(Json& object, const char* key, const std::vector<std::string>& values) {
  if (!values.empty()) object[key] = values;
}

void put(Json& object, const char* key, const std::string& value) {
  if (!value.empty()) object[key] = value;
}

/// A list or map made with `convert`; left out when empty.
template <class T, class Convert>
void put_list(Json& object, const char* key, const std::vector<T>& values, Convert convert) {
  if (values.empty()) return;
  Json& list = object[key] = Json::array();
  for (const T& value : values) list.push_back(convert(value));
}

template <class T, class Convert>
void put_map(Json& object, const char* key, const Named<T>& values, Convert convert) {
  if (values.empty()) return;
  Json& map = object[key] = Json::object();
  for (const auto& [name, value] : values) map[name] = convert(value);
}

Json requirement(const objects::NodeSelectorRequirement& value) {
  Json json = {{"key", value.key}, {"operator", value.op}};
  put(json, "values", value.values);
  return json;
}

Json term(const objects::NodeSelectorTerm& value) {
  Json json = Json::object();
  put_list(json, "matchExpressions", value.match_expressions, requirement);
  put_list(json, "matchFields", value.match_fields, requirement);
  return json;
}

void put(Json& object, const char* key, const std::optional<objects::NodeSelector>& selector) {
  if (!selector) return;
  Json& json = object[key] = Json::object();
  Json& terms = json["nodeSelectorTerms"] = Json::array();
  for (const objects::NodeSelectorTerm& value : selector->terms) terms.push_back(term(value));
}

/// The key of each field, by type of the value.
struct AttributeWriter {
  Json operator()(std::monostate) const { return Json::object(); }
  Json operator()(std::int64_t value) const { return {{"int", value}}; }
  Json operator()(bool value) const { return {{"bool", value}}; }
  Json operator()(const std::string& value) const { return {{"string", value}}; }
  Json operator()(const objects::Version& value) const { return {{"version", value.text}}; }
  Json operator()(const std::vector<std::int64_t>& values) const { return list("ints", values); }
  Json operator()(const std::vector<bool>& values) const { return list("bools", values); }
  Json operator()(const std::vector<std::string>& values) const { return list("strings", values); }
  Json operator()(const std::vector<objects::Version>& values) const {
    std::vector<std::string> texts;
    for (const objects::Version& value : values) texts.push_back(value.text);
    return list("versions", texts);
  }

  template <class T>
  static Json list(const char* key, const std::vector<T>& values) {
    Json json = Json::object();
    json[key] = values;
    return json;
  }
};

Json attribute(const objects::AttributeValue& value) {
  return std::visit(AttributeWriter{}, value);
}

Json request_policy(const objects::CapacityRequestPolicy& policy) {
  Json json = Json::object();
  put(json, "default", policy.default_value);
  put_list(json, "validValues", policy.valid_values, to_json);
  if (policy.valid_range) {
    Json& range = json["validRange"] = Json::object();
    put(range, "min", policy.valid_range->min);
    put(range, "max", policy.valid_range->max);
    put(range, "step", policy.valid_range->step);
  }
  return json;
}

Json capacity(const objects::DeviceCapacity& value) {
  Json json = {{"value", to_json(value.value)}};
  if (value.request_policy) json["requestPolicy"] = request_policy(*value.request_policy);
  return json;
}

Json counter(const Quantity& value) {
  return {{"value", to_json(value)}};
}

Json counter_set(const objects::CounterSet& value) {
  Json json = {{"name", value.name}};
  put_map(json, "counters", value.counters, counter);
  return json;
}

Json consumption(const objects::CounterConsumption& value) {
  Json json = {{"counterSet", value.counter_set}};
  put_map(json, "counters", value.counters, counter);
  put(json, "compatibilityGroups", value.compatibility_groups);
  return json;
}

Json taint(const objects::DeviceTaint& value) {
  Json json = {{"key", value.key}};
  put(json, "value", value.value);
  json["effect"] = value.effect;
  put(json, "timeAdded", value.time_added);
  return json;
}

Json node_allocatable(const objects::NodeAllocatableResource& value) {
  Json json = Json::object();
  if (value.mapping) {
    Json& mapping = json["mapping"] = Json::object();
    put(mapping, "capacityKey", value.mapping->capacity_key);
    put(mapping, "capacityMultiplier", value.mapping->capacity_multiplier);
    put(mapping, "deviceMultiplier", value.mapping->device_multiplier);
  }
  if (value.overhead) {
    Json& overhead = json["overhead"] = Json::object();
    put(overhead, "perPod", value.overhead->per_pod);
    put(overhead, "perContainer", value.overhead->per_container);
  }
  return json;
}

void put_device_fields(Json& json, const objects::Device& device) {
  put_map(json, "attributes", device.attributes, attribute);
  put_map(json, "capacity", device.capacity, capacity);
  put_list(json, "consumesCounters", device.consumes_counters, consumption);
  put(json, "nodeName", device.node_name);
  put(json, "nodeSelector", device.node_selector);
  put(json, "allNodes", device.all_nodes);
  put_list(json, "taints", device.taints, taint);
  put(json, "bindsToNode", device.binds_to_node);
  put(json, "bindingConditions", device.binding_conditions);
  put(json, "bindingFailureConditions", device.binding_failure_conditions);
  put(json, "allowMultipleAllocations", device.allow_multiple_allocations);
  put_map(json, "nodeAllocatableResources", device.node_allocatable_resources, node_allocatable);
}

Json slice_json(const objects::ResourceSlice& slice, ApiVersion version) {
  Json json;
  json["apiVersion"] = text_of(version);
  json["kind"] = "ResourceSlice";
  json["metadata"]["name"] = slice.name;
  Json& spec = json["spec"];
  spec["driver"] = slice.spec.driver;
  put(spec, "nodeName", slice.spec.node_name);
  put(spec, "nodeSelector", slice.spec.node_selector);
  put(spec, "allNodes", slice.spec.all_nodes);
  put(spec, "perDeviceNodeSelection", slice.spec.per_device_node_selection);
  spec["pool"] = {{"name", slice.spec.pool.name},
                  {"generation", slice.spec.pool.generation},
                  {"resourceSliceCount", slice.spec.pool.resource_slice_count}};
  put(spec, "partitionTypeAttribute", slice.spec.partition_type_attribute);
  put(spec, "skipNodeOperations", slice.spec.skip_node_operations);
  put_list(spec, "sharedCounters", slice.spec.shared_counters, counter_set);
  put_list(spec, "devices", slice.spec.devices, [version](const objects::Device& device) {
    Json entry = {{"name", device.name}};
    if (version == ApiVersion::kV1beta1) {
      put_device_fields(entry["basic"] = Json::object(), device);
    } else {
      put_device_fields(entry, device);
    }
    return entry;
  });
  return json;
}

}  // namespace

std::optional<ApiVersion> parse_api_version(std::string_view text) {
  constexpr std::string_view kGroup = "resource.k8s.io/";
  if (text.starts_with(kGroup)) text.remove_prefix(kGroup.size());
  if (text == "v1") return ApiVersion::kV1;
  if (text == "v1beta2") return ApiVersion::kV1beta2;
  if (text == "v1beta1") return ApiVersion::kV1beta1;
  return std::nullopt;
}

Document slices_report(std::span<const objects::ResourceSlice> slices, ApiVersion version) {
  Json document;
  document["apiVersion"] = "v1";
  document["kind"] = "List";
  Json& items = document["items"] = Json::array();
  for (const objects::ResourceSlice& slice : slices) items.push_back(slice_json(slice, version));
  return {std::make_shared<const Json>(std::move(document))};
}

}  // namespace gpusched::report
