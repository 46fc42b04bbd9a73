#include "gpusched/io/core_objects.hpp"
#include "io/core_fields.hpp"
#include "io/core_pod_fields.hpp"

namespace gpusched::io {

namespace {

using namespace core;

objects::PodResourceClaim read_resource_claim(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "resource claim");
  reader.ignore_other_keys();
  return {read_string(reader, "name"), read_optional_string(reader, "resourceClaimName"),
          read_optional_string(reader, "resourceClaimTemplateName")};
}

std::string read_gate(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "scheduling gate");
  reader.ignore_other_keys();
  return read_string(reader, "name");
}

/// What the scheduler asks about nodes and neighbours.
void read_placement(Decoder& decoder, ObjectReader& reader, objects::PodSpec& spec) {
  spec.node_selector = read_string_map(reader, "nodeSelector");
  reader.object("affinity", [&](const Value& affinity) { spec.affinity = read_affinity(decoder, affinity); });
  spec.tolerations =
      read_list(reader, "tolerations", [&](const Value& item) { return read_toleration(decoder, item); });
  spec.topology_spread_constraints = read_list(
      reader, "topologySpreadConstraints", [&](const Value& item) { return read_spread_constraint(decoder, item); });
  spec.priority = read_optional_int32(reader, "priority");
  spec.priority_class_name = read_string(reader, "priorityClassName");
  spec.preemption_policy = read_string(reader, "preemptionPolicy");
  spec.scheduler_name = read_string(reader, "schedulerName");
  spec.scheduling_gates =
      read_list(reader, "schedulingGates", [&](const Value& item) { return read_gate(decoder, item); });
}

objects::PodSpec read_spec(Decoder& decoder, const Value& value, std::string& node_name) {
  ObjectReader reader(decoder, value, "pod spec");
  reader.ignore_other_keys();
  objects::PodSpec spec;
  node_name = read_string(reader, "nodeName");
  const auto container = [&](const Value& item) { return read_container(decoder, item); };
  spec.init_containers = read_list(reader, "initContainers", container);
  spec.containers = read_list(reader, "containers", container);
  reader.object("resources", [&](const Value& resources) { spec.resources = read_requirements(decoder, resources); });
  spec.overhead = read_resources(decoder, reader, "overhead").value_or(objects::ResourceList());
  read_placement(decoder, reader, spec);
  spec.resource_claims =
      read_list(reader, "resourceClaims", [&](const Value& item) { return read_resource_claim(decoder, item); });
  spec.volumes = read_list(reader, "volumes", [&](const Value& item) { return read_volume(decoder, item); });
  spec.host_network = read_bool(reader, "hostNetwork");
  spec.host_users = reader.optional_bool("hostUsers");
  spec.runtime_class_name = read_string(reader, "runtimeClassName");
  return spec;
}

}  // namespace

objects::Pod decode_pod(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "Pod");
  reader.ignore_other_keys();
  objects::Pod pod;
  pod.meta = read_meta(decoder, reader);
  reader.object("spec", [&](const Value& spec) { pod.spec = read_spec(decoder, spec, pod.node_name); });
  reader.object("status", [&](const Value& status) { read_pod_status(decoder, status, pod); });
  return pod;
}

}  // namespace gpusched::io
