#include "gpusched/io/core_objects.hpp"
#include "io/core_fields.hpp"
#include "io/core_pod_fields.hpp"

namespace gpusched::io {

namespace {

using namespace core;

std::string read_phase(Decoder& decoder, ObjectReader& reader) {
  std::string phase;
  reader.object("status", [&](const Value& status) {
    ObjectReader fields(decoder, status, "status");
    fields.ignore_other_keys();
    phase = read_string(fields, "phase");
  });
  return phase;
}

void read_claim_spec(Decoder& decoder, const Value& value, objects::PersistentVolumeClaim& claim) {
  ObjectReader reader(decoder, value, "spec");
  reader.ignore_other_keys();
  claim.access_modes = read_strings(reader, "accessModes");
  claim.storage_class_name = read_optional_string(reader, "storageClassName");
  claim.volume_name = read_string(reader, "volumeName");
  claim.volume_mode = read_string(reader, "volumeMode");
  claim.selector = read_label_selector(decoder, reader, "selector");
  reader.object("resources",
                [&](const Value& resources) { claim.requests = read_requirements(decoder, resources).requests; });
  claim.volume_attributes_class_name = read_optional_string(reader, "volumeAttributesClassName");
}

void read_volume_spec(Decoder& decoder, const Value& value, objects::PersistentVolume& volume) {
  ObjectReader reader(decoder, value, "spec");
  reader.ignore_other_keys();
  volume.capacity = read_resources(decoder, reader, "capacity").value_or(objects::ResourceList());
  volume.access_modes = read_strings(reader, "accessModes");
  volume.storage_class_name = read_string(reader, "storageClassName");
  volume.volume_mode = read_string(reader, "volumeMode");
  reader.object("claimRef", [&](const Value& reference) {
    ObjectReader fields(decoder, reference, "claim reference");
    fields.ignore_other_keys();
    volume.claim_ref = {read_string(fields, "namespace"), read_string(fields, "name"), read_string(fields, "uid")};
  });
  reader.object("nodeAffinity", [&](const Value& affinity) {
    ObjectReader fields(decoder, affinity, "node affinity");
    fields.ignore_other_keys();
    volume.node_affinity = read_node_selector(decoder, fields, "required");
  });
  volume.csi = read_csi(decoder, reader);
  volume.gce_persistent_disk = read_disk(decoder, reader, "gcePersistentDisk", "pdName");
  volume.aws_elastic_block_store = read_disk(decoder, reader, "awsElasticBlockStore", "volumeID");
  volume.azure_disk = read_disk(decoder, reader, "azureDisk", "diskName");
  volume.cinder = read_disk(decoder, reader, "cinder", "volumeID");
  volume.volume_attributes_class_name = read_optional_string(reader, "volumeAttributesClassName");
}

objects::TopologySelectorTerm read_topology_term(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "term");
  reader.ignore_other_keys();
  return {read_list(reader, "matchLabelExpressions", [&](const Value& item) {
    ObjectReader fields(decoder, item, "requirement");
    fields.ignore_other_keys();
    return objects::TopologySelectorRequirement{read_string(fields, "key"), read_strings(fields, "values")};
  })};
}

objects::CsiNodeDriver read_node_driver(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "driver");
  reader.ignore_other_keys();
  objects::CsiNodeDriver driver;
  driver.name = read_string(reader, "name");
  driver.node_id = read_string(reader, "nodeID");
  driver.topology_keys = read_strings(reader, "topologyKeys");
  reader.object("allocatable", [&](const Value& allocatable) {
    ObjectReader fields(decoder, allocatable, "allocatable");
    fields.ignore_other_keys();
    driver.allocatable_count = read_optional_int32(fields, "count");
  });
  return driver;
}

}  // namespace

objects::PersistentVolumeClaim decode_persistent_volume_claim(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "PersistentVolumeClaim");
  reader.ignore_other_keys();
  objects::PersistentVolumeClaim claim;
  claim.meta = read_meta(decoder, reader);
  reader.object("spec", [&](const Value& spec) { read_claim_spec(decoder, spec, claim); });
  claim.phase = read_phase(decoder, reader);
  return claim;
}

objects::PersistentVolume decode_persistent_volume(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "PersistentVolume");
  reader.ignore_other_keys();
  objects::PersistentVolume volume;
  volume.meta = read_meta(decoder, reader);
  reader.object("spec", [&](const Value& spec) { read_volume_spec(decoder, spec, volume); });
  volume.phase = read_phase(decoder, reader);
  return volume;
}

objects::StorageClass decode_storage_class(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "StorageClass");
  reader.ignore_other_keys();
  objects::StorageClass storage_class;
  storage_class.meta = read_meta(decoder, reader);
  storage_class.provisioner = read_string(reader, "provisioner");
  storage_class.volume_binding_mode = read_optional_string(reader, "volumeBindingMode");
  storage_class.allowed_topologies =
      read_list(reader, "allowedTopologies", [&](const Value& item) { return read_topology_term(decoder, item); });
  return storage_class;
}

objects::CsiNode decode_csi_node(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "CSINode");
  reader.ignore_other_keys();
  objects::CsiNode node;
  node.meta = read_meta(decoder, reader);
  reader.object("spec", [&](const Value& spec) {
    ObjectReader fields(decoder, spec, "spec");
    fields.ignore_other_keys();
    node.drivers = read_list(fields, "drivers", [&](const Value& item) { return read_node_driver(decoder, item); });
  });
  return node;
}

objects::CsiDriver decode_csi_driver(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "CSIDriver");
  reader.ignore_other_keys();
  objects::CsiDriver driver;
  driver.meta = read_meta(decoder, reader);
  reader.object("spec", [&](const Value& spec) {
    ObjectReader fields(decoder, spec, "spec");
    fields.ignore_other_keys();
    driver.storage_capacity = read_bool(fields, "storageCapacity");
    driver.prevent_pod_scheduling_if_missing = read_bool(fields, "preventPodSchedulingIfMissing");
  });
  return driver;
}

objects::CsiStorageCapacity decode_csi_storage_capacity(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "CSIStorageCapacity");
  reader.ignore_other_keys();
  objects::CsiStorageCapacity capacity;
  capacity.meta = read_meta(decoder, reader);
  capacity.node_topology = read_label_selector(decoder, reader, "nodeTopology");
  capacity.storage_class_name = read_string(reader, "storageClassName");
  capacity.capacity = read_quantity(reader, "capacity");
  capacity.maximum_volume_size = read_quantity(reader, "maximumVolumeSize");
  return capacity;
}

}  // namespace gpusched::io
