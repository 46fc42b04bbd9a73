#include <algorithm>

#include "gpusched/io/gpustack_objects.hpp"
#include "io/core_fields.hpp"

namespace gpusched::io {

namespace {

using namespace core;

void read_group(Decoder& decoder, const Value& value, objects::OperatorQueue& queue) {
  ObjectReader reader(decoder, value, "resource group");
  reader.ignore_other_keys();
  const std::vector<std::string> covered = read_strings(reader, "coveredResources");
  queue.covered_resources.insert(queue.covered_resources.end(), covered.begin(), covered.end());
  reader.array("flavors", [&](const Value& item, std::size_t) {
    ObjectReader fields(decoder, item, "flavor");
    fields.ignore_other_keys();
    objects::OperatorQueue::Flavor& flavor = queue.flavors.emplace_back();
    flavor.name = read_string(fields, "name");
    fields.array("resources", [&](const Value& resource, std::size_t index) {
      ObjectReader quota(decoder, resource, "resource");
      quota.ignore_other_keys();
      const std::optional<Quantity> nominal = read_quantity(quota, "nominalQuota");
      if (index != 0) return;
      flavor.resource = read_string(quota, "name");
      flavor.nominal = nominal ? nominal->value() : 0;
    });
  });
}

/// One list of status.flavorsReservation or flavorsUsage: names of the flavors, those that hold something, and, when
/// wanted, the cores that they hold.
std::vector<std::string> read_usage(Decoder& decoder, ObjectReader& reader, std::string_view key,
                                    objects::OperatorQueue& queue, bool reservation) {
  return read_list(reader, key, [&](const Value& item) {
    ObjectReader fields(decoder, item, "flavor");
    fields.ignore_other_keys();
    const std::string name = read_string(fields, "name");
    fields.array("resources", [&](const Value& resource, std::size_t) {
      ObjectReader amounts(decoder, resource, "resource");
      amounts.ignore_other_keys();
      const Quantity total = read_quantity(amounts, "total").value_or(Quantity());
      const Quantity borrowed = read_quantity(amounts, "borrowed").value_or(Quantity());
      if (!total.is_zero() || !borrowed.is_zero()) queue.busy_flavors.push_back(name);
      if (reservation && read_string(amounts, "name") == "cpu") queue.reserved_cpu_milli += total.milli_value();
    });
    return name;
  });
}

void read_active(Decoder& decoder, const Value& value, objects::OperatorQueue& queue) {
  ObjectReader reader(decoder, value, "condition");
  reader.ignore_other_keys();
  if (read_string(reader, "type") != "Active") return;
  queue.active = read_string(reader, "status") == "True";
  queue.active_reason = read_string(reader, "reason");
  queue.active_generation = reader.optional_int64("observedGeneration", 0);
}

}  // namespace

objects::OperatorQueue decode_operator_queue(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "ClusterQueue");
  reader.ignore_other_keys();
  objects::OperatorQueue queue;
  queue.meta = read_meta(decoder, reader);
  reader.object("metadata", [&](const Value& metadata) {
    ObjectReader fields(decoder, metadata, "metadata");
    fields.ignore_other_keys();
    queue.generation = fields.optional_int64("generation", 0).value_or(0);
  });
  reader.object("spec", [&](const Value& spec) {
    ObjectReader fields(decoder, spec, "ClusterQueue spec");
    fields.ignore_other_keys();
    queue.stop_policy = read_optional_string(fields, "stopPolicy");
    fields.array("resourceGroups", [&](const Value& group, std::size_t) {
      queue.has_groups = true;
      read_group(decoder, group, queue);
    });
  });
  reader.object("status", [&](const Value& status) {
    ObjectReader fields(decoder, status, "ClusterQueue status");
    fields.ignore_other_keys();
    std::vector<std::string> reserved = read_usage(decoder, fields, "flavorsReservation", queue, true);
    const std::vector<std::string> used = read_usage(decoder, fields, "flavorsUsage", queue, false);
    std::erase_if(reserved, [&](const std::string& name) { return std::ranges::find(used, name) == used.end(); });
    queue.reported_flavors = std::move(reserved);
    queue.reserves = fields.optional_int64("reservingWorkloads").value_or(0) > 0 ||
                     fields.optional_int64("admittedWorkloads").value_or(0) > 0 || !queue.busy_flavors.empty();
    fields.array("conditions", [&](const Value& item, std::size_t) { read_active(decoder, item, queue); });
  });
  return queue;
}

}  // namespace gpusched::io
