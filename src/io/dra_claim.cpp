#include <fmt/format.h>

#include "gpusched/base/text.hpp"
#include "gpusched/io/dra_objects.hpp"
#include "gpusched/io/value_json.hpp"
#include "io/core_fields.hpp"
#include "io/dra_fields.hpp"

namespace gpusched::io {

namespace {

using namespace core;
using namespace dra_fields;

objects::DeviceSelector read_selector(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "selector");
  reader.ignore_other_keys();
  objects::DeviceSelector selector;
  reader.object("cel", [&](const Value& cel) {
    ObjectReader fields(decoder, cel, "cel");
    fields.ignore_other_keys();
    selector.cel = read_string(fields, "expression");
  });
  return selector;
}

objects::DeviceToleration read_toleration(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "toleration");
  reader.ignore_other_keys();
  return {read_string(reader, "key"), read_string(reader, "operator"), read_string(reader, "value"),
          read_string(reader, "effect"), reader.optional_int64("tolerationSeconds")};
}

objects::DerivedAttribute read_derived(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "derived attribute");
  reader.ignore_other_keys();
  return {read_string(reader, "name"), read_string(reader, "expression")};
}

objects::DeviceRequirements read_requirements(Decoder& decoder, ObjectReader& reader) {
  objects::DeviceRequirements wanted;
  wanted.device_class_name = read_string(reader, "deviceClassName");
  wanted.selectors = read_list(reader, "selectors", [&](const Value& item) { return read_selector(decoder, item); });
  wanted.allocation_mode = read_string(reader, "allocationMode");
  wanted.count = reader.optional_int64("count").value_or(0);
  wanted.admin_access = reader.optional_bool("adminAccess");
  wanted.tolerations =
      read_list(reader, "tolerations", [&](const Value& item) { return read_toleration(decoder, item); });
  reader.object("capacity", [&](const Value& capacity) {
    ObjectReader fields(decoder, capacity, "capacity");
    fields.ignore_other_keys();
    wanted.capacity.emplace().requests = read_resources(decoder, fields, "requests").value_or(objects::ResourceList());
  });
  wanted.derived_attributes =
      read_list(reader, "derivedAttributes", [&](const Value& item) { return read_derived(decoder, item); });
  return wanted;
}

objects::DeviceSubRequest read_subrequest(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "subrequest");
  reader.ignore_other_keys();
  return {read_string(reader, "name"), read_requirements(decoder, reader)};
}

objects::DeviceRequest read_request(Decoder& decoder, const Value& value, ResourceApi api) {
  ObjectReader reader(decoder, value, "request");
  reader.ignore_other_keys();
  objects::DeviceRequest request;
  request.name = read_string(reader, "name");
  reader.object("exactly", [&](const Value& exactly) {
    ObjectReader fields(decoder, exactly, "exactly");
    fields.ignore_other_keys();
    request.exactly = read_requirements(decoder, fields);
  });
  request.first_available =
      read_list(reader, "firstAvailable", [&](const Value& item) { return read_subrequest(decoder, item); });
  if (api == ResourceApi::kV1beta1 && request.first_available.empty()) {
    request.exactly = read_requirements(decoder, reader);
  }
  return request;
}

objects::DeviceConstraint read_constraint(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "constraint");
  reader.ignore_other_keys();
  return {read_strings(reader, "requests"), read_optional_string(reader, "matchAttribute"),
          read_optional_string(reader, "distinctAttribute")};
}

objects::DeviceConfiguration read_configuration(Decoder& decoder, ObjectReader& reader) {
  objects::DeviceConfiguration configuration;
  reader.object("opaque", [&](const Value& opaque) {
    ObjectReader fields(decoder, opaque, "opaque");
    fields.ignore_other_keys();
    objects::OpaqueDeviceConfiguration& parameters = configuration.opaque.emplace();
    parameters.driver = read_string(fields, "driver");
    if (const Value* const content = fields.find("parameters")) parameters.parameters = to_json(*content);
  });
  return configuration;
}

objects::DeviceClaim read_devices(Decoder& decoder, const Value& value, ResourceApi api) {
  ObjectReader reader(decoder, value, "devices");
  reader.ignore_other_keys();
  objects::DeviceClaim claim;
  claim.requests = read_list(reader, "requests", [&](const Value& item) { return read_request(decoder, item, api); });
  claim.constraints =
      read_list(reader, "constraints", [&](const Value& item) { return read_constraint(decoder, item); });
  claim.config = read_list(reader, "config", [&](const Value& item) {
    ObjectReader fields(decoder, item, "config");
    fields.ignore_other_keys();
    return objects::DeviceClaimConfiguration{read_strings(fields, "requests"), read_configuration(decoder, fields)};
  });
  return claim;
}

objects::DeviceClaim read_claim_spec(Decoder& decoder, const Value& value, ResourceApi api) {
  ObjectReader reader(decoder, value, "spec");
  reader.ignore_other_keys();
  objects::DeviceClaim claim;
  reader.object("devices", [&](const Value& devices) { claim = read_devices(decoder, devices, api); });
  return claim;
}

objects::DeviceRequestAllocationResult read_result(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "result");
  reader.ignore_other_keys();
  objects::DeviceRequestAllocationResult result;
  result.request = read_string(reader, "request");
  result.driver = read_string(reader, "driver");
  result.pool = read_string(reader, "pool");
  result.device = read_string(reader, "device");
  result.admin_access = reader.optional_bool("adminAccess");
  result.tolerations =
      read_list(reader, "tolerations", [&](const Value& item) { return read_toleration(decoder, item); });
  result.binding_conditions = read_strings(reader, "bindingConditions");
  result.binding_failure_conditions = read_strings(reader, "bindingFailureConditions");
  result.share_id = read_optional_string(reader, "shareID");
  result.consumed_capacity = read_resources(decoder, reader, "consumedCapacity");
  result.skip_node_operations = read_strings(reader, "skipNodeOperations");
  return result;
}

void read_status(Decoder& decoder, const Value& value, objects::ResourceClaim& claim) {
  ObjectReader reader(decoder, value, "status");
  reader.ignore_other_keys();
  reader.object("allocation",
                [&](const Value& allocation) { claim.allocation = decode_allocation_result(decoder, allocation); });
  claim.reserved_for = read_list(reader, "reservedFor", [&](const Value& item) {
    ObjectReader fields(decoder, item, "consumer");
    fields.ignore_other_keys();
    return objects::ClaimConsumerReference{read_string(fields, "apiGroup"), read_string(fields, "resource"),
                                           read_string(fields, "name"), read_string(fields, "uid")};
  });
}

void set_defaults(objects::DeviceRequirements& wanted) {
  if (wanted.allocation_mode.empty()) wanted.allocation_mode = "ExactCount";
  if (wanted.allocation_mode == "ExactCount" && wanted.count == 0) wanted.count = 1;
  for (objects::DeviceToleration& toleration : wanted.tolerations) {
    if (toleration.op.empty()) toleration.op = "Equal";
  }
}

}  // namespace

objects::AllocationResult decode_allocation_result(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "allocation");
  reader.ignore_other_keys();
  objects::AllocationResult allocation;
  reader.object("devices", [&](const Value& devices) {
    ObjectReader fields(decoder, devices, "devices");
    fields.ignore_other_keys();
    allocation.results = read_list(fields, "results", [&](const Value& item) { return read_result(decoder, item); });
    allocation.config = read_list(fields, "config", [&](const Value& item) {
      ObjectReader config(decoder, item, "config");
      config.ignore_other_keys();
      return objects::DeviceAllocationConfiguration{read_string(config, "source"), read_strings(config, "requests"),
                                                    read_configuration(decoder, config)};
    });
  });
  allocation.node_selector = read_node_selector(decoder, reader, "nodeSelector");
  allocation.allocation_timestamp = read_string(reader, "allocationTimestamp");
  return allocation;
}

objects::DeviceClass decode_device_class(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "DeviceClass");
  reader.ignore_other_keys();
  objects::DeviceClass device_class;
  device_class.name = read_meta(decoder, reader).name;
  if (const Value* const meta = value.find("metadata")) {
    const Value* const created = meta->find("creationTimestamp");
    if (created != nullptr && created->is_string()) device_class.creation_timestamp = created->text();
  }
  reader.object("metadata", [&](const Value& metadata) {
    ObjectReader fields(decoder, metadata, "metadata");
    fields.ignore_other_keys();
    device_class.creation_timestamp = read_string(fields, "creationTimestamp");
  });
  reader.object("spec", [&](const Value& spec) {
    ObjectReader fields(decoder, spec, "spec");
    fields.ignore_other_keys();
    device_class.selectors =
        read_list(fields, "selectors", [&](const Value& item) { return read_selector(decoder, item); });
    device_class.config = read_list(fields, "config", [&](const Value& item) {
      ObjectReader config(decoder, item, "config");
      config.ignore_other_keys();
      return read_configuration(decoder, config);
    });
    device_class.extended_resource_name = read_optional_string(fields, "extendedResourceName");
  });
  return device_class;
}

namespace {

/// A selector that names nothing selects everything, which is seldom meant.
void warn_of_wide_rule(Decoder& decoder, const Value& spec, const objects::DeviceTaintRule& rule) {
  const bool acts = rule.taint.effect == "NoSchedule" || rule.taint.effect == "NoExecute";
  if (acts && rule.selector == objects::DeviceTaintRule::Selector{}) {
    decoder.warn(spec, "taints-every-device",
                 fmt::format("the empty deviceSelector taints every device of every driver with {}:{}",
                             shorten(rule.taint.key), rule.taint.effect),
                 "name a driver, pool or device; a rule without a deviceSelector taints nothing");
  }
}

}  // namespace

objects::DeviceTaintRule decode_device_taint_rule(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "DeviceTaintRule");
  reader.ignore_other_keys();
  objects::DeviceTaintRule rule;
  rule.name = read_meta(decoder, reader).name;
  reader.object("spec", [&](const Value& spec) {
    ObjectReader fields(decoder, spec, "spec");
    fields.ignore_other_keys();
    fields.object("deviceSelector", [&](const Value& selector) {
      ObjectReader parts(decoder, selector, "device selector");
      parts.ignore_other_keys();
      rule.selector = {read_optional_string(parts, "driver"), read_optional_string(parts, "pool"),
                       read_optional_string(parts, "device")};
    });
    fields.object("taint", [&](const Value& taint) { rule.taint = read_taint(decoder, taint); });
    warn_of_wide_rule(decoder, spec, rule);
  });
  return rule;
}

objects::ResourceClaim decode_resource_claim(Decoder& decoder, const Value& value, ResourceApi api) {
  ObjectReader reader(decoder, value, "ResourceClaim");
  reader.ignore_other_keys();
  const objects::ObjectMeta meta = read_meta(decoder, reader);
  objects::ResourceClaim claim;
  claim.name = meta.name;
  claim.namespace_name = meta.namespace_name;
  claim.uid = meta.uid;
  claim.being_deleted = meta.deletion_timestamp.has_value();
  claim.for_extended_resources =
      objects::find(meta.annotations, "resource.kubernetes.io/extended-resource-claim") != nullptr;
  for (const objects::OwnerReference& owner : meta.owner_references) {
    if (!owner.controller) continue;
    claim.owner_kind = owner.kind;
    claim.owner_uid = owner.uid;
  }
  const std::string* const made_by_scheduler =
      objects::find(meta.annotations, "resource.kubernetes.io/extended-resource-claim");
  claim.for_extended_resources = made_by_scheduler != nullptr && *made_by_scheduler == "true";
  reader.object("spec", [&](const Value& spec) { claim.devices = read_claim_spec(decoder, spec, api); });
  reader.object("status", [&](const Value& status) { read_status(decoder, status, claim); });
  return claim;
}

objects::ResourceClaimTemplate decode_resource_claim_template(Decoder& decoder, const Value& value, ResourceApi api) {
  ObjectReader reader(decoder, value, "ResourceClaimTemplate");
  reader.ignore_other_keys();
  const objects::ObjectMeta meta = read_meta(decoder, reader);
  objects::ResourceClaimTemplate claim{meta.name, meta.namespace_name, {}};
  reader.object("spec", [&](const Value& spec) {
    ObjectReader fields(decoder, spec, "spec");
    fields.ignore_other_keys();
    fields.object("spec", [&](const Value& inner) { claim.devices = read_claim_spec(decoder, inner, api); });
  });
  return claim;
}

void set_defaults(objects::DeviceClaim& claim) {
  for (objects::DeviceRequest& request : claim.requests) {
    if (request.exactly) set_defaults(*request.exactly);
    for (objects::DeviceSubRequest& subrequest : request.first_available) set_defaults(subrequest.requirements);
  }
}

}  // namespace gpusched::io
