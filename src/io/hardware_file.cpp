#include "gpusched/io/hardware_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "gpusched/base/ascii.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/io/decode.hpp"
#include "io/fixture_amounts.hpp"
#include "io/inventory_parts.hpp"

namespace gpusched::io {

namespace {

using Groups = std::vector<std::vector<std::uint32_t>>;

constexpr std::int64_t kMostReplicas = 1000;
constexpr std::int64_t kMiB = 1024 * 1024;
constexpr std::int64_t kOne = 1000;  // of a ratio

std::vector<std::string> texts(ObjectReader& rule, std::string_view key) {
  const auto views = rule.strings(key);
  return {views.begin(), views.end()};
}

/// Lists of GPU indices; an index is in one list only.
std::optional<Groups> index_lists(Decoder& decoder, ObjectReader& rule, std::string_view key) {
  Groups groups;
  std::set<std::int64_t> seen;
  const bool given = rule.array(key, [&](const Value& list, std::size_t) {
    if (!list.is_array()) {
      decoder.error(list, "wrong-type", fmt::format("expected a list of GPU indices, found {}", describe(list)));
      return;
    }
    groups.emplace_back();
    for (std::size_t i = 0; i < list.items().size(); ++i) {
      decoder.at_index(i, [&] {
        const Value& item = list.items()[i];
        const auto index = item.is_number() ? to_int64(item.text()) : std::nullopt;
        if (!index || *index < 0 || *index >= kMostGpus) {
          decoder.error(item, "out-of-range",
                        fmt::format("expected a GPU index from 0 to {}, found {}", kMostGpus - 1, describe(item)));
        } else if (!seen.insert(*index).second) {
          decoder.error(item, "duplicate-value", fmt::format("GPU {} is in two of the lists", *index));
        } else {
          groups.back().push_back(static_cast<std::uint32_t>(*index));
        }
      });
    }
  });
  return given ? std::optional(std::move(groups)) : std::nullopt;
}

HardwareRule read_rule(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "hardware rule");
  HardwareRule rule;
  rule.products = texts(reader, "products");
  rule.instance_types = texts(reader, "instance_types");
  for (const auto& [key, text] : reader.string_map("node_selector")) rule.node_selector.emplace_back(key, text);
  rule.count = reader.optional_int64("count", 1, kMostGpus);
  if (const auto model = reader.optional_string("model")) rule.model = *model;
  if (const auto bytes = optional_amount(reader, "memory_gib", DecimalUnit::kGib)) rule.memory_mib = *bytes / kMiB;
  rule.replicas = reader.optional_int64("time_slicing", 1, kMostReplicas);
  rule.nvlink_mbps = optional_amount(reader, "nvlink_gbps", DecimalUnit::kGbps);
  rule.pcie_mbps = optional_amount(reader, "pcie_gbps", DecimalUnit::kGbps);
  rule.network_mbps = optional_amount(reader, "network_gbps", DecimalUnit::kGbps);
  rule.gpu_nic_mbps = optional_amount(reader, "gpu_nic_gbps", DecimalUnit::kGbps);
  rule.islands = index_lists(decoder, reader, "islands");
  rule.numa_nodes = index_lists(decoder, reader, "numa_nodes");
  constexpr std::string_view kFacts[] = {"model",        "memory_gib",   "time_slicing", "nvlink_gbps", "pcie_gbps",
                                         "network_gbps", "gpu_nic_gbps", "islands",      "numa_nodes"};
  const bool says_something = std::ranges::any_of(kFacts, [&](std::string_view key) { return value.find(key); });
  if (!says_something && value.is_object()) {
    decoder.error(value, "missing-key", "the rule says nothing about its GPUs",
                  fmt::format("add one of {}", join(kFacts, ", ")));
  }
  return rule;
}

/// What lies between the nodes.
void read_network(Decoder& decoder, const Value& value, HardwareFile& file) {
  ObjectReader network(decoder, value, "network");
  file.rack_label = network.optional_string("rack_label").value_or("");
  const auto ratio = optional_amount(network, "oversubscription", DecimalUnit::kRatio);
  if (ratio && *ratio < kOne) {
    network.error("oversubscription", "out-of-range", "expected 1 (the links between racks carry all) or more");
  }
  file.oversubscription_milli = static_cast<std::int32_t>(ratio.value_or(0));
  if (value.is_object() && file.rack_label.empty() && !ratio) {
    decoder.error(value, "missing-key", "the network says nothing", "add one of rack_label, oversubscription");
  }
}

bool matches_node(const HardwareRule& rule, const Inventory& facts) {
  const auto has = [&](const auto& label) {
    return facts.has_label(label.first) && facts.label(label.first) == label.second;
  };
  if (!std::ranges::all_of(rule.node_selector, has)) return false;
  if (rule.instance_types.empty()) return true;
  return std::ranges::any_of(rule.instance_types, [&](const std::string& type) {
    return equal_ignoring_case(type, facts.label("node.kubernetes.io/instance-type")) ||
           equal_ignoring_case(type, facts.label("beta.kubernetes.io/instance-type"));
  });
}

bool matches_group(const HardwareRule& rule, const GpuGroup& group) {
  if (rule.count && *rule.count != group.count) return false;
  if (rule.products.empty()) return true;
  const std::string words = product_words(group.model);
  return !words.empty() && std::ranges::any_of(rule.products, [&](const std::string& product) {
    return product_words(product) == words;
  });
}

/// Whether every index is one of the group's GPUs.
bool fits(const Groups& lists, const GpuGroup& group) {
  return group.count <= kMostGpus && std::ranges::all_of(lists, [&](const auto& list) {
           return std::ranges::all_of(list, [&](std::uint32_t index) { return index < group.count; });
         });
}

void set_islands(GpuGroup& group, const Groups& lists) {
  group.islands.clear();
  std::vector<bool> listed(static_cast<std::size_t>(group.count));
  for (const auto& list : lists) {
    if (list.empty()) continue;
    group.islands.push_back(list);
    for (const std::uint32_t index : list) listed[index] = true;
  }
  for (std::uint32_t i = 0; i < listed.size(); ++i) {
    if (!listed[i]) group.islands.push_back({i});
  }
  group.islands_basis = Basis::kKnown;
}

void set_numa_nodes(GpuGroup& group, const Groups& lists) {
  group.numa_nodes.assign(static_cast<std::size_t>(group.count), -1);
  for (std::size_t node = 0; node < lists.size(); ++node) {
    for (const std::uint32_t index : lists[node]) group.numa_nodes[index] = static_cast<std::int32_t>(node);
  }
}

void set_identity(GpuGroup& group, const HardwareRule& rule) {
  if (rule.model) group.model = *rule.model;
  if (rule.memory_mib) group.board_memory_mib = *rule.memory_mib;
  if (rule.memory_mib && group.mig == MigStrategy::kNone && !group.vgpu && group.parts == 1) {
    group.unit_memory_mib = *rule.memory_mib;
  }
  if ((rule.model || rule.memory_mib) && !group.vgpu) {
    const mig::Board* const board = mig::find_board(group.model, static_cast<std::uint64_t>(group.board_memory_mib));
    if (board != nullptr || group.mig == MigStrategy::kNone) group.mig_board = board;
  }
}

void apply_rule(GpuGroup& group, const HardwareRule& rule, Inventory& facts) {
  set_identity(group, rule);
  if (rule.replicas) set_replicas(group, *rule.replicas, facts);
  if (rule.nvlink_mbps) group.nvlink_mbps = *rule.nvlink_mbps;
  if (rule.pcie_mbps) group.pcie_mbps = *rule.pcie_mbps;
  if (rule.network_mbps) facts.result.network_mbps = *rule.network_mbps;
  if (rule.gpu_nic_mbps) facts.result.gpu_nic_mbps = *rule.gpu_nic_mbps;
  const auto lists_fit = [&](const std::optional<Groups>& lists, std::string_view key) {
    if (!lists) return false;
    if (fits(*lists, group)) return true;
    facts.warn(Severity::kWarning, "hardware-does-not-fit",
               fmt::format("{} names a GPU beyond the {} of the node; left out", key, group.count),
               "give the rule the node's count of GPUs");
    return false;
  };
  if (lists_fit(rule.islands, "islands")) set_islands(group, *rule.islands);
  if (lists_fit(rule.numa_nodes, "numa_nodes")) set_numa_nodes(group, *rule.numa_nodes);
}

}  // namespace

void set_replicas(GpuGroup& group, std::int64_t replicas, Inventory& facts) {
  if (group.mig != MigStrategy::kNone || group.capacity % replicas != 0) {
    facts.warn(Severity::kWarning, "hardware-does-not-fit",
               fmt::format("{} replicas do not divide the {} units of {}", replicas, group.capacity, group.resource));
    return;
  }
  group.replicas = replicas;
  group.sharing = replicas > 1 ? Sharing::kTimeSlicing : Sharing::kNone;
  if (group.capacity / replicas != group.count && group.capacity > 0) {
    group.count = group.capacity / replicas;
    group.islands.clear();
    group.islands_basis = Basis::kUnknown;
    group.numa_nodes.clear();
  }
  group.count_basis = CountBasis::kKnown;
}

Result<HardwareFile> read_hardware(const Document& document) {
  Decoder decoder(document);
  HardwareFile file;
  {
    ObjectReader reader(decoder, document.root, "hardware file");
    constexpr std::string_view kVersions[] = {"gpusched/v1alpha1"};
    constexpr std::string_view kKinds[] = {"Hardware"};
    (void)reader.optional_one_of("apiVersion", kVersions);
    (void)reader.optional_one_of("kind", kKinds);
    const bool network = reader.object("network", [&](const Value& value) { read_network(decoder, value, file); });
    if (!network) (void)reader.require("hardware");
    reader.array("hardware", [&](const Value& item, std::size_t) { file.rules.push_back(read_rule(decoder, item)); });
  }
  if (decoder.failed()) return std::unexpected(decoder.take_diagnostics());
  return file;
}

void add_hardware(HardwareFile& hardware, HardwareFile file) {
  std::ranges::move(file.rules, std::back_inserter(hardware.rules));
  if (!file.rack_label.empty()) hardware.rack_label = std::move(file.rack_label);
  if (file.oversubscription_milli > 0) hardware.oversubscription_milli = file.oversubscription_milli;
}

void apply_hardware(GpuInventory& inventory, const NodeFacts& node, const HardwareFile& hardware) {
  Inventory facts(node);
  facts.result.network_mbps = inventory.network_mbps;
  facts.result.gpu_nic_mbps = inventory.gpu_nic_mbps;
  for (std::size_t number = 0; number < hardware.rules.size(); ++number) {
    const HardwareRule& rule = hardware.rules[number];
    if (!matches_node(rule, facts)) continue;
    for (GpuGroup& group : inventory.groups) {
      if (!matches_group(rule, group)) continue;
      apply_rule(group, rule, facts);
      inventory.inferred.push_back({fmt::format("hardware of {}", group.model.empty() ? group.resource : group.model),
                                    fmt::format("rule {} of the hardware file", number + 1)});
    }
  }
  inventory.network_mbps = facts.result.network_mbps;
  inventory.gpu_nic_mbps = facts.result.gpu_nic_mbps;
  const Diagnostics& warnings = facts.result.warnings;
  inventory.warnings.insert(inventory.warnings.end(), warnings.begin(), warnings.end());
}

}  // namespace gpusched::io
