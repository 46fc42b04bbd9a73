#include "gpusched/io/core_objects.hpp"
#include "io/core_fields.hpp"

namespace gpusched::io {

namespace {

using namespace core;

objects::Taint read_taint(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "taint");
  reader.ignore_other_keys();
  return {read_string(reader, "key"), read_string(reader, "value"), read_string(reader, "effect")};
}

objects::NodeCondition read_condition(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "condition");
  reader.ignore_other_keys();
  return {read_string(reader, "type"), read_string(reader, "status"), read_string(reader, "reason")};
}

objects::ContainerImage read_image(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "image");
  reader.ignore_other_keys();
  return {read_strings(reader, "names"), reader.optional_int64("sizeBytes").value_or(0)};
}

objects::NodeStatus read_status(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "node status");
  reader.ignore_other_keys();
  objects::NodeStatus status;
  status.capacity = read_resources(decoder, reader, "capacity").value_or(objects::ResourceList());
  status.allocatable = read_resources(decoder, reader, "allocatable").value_or(objects::ResourceList());
  status.conditions = read_list(reader, "conditions", [&](const Value& item) { return read_condition(decoder, item); });
  status.images = read_list(reader, "images", [&](const Value& item) { return read_image(decoder, item); });
  status.declared_features = read_strings(reader, "declaredFeatures");
  reader.object("nodeInfo", [&](const Value& info) {
    ObjectReader fields(decoder, info, "node info");
    fields.ignore_other_keys();
    status.kubelet_version = read_string(fields, "kubeletVersion");
  });
  return status;
}

}  // namespace

objects::Node decode_node(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "Node");
  reader.ignore_other_keys();
  objects::Node node;
  node.meta = read_meta(decoder, reader);
  reader.object("spec", [&](const Value& spec) {
    ObjectReader fields(decoder, spec, "node spec");
    fields.ignore_other_keys();
    node.spec.unschedulable = read_bool(fields, "unschedulable");
    node.spec.taints = read_list(fields, "taints", [&](const Value& item) { return read_taint(decoder, item); });
    node.spec.provider_id = read_string(fields, "providerID");
  });
  reader.object("status", [&](const Value& status) { node.status = read_status(decoder, status); });
  return node;
}

}  // namespace gpusched::io
