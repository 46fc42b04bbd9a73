#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "gpusched/io/gpustack_objects.hpp"
#include "io/core_fields.hpp"

namespace gpusched::io {

namespace {

using namespace core;

constexpr std::int64_t kMaxCount = 1'000'000;
constexpr std::int64_t kMaxMib = std::int64_t{1} << 40U;  // an exbibyte
constexpr std::int64_t kMaxUnits = 1'600'000;             // credits of one accelerator
constexpr std::int64_t kLastMode = 4;                     // partitioned; 5, visibility, is never stored

std::int64_t read_count(ObjectReader& reader, std::string_view key, std::int64_t max = kMaxCount) {
  return reader.optional_int64(key, 0, max).value_or(0);
}

/// A member that is written as a number or as a text.
std::string read_text(ObjectReader& reader, std::string_view key) {
  return std::string(reader.optional_text(key).value_or(""));
}

objects::BusPlace read_place(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "topology");
  reader.ignore_other_keys();
  objects::BusPlace place;
  place.pci_bus_id = read_string(reader, "pciBusId");
  place.pci_root_id = read_string(reader, "pciRootId");
  place.numa = read_text(reader, "numaAffinity");
  place.pci_switches = read_strings(reader, "pciSwitches");
  return place;
}

objects::PartitionProfile read_profile(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "profile");
  reader.ignore_other_keys();
  objects::PartitionProfile profile;
  profile.name = reader.required_string("name");
  profile.memory_mib = read_count(reader, "memoryMib", kMaxMib);
  profile.compute_slices = read_count(reader, "computeSlices");
  profile.memory_slices = read_count(reader, "memorySlices");
  profile.count = read_count(reader, "count");
  profile.placements = read_list(reader, "placements", [&](const Value& item) {
    ObjectReader fields(decoder, item, "placement");
    fields.ignore_other_keys();
    return objects::PartitionPlacement{read_count(fields, "start"), read_count(fields, "length")};
  });
  return profile;
}

objects::Accelerator read_accelerator(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "accelerator");
  reader.ignore_other_keys();
  objects::Accelerator card;
  card.id = reader.required_string("id");
  reader.set_name(card.id);
  card.index = read_count(reader, "index");
  reader.object("topology", [&](const Value& place) { card.place = read_place(decoder, place); });
  reader.object("status", [&](const Value& status) {
    ObjectReader fields(decoder, status, "accelerator status");
    fields.ignore_other_keys();
    card.unhealthy = read_bool(fields, "unhealthy");
    fields.object("logicalSliced", [&](const Value& logical) {
      ObjectReader slices(decoder, logical, "logicalSliced");
      slices.ignore_other_keys();
      card.logical_count = read_count(slices, "count");
      card.cores_overcommit = read_bool(slices, "coresPercentageOvercommit");
    });
    fields.object("physicalSliced", [&](const Value& physical) {
      ObjectReader slices(decoder, physical, "physicalSliced");
      slices.ignore_other_keys();
      card.physical_count = read_count(slices, "count");
      card.profiles = read_list(slices, "profiles", [&](const Value& item) { return read_profile(decoder, item); });
    });
  });
  return card;
}

void read_sliced_detail(Decoder& decoder, ObjectReader& reader, objects::AcceleratorGroup& group) {
  reader.object("acceleratorSlicedDetail", [&](const Value& detail) {
    ObjectReader fields(decoder, detail, "acceleratorSlicedDetail");
    fields.ignore_other_keys();
    fields.object("logical", [&](const Value& logical) {
      ObjectReader slices(decoder, logical, "logical");
      slices.ignore_other_keys();
      group.cores_overcommit = slices.optional_bool("coresPercentageOvercommit");
    });
  });
}

objects::AcceleratorGroup read_group(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "accelerator group");
  reader.ignore_other_keys();
  objects::AcceleratorGroup group;
  group.id = reader.required_string("id");
  group.manufacturer = reader.required_string("manufacturer");
  group.name = read_string(reader, "name");
  group.memory_mib = read_count(reader, "memory", kMaxMib);
  group.cores = read_count(reader, "cores", kMaxMib);
  group.driver_version = read_text(reader, "driverVersion");
  group.runtime_version = read_text(reader, "runtimeVersion");
  group.compute_capability = read_text(reader, "computeCapability");
  group.family = read_string(reader, "family");
  std::set<std::string> ids;
  reader.array("accelerators", [&](const Value& item, std::size_t) {
    group.accelerators.push_back(read_accelerator(decoder, item));
    if (!ids.insert(group.accelerators.back().id).second) {
      decoder.error(item, "duplicate-accelerator",
                    fmt::format("a second accelerator \"{}\" in the group", group.accelerators.back().id));
    }
  });
  read_sliced_detail(decoder, reader, group);
  return group;
}

objects::RdmaEndpoint read_endpoint(Decoder& decoder, ObjectReader& reader) {
  objects::RdmaEndpoint endpoint;
  endpoint.name = read_string(reader, "name");
  endpoint.rdma = read_bool(reader, "rdma");
  reader.object("link", [&](const Value& link) {
    ObjectReader fields(decoder, link, "link");
    fields.ignore_other_keys();
    endpoint.link_state = read_optional_string(fields, "state");
  });
  reader.object("topology", [&](const Value& place) { endpoint.place = read_place(decoder, place); });
  if (const std::string numa = read_text(reader, "numaAffinity"); !numa.empty()) endpoint.place.numa = numa;
  return endpoint;
}

objects::RdmaInterface read_interface(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "interface");
  reader.ignore_other_keys();
  objects::RdmaInterface interface;
  interface.endpoint = read_endpoint(decoder, reader);
  interface.virtual_functions = read_list(reader, "virtualFunctions", [&](const Value& item) {
    ObjectReader fields(decoder, item, "virtual function");
    fields.ignore_other_keys();
    return read_endpoint(decoder, fields);
  });
  return interface;
}

std::vector<objects::ProfileCount> read_counts(Decoder& decoder, ObjectReader& reader, std::string_view key) {
  return read_list(reader, key, [&](const Value& item) {
    ObjectReader fields(decoder, item, "profile");
    fields.ignore_other_keys();
    return objects::ProfileCount{std::string(fields.required_string("name")), read_count(fields, "count")};
  });
}

objects::LedgerRow read_row(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "ledger row");
  reader.ignore_other_keys();
  objects::LedgerRow row;
  row.id = reader.required_string("id");
  reader.set_name(row.id);
  row.index = read_count(reader, "index");
  row.mode = read_count(reader, "mode", kLastMode);
  row.allocated = read_count(reader, "allocated", kMaxUnits);
  row.remaining = read_count(reader, "remaining", kMaxUnits);
  row.allocated_slices = read_count(reader, "allocatedSlices");
  row.allocated_profiles = read_counts(decoder, reader, "allocatedProfiles");
  row.remaining_profiles = read_counts(decoder, reader, "remainingProfiles");
  return row;
}

objects::LedgerGroup read_ledger(Decoder& decoder, const Value& value, const objects::Devices& devices) {
  ObjectReader reader(decoder, value, "ledger group");
  reader.ignore_other_keys();
  objects::LedgerGroup ledger;
  ledger.id = reader.required_string("id");
  ledger.manufacturer = reader.required_string("manufacturer");
  const auto group = std::ranges::find_if(devices.groups, [&](const objects::AcceleratorGroup& candidate) {
    return candidate.id == ledger.id && candidate.manufacturer == ledger.manufacturer;
  });
  std::set<std::string> known;
  std::set<std::string> seen;
  if (group != devices.groups.end()) {
    for (const objects::Accelerator& card : group->accelerators) known.insert(card.id);
  }
  reader.array("accelerators", [&](const Value& item, std::size_t) {
    ledger.rows.push_back(read_row(decoder, item));
    const std::string& id = ledger.rows.back().id;
    if (!seen.insert(id).second) {
      decoder.error(item, "duplicate-accelerator", fmt::format("a second ledger row of accelerator \"{}\"", id));
    } else if (!known.contains(id)) {
      decoder.warn(item, "ledger-without-accelerator",
                   fmt::format("the ledger has the accelerator \"{}\", which spec.groups does not list", id));
    }
  });
  return ledger;
}

/// Two groups of one key would count their accelerators twice.
template <class Groups>
void check_groups(Decoder& decoder, const Value& place, const Groups& groups) {
  std::set<std::pair<std::string_view, std::string_view>> keys;
  for (const auto& group : groups) {
    if (!keys.emplace(group.manufacturer, group.id).second) {
      decoder.error(place, "duplicate-group",
                    fmt::format("a second group of manufacturer \"{}\" with id \"{}\"", group.manufacturer, group.id));
    }
  }
}

}  // namespace

objects::Devices decode_devices(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "Devices");
  reader.ignore_other_keys();
  objects::Devices devices;
  devices.meta = read_meta(decoder, reader);
  reader.object("spec", [&](const Value& spec) {
    ObjectReader fields(decoder, spec, "Devices spec");
    fields.ignore_other_keys();
    devices.groups = read_list(fields, "groups", [&](const Value& item) { return read_group(decoder, item); });
    check_groups(decoder, spec, devices.groups);
    devices.interfaces =
        read_list(fields, "interfaces", [&](const Value& item) { return read_interface(decoder, item); });
  });
  reader.object("status", [&](const Value& status) {
    ObjectReader fields(decoder, status, "Devices status");
    fields.ignore_other_keys();
    devices.ledger =
        read_list(fields, "groups", [&](const Value& item) { return read_ledger(decoder, item, devices); });
    check_groups(decoder, status, devices.ledger);
  });
  return devices;
}

}  // namespace gpusched::io
