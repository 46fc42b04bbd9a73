#include "io/core_fields.hpp"
#include "io/core_pod_fields.hpp"

namespace gpusched::io::core {

namespace {

objects::ContainerPort read_port(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "port");
  reader.ignore_other_keys();
  objects::ContainerPort port;
  port.container_port = read_int32(reader, "containerPort");
  port.host_port = read_int32(reader, "hostPort");
  port.host_ip = read_string(reader, "hostIP");
  port.protocol = read_string(reader, "protocol");
  return port;
}

bool read_bind_mount_options(Decoder& decoder, ObjectReader& reader) {
  bool found = false;
  reader.array("volumeMounts", [&](const Value& item, std::size_t) {
    ObjectReader mount(decoder, item, "volume mount");
    mount.ignore_other_keys();
    mount.array("bindMountOptions", [&](const Value&, std::size_t) { found = true; });
  });
  return found;
}

}  // namespace

objects::ResourceRequirements read_requirements(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "resources");
  reader.ignore_other_keys();
  objects::ResourceRequirements requirements;
  requirements.requests = read_resources(decoder, reader, "requests").value_or(objects::ResourceList());
  requirements.limits = read_resources(decoder, reader, "limits").value_or(objects::ResourceList());
  requirements.claims = read_list(reader, "claims", [&](const Value& item) {
    ObjectReader claim(decoder, item, "claim");
    claim.ignore_other_keys();
    return objects::ResourceClaimUse{read_string(claim, "name"), read_string(claim, "request")};
  });
  return requirements;
}

objects::Container read_container(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "container");
  reader.ignore_other_keys();
  objects::Container container;
  container.name = read_string(reader, "name");
  container.image = read_string(reader, "image");
  container.restart_policy = read_string(reader, "restartPolicy");
  container.restart_rule_actions = read_list(reader, "restartPolicyRules", [&](const Value& item) {
    ObjectReader rule(decoder, item, "restart rule");
    rule.ignore_other_keys();
    return read_string(rule, "action");
  });
  container.has_bind_mount_options = read_bind_mount_options(decoder, reader);
  reader.object("resources",
                [&](const Value& resources) { container.resources = read_requirements(decoder, resources); });
  container.ports = read_list(reader, "ports", [&](const Value& item) { return read_port(decoder, item); });
  return container;
}

}  // namespace gpusched::io::core
