#include "io/core_fields.hpp"
#include "io/core_pod_fields.hpp"

namespace gpusched::io::core {

namespace {

std::optional<objects::RbdSource> read_rbd(Decoder& decoder, ObjectReader& reader) {
  std::optional<objects::RbdSource> rbd;
  reader.object("rbd", [&](const Value& value) {
    ObjectReader fields(decoder, value, "volume");
    fields.ignore_other_keys();
    rbd = {read_strings(fields, "monitors"), read_string(fields, "pool"), read_string(fields, "image"),
           read_bool(fields, "readOnly")};
  });
  return rbd;
}

std::optional<objects::IscsiSource> read_iscsi(Decoder& decoder, ObjectReader& reader) {
  std::optional<objects::IscsiSource> iscsi;
  reader.object("iscsi", [&](const Value& value) {
    ObjectReader fields(decoder, value, "volume");
    fields.ignore_other_keys();
    iscsi = {read_string(fields, "iqn"), read_int32(fields, "lun"), read_bool(fields, "readOnly")};
  });
  return iscsi;
}

}  // namespace

std::optional<objects::DiskSource> read_disk(Decoder& decoder, ObjectReader& reader, std::string_view key,
                                             std::string_view id_key) {
  std::optional<objects::DiskSource> disk;
  reader.object(key, [&](const Value& value) {
    ObjectReader fields(decoder, value, "volume");
    fields.ignore_other_keys();
    disk = {read_string(fields, id_key), read_bool(fields, "readOnly")};
  });
  return disk;
}

std::optional<objects::CsiVolumeSource> read_csi(Decoder& decoder, ObjectReader& reader) {
  std::optional<objects::CsiVolumeSource> csi;
  reader.object("csi", [&](const Value& value) {
    ObjectReader fields(decoder, value, "volume");
    fields.ignore_other_keys();
    csi = {read_string(fields, "driver"), read_string(fields, "volumeHandle"), read_bool(fields, "readOnly")};
  });
  return csi;
}

objects::Volume read_volume(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "volume");
  reader.ignore_other_keys();
  objects::Volume volume;
  volume.name = read_string(reader, "name");
  reader.object("persistentVolumeClaim", [&](const Value& claim) {
    ObjectReader fields(decoder, claim, "volume");
    fields.ignore_other_keys();
    volume.persistent_volume_claim = {read_string(fields, "claimName"), read_bool(fields, "readOnly")};
  });
  volume.ephemeral = reader.object("ephemeral", [](const Value&) {});
  volume.gce_persistent_disk = read_disk(decoder, reader, "gcePersistentDisk", "pdName");
  volume.aws_elastic_block_store = read_disk(decoder, reader, "awsElasticBlockStore", "volumeID");
  volume.azure_disk = read_disk(decoder, reader, "azureDisk", "diskName");
  volume.cinder = read_disk(decoder, reader, "cinder", "volumeID");
  volume.rbd = read_rbd(decoder, reader);
  volume.iscsi = read_iscsi(decoder, reader);
  volume.csi = read_csi(decoder, reader);
  reader.object("image", [&](const Value& image) {
    ObjectReader fields(decoder, image, "volume");
    fields.ignore_other_keys();
    volume.image = read_string(fields, "reference");
  });
  return volume;
}

}  // namespace gpusched::io::core
