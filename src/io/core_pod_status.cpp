#include "io/core_fields.hpp"
#include "io/core_pod_fields.hpp"

namespace gpusched::io::core {

namespace {

objects::PodCondition read_condition(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "condition");
  reader.ignore_other_keys();
  return {read_string(reader, "type"), read_string(reader, "status"), read_string(reader, "reason"),
          read_string(reader, "message")};
}

std::optional<objects::ReportedResources> read_reported(Decoder& decoder, ObjectReader& reader) {
  std::optional<objects::ReportedResources> reported;
  reader.object("resources", [&](const Value& value) {
    ObjectReader fields(decoder, value, "resources");
    fields.ignore_other_keys();
    reported = {read_resources(decoder, fields, "requests"), read_resources(decoder, fields, "limits")};
  });
  return reported;
}

objects::ContainerStatus read_container_status(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "container status");
  reader.ignore_other_keys();
  objects::ContainerStatus status;
  status.name = read_string(reader, "name");
  reader.object("state", [&](const Value& state) {
    ObjectReader fields(decoder, state, "state");
    fields.ignore_other_keys();
    fields.object("waiting", [&](const Value& waiting) {
      ObjectReader inner(decoder, waiting, "waiting");
      inner.ignore_other_keys();
      status.waiting = read_string(inner, "reason");
    });
  });
  status.allocated_resources = read_resources(decoder, reader, "allocatedResources");
  status.resources = read_reported(decoder, reader);
  return status;
}

objects::PodResourceClaimStatus read_claim_status(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "claim status");
  reader.ignore_other_keys();
  return {read_string(reader, "name"), read_optional_string(reader, "resourceClaimName")};
}

objects::ExtendedResourceClaimStatus read_extended_claim(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "claim status");
  reader.ignore_other_keys();
  objects::ExtendedResourceClaimStatus status;
  status.claim_name = read_string(reader, "resourceClaimName");
  status.request_mappings = read_list(reader, "requestMappings", [&](const Value& item) {
    ObjectReader mapping(decoder, item, "request mapping");
    mapping.ignore_other_keys();
    return objects::ExtendedResourceRequest{read_string(mapping, "containerName"), read_string(mapping, "resourceName"),
                                            read_string(mapping, "requestName")};
  });
  return status;
}

}  // namespace

void read_pod_status(Decoder& decoder, const Value& value, objects::Pod& pod) {
  ObjectReader reader(decoder, value, "pod status");
  reader.ignore_other_keys();
  objects::PodStatus status;
  pod.phase = read_string(reader, "phase");
  status.reason = read_string(reader, "reason");
  status.message = read_string(reader, "message");
  status.conditions = read_list(reader, "conditions", [&](const Value& item) { return read_condition(decoder, item); });
  pod.nominated_node_name = read_string(reader, "nominatedNodeName");
  pod.start_time = read_timestamp(reader, "startTime");
  const auto container_status = [&](const Value& item) { return read_container_status(decoder, item); };
  status.init_container_statuses = read_list(reader, "initContainerStatuses", container_status);
  status.container_statuses = read_list(reader, "containerStatuses", container_status);
  status.allocated_resources = read_resources(decoder, reader, "allocatedResources");
  status.resources = read_reported(decoder, reader);
  status.resource_claim_statuses =
      read_list(reader, "resourceClaimStatuses", [&](const Value& item) { return read_claim_status(decoder, item); });
  reader.object("extendedResourceClaimStatus", [&](const Value& claim) {
    status.extended_resource_claim_status = read_extended_claim(decoder, claim);
  });
  pod.status = std::move(status);
}

}  // namespace gpusched::io::core
