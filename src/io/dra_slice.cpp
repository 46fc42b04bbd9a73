#include <fmt/format.h>

#include "gpusched/io/dra_objects.hpp"
#include "io/core_fields.hpp"
#include "io/dra_fields.hpp"
#include "io/excerpt.hpp"

namespace gpusched::io {

namespace dra_fields {

using namespace core;

objects::DeviceTaint read_taint(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "taint");
  reader.ignore_other_keys();
  return {read_string(reader, "key"), read_string(reader, "value"), read_string(reader, "effect"),
          read_string(reader, "timeAdded")};
}

}  // namespace dra_fields

namespace {

using namespace core;
using namespace dra_fields;
using objects::AttributeValue;

std::vector<std::int64_t> read_ints(Decoder& decoder, ObjectReader& reader) {
  std::vector<std::int64_t> values;
  reader.array("ints", [&](const Value& item, std::size_t) {
    const auto number = item.is_number() ? to_int64(item.text()) : std::nullopt;
    if (!number) {
      decoder.error(item, "wrong-type", fmt::format("expected a whole number, found {}", describe(item)));
    }
    values.push_back(number.value_or(0));
  });
  return values;
}

std::vector<bool> read_bools(Decoder& decoder, ObjectReader& reader) {
  std::vector<bool> values;
  reader.array("bools", [&](const Value& item, std::size_t) {
    if (!item.is_bool()) {
      decoder.error(item, "wrong-type", fmt::format("expected true or false, found {}", describe(item)));
    }
    values.push_back(item.as_bool());
  });
  return values;
}

AttributeValue read_attribute(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "attribute");
  reader.ignore_other_keys();
  if (const auto number = reader.optional_int64("int")) return *number;
  if (const auto flag = reader.optional_bool("bool")) return *flag;
  if (const auto text = reader.optional_string("string")) return std::string(*text);
  if (const auto version = reader.optional_string("version")) return objects::Version{std::string(*version)};
  if (reader.find("ints") != nullptr) return read_ints(decoder, reader);
  if (reader.find("bools") != nullptr) return read_bools(decoder, reader);
  if (reader.find("strings") != nullptr) return read_strings(reader, "strings");
  if (reader.find("versions") != nullptr) {
    std::vector<objects::Version> versions;
    for (std::string& text : read_strings(reader, "versions")) versions.push_back({std::move(text)});
    return versions;
  }
  return {};
}

objects::CapacityRequestPolicy read_policy(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "request policy");
  reader.ignore_other_keys();
  objects::CapacityRequestPolicy policy;
  policy.default_value = read_quantity(reader, "default");
  reader.array("validValues", [&](const Value& item, std::size_t) {
    const Result<Quantity> quantity = parse_quantity(item.text());
    if (quantity) {
      policy.valid_values.push_back(*quantity);
    } else {
      decoder.error(item, quantity.error().front().code, quantity.error().front().message);
    }
  });
  reader.object("validRange", [&](const Value& range) {
    ObjectReader fields(decoder, range, "valid range");
    fields.ignore_other_keys();
    policy.valid_range = {read_quantity(fields, "min"), read_quantity(fields, "max"), read_quantity(fields, "step")};
  });
  return policy;
}

objects::DeviceCapacity read_capacity(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "capacity");
  reader.ignore_other_keys();
  objects::DeviceCapacity capacity;
  capacity.value = read_quantity(reader, "value").value_or(Quantity());
  reader.object("requestPolicy", [&](const Value& policy) { capacity.request_policy = read_policy(decoder, policy); });
  return capacity;
}

Quantity read_counter(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "counter");
  reader.ignore_other_keys();
  return read_quantity(reader, "value").value_or(Quantity());
}

objects::CounterSet read_counter_set(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "counter set");
  reader.ignore_other_keys();
  return {read_string(reader, "name"), read_named(decoder, reader, "counters", &read_counter)};
}

objects::CounterConsumption read_consumption(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "counter consumption");
  reader.ignore_other_keys();
  return {read_string(reader, "counterSet"), read_named(decoder, reader, "counters", &read_counter),
          read_strings(reader, "compatibilityGroups")};
}

objects::NodeAllocatableResource read_node_allocatable(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "node allocatable resource");
  reader.ignore_other_keys();
  objects::NodeAllocatableResource resource;
  reader.object("mapping", [&](const Value& mapping) {
    ObjectReader fields(decoder, mapping, "mapping");
    fields.ignore_other_keys();
    resource.mapping = {read_optional_string(fields, "capacityKey"), read_quantity(fields, "capacityMultiplier"),
                        read_quantity(fields, "deviceMultiplier")};
  });
  reader.object("overhead", [&](const Value& overhead) {
    ObjectReader fields(decoder, overhead, "overhead");
    fields.ignore_other_keys();
    resource.overhead = {read_quantity(fields, "perPod"), read_quantity(fields, "perContainer")};
  });
  return resource;
}

void read_device_fields(Decoder& decoder, ObjectReader& reader, objects::Device& device) {
  device.attributes = read_named(decoder, reader, "attributes", &read_attribute);
  device.capacity = read_named(decoder, reader, "capacity", &read_capacity);
  device.consumes_counters =
      read_list(reader, "consumesCounters", [&](const Value& item) { return read_consumption(decoder, item); });
  device.node_name = read_optional_string(reader, "nodeName");
  device.node_selector = read_node_selector(decoder, reader, "nodeSelector");
  device.all_nodes = reader.optional_bool("allNodes");
  device.taints = read_list(reader, "taints", [&](const Value& item) { return read_taint(decoder, item); });
  device.binds_to_node = reader.optional_bool("bindsToNode");
  device.binding_conditions = read_strings(reader, "bindingConditions");
  device.empty_binding_conditions = device.binding_conditions.empty() && reader.find("bindingConditions") != nullptr;
  device.binding_failure_conditions = read_strings(reader, "bindingFailureConditions");
  device.allow_multiple_allocations = reader.optional_bool("allowMultipleAllocations");
  device.node_allocatable_resources = read_named(decoder, reader, "nodeAllocatableResources", &read_node_allocatable);
}

objects::Device read_device(Decoder& decoder, const Value& value, ResourceApi api) {
  ObjectReader reader(decoder, value, "device");
  reader.ignore_other_keys();
  objects::Device device;
  device.name = read_string(reader, "name");
  if (api == ResourceApi::kV1) {
    read_device_fields(decoder, reader, device);
  } else {
    reader.object("basic", [&](const Value& basic) {
      ObjectReader fields(decoder, basic, "device");
      fields.ignore_other_keys();
      read_device_fields(decoder, fields, device);
    });
  }
  return device;
}

void read_spec(Decoder& decoder, const Value& value, ResourceApi api, objects::ResourceSliceSpec& spec) {
  ObjectReader reader(decoder, value, "spec");
  reader.ignore_other_keys();
  spec.driver = read_string(reader, "driver");
  reader.object("pool", [&](const Value& pool) {
    ObjectReader fields(decoder, pool, "pool");
    fields.ignore_other_keys();
    spec.pool = {read_string(fields, "name"), fields.optional_int64("generation").value_or(0),
                 fields.optional_int64("resourceSliceCount").value_or(0)};
  });
  spec.node_name = read_optional_string(reader, "nodeName");
  spec.node_selector = read_node_selector(decoder, reader, "nodeSelector");
  spec.all_nodes = reader.optional_bool("allNodes");
  spec.per_device_node_selection = reader.optional_bool("perDeviceNodeSelection");
  spec.devices = read_list(reader, "devices", [&](const Value& item) { return read_device(decoder, item, api); });
  spec.shared_counters =
      read_list(reader, "sharedCounters", [&](const Value& item) { return read_counter_set(decoder, item); });
  spec.partition_type_attribute = read_optional_string(reader, "partitionTypeAttribute");
  spec.skip_node_operations = read_strings(reader, "skipNodeOperations");
}

}  // namespace

objects::ResourceSlice decode_resource_slice(Decoder& decoder, const Value& value, ResourceApi api) {
  ObjectReader reader(decoder, value, "ResourceSlice");
  reader.ignore_other_keys();
  objects::ResourceSlice slice;
  slice.name = read_meta(decoder, reader).name;
  reader.object("spec", [&](const Value& spec) { read_spec(decoder, spec, api, slice.spec); });
  return slice;
}

}  // namespace gpusched::io
