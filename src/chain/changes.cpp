#include "gpusched/chain/changes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gpusched/base/text.hpp"
#include "gpusched/chain/card.hpp"
#include "gpusched/chain/manufacturer.hpp"
#include "gpusched/chain/names.hpp"
#include "gpusched/chain/topology.hpp"
#include "gpusched/chain/units.hpp"
#include "gpusched/mig/profile.hpp"

namespace gpusched::chain {

namespace {

constexpr std::int64_t kMaxCopies = 100'000;

objects::Node* find_node(ChainInput& input, std::string_view name) {
  const auto found =
      std::ranges::find(input.nodes, name, [](const objects::Node& n) { return std::string_view(n.meta.name); });
  return found == input.nodes.end() ? nullptr : &*found;
}

objects::Devices* find_devices(ChainInput& input, std::string_view name) {
  const auto found =
      std::ranges::find(input.devices, name, [](const objects::Devices& d) { return std::string_view(d.meta.name); });
  return found == input.devices.end() ? nullptr : &*found;
}

std::unexpected<Diagnostics> no_node(const ChainInput& input, std::string_view name) {
  std::vector<std::string_view> names;
  for (const objects::Node& node : input.nodes) names.push_back(node.meta.name);
  const std::string nearest = suggest(name, names);
  return fail("unknown-node", fmt::format("no node {} in the input", quote(name)),
              nearest.empty() ? "" : fmt::format("did you mean {}?", nearest));
}

void set(objects::Labels& labels, std::string_view key, std::string_view value) {
  const auto found = std::ranges::find(labels, key, [](const auto& entry) { return std::string_view(entry.first); });
  if (value.empty()) {
    if (found != labels.end()) labels.erase(found);
  } else if (found != labels.end()) {
    found->second = value;
  } else {
    labels.emplace_back(key, value);
  }
}

/// The device plugin's keys follow from the Devices again.
void forget_pools(objects::Node& node) {
  for (objects::ResourceList* const list : {&node.status.capacity, &node.status.allocatable}) {
    std::erase_if(*list, [](const auto& entry) { return classify(entry.first).has_value(); });
  }
}

std::vector<objects::PartitionProfile> profiles_for(const objects::AcceleratorGroup& group) {
  for (const objects::Accelerator& card : group.accelerators) {
    if (!card.profiles.empty()) return card.profiles;
  }
  const mig::Board* const board = group.manufacturer == "nvidia" && group.memory_mib > 0
                                      ? mig::find_board(group.name, static_cast<std::uint64_t>(group.memory_mib))
                                      : nullptr;
  return board == nullptr ? std::vector<objects::PartitionProfile>() : board_profiles(*board);
}

std::int64_t slices_for(const objects::AcceleratorGroup& group) {
  for (const objects::Accelerator& card : group.accelerators) {
    if (card.logical_count > 0) return card.logical_count;
  }
  const Manufacturer* const manufacturer = find_manufacturer(group.manufacturer);
  return manufacturer == nullptr ? 0 : manufacturer->slices_per_card;
}

Result<bool> flip(objects::AcceleratorGroup& group, objects::Accelerator& card) {
  if (card.physical_count > 0) {
    card.logical_count = slices_for(group);
    const Manufacturer* const manufacturer = find_manufacturer(group.manufacturer);
    card.cores_overcommit = manufacturer != nullptr && manufacturer->cores_overcommit;
    card.physical_count = 0;
    card.profiles.clear();
    return true;
  }
  std::vector<objects::PartitionProfile> profiles = profiles_for(group);
  if (profiles.empty()) {
    return fail("no-partitions", fmt::format("nothing is known of partitions of {}", quote(group.name)),
                "the Devices of a node with such an accelerator in its partitioning mode tell");
  }
  card.profiles = std::move(profiles);
  card.logical_count = 0;
  card.cores_overcommit = false;
  card.physical_count = std::ranges::max(card.profiles, {}, &objects::PartitionProfile::count).count;
  return true;
}

/// The row of the accelerator, when it has one.
objects::LedgerRow* find_row(objects::Devices& devices, const objects::AcceleratorGroup& group, std::string_view id) {
  for (objects::LedgerGroup& ledger : devices.ledger) {
    if (ledger.id != group.id || ledger.manufacturer != group.manufacturer) continue;
    const auto row =
        std::ranges::find(ledger.rows, id, [](const objects::LedgerRow& r) { return std::string_view(r.id); });
    if (row != ledger.rows.end()) return &*row;
  }
  return nullptr;
}

}  // namespace

Result<bool> add_nodes(ChainInput& input, std::string_view like, std::int64_t copies) {
  const objects::Node* const found = find_node(input, like);
  if (found == nullptr) return no_node(input, like);
  if (copies < 1 || copies > kMaxCopies) {
    return fail("bad-count", fmt::format("{} copies of a node; 1 to {} are allowed", copies, kMaxCopies));
  }
  objects::Node node = *found;
  const objects::Devices* const own = find_devices(input, like);
  objects::Devices devices = own == nullptr ? objects::Devices() : *own;
  const bool has_devices = own != nullptr;
  if (has_devices) {
    devices.ledger = free_ledger(devices);
    forget_pools(node);
  }
  for (std::int64_t i = 1; i <= copies; ++i) {
    node.meta.name = fmt::format("{}-copy-{}", like, i);
    if (find_node(input, node.meta.name) != nullptr) {
      return fail("duplicate-object", fmt::format("the input has a node {} already", quote(node.meta.name)));
    }
    set(node.meta.labels.edit(), kHostname, node.meta.name);
    devices.meta.name = node.meta.name;
    input.nodes.push_back(node);
    if (has_devices) input.devices.push_back(devices);
  }
  return true;
}

Result<bool> remove_node(ChainInput& input, std::string_view node) {
  if (find_node(input, node) == nullptr) return no_node(input, node);
  std::erase_if(input.nodes, [&](const objects::Node& candidate) { return candidate.meta.name == node; });
  std::erase_if(input.devices, [&](const objects::Devices& candidate) { return candidate.meta.name == node; });
  return true;
}

Result<bool> set_label(ChainInput& input, std::string_view node, std::string_view key, std::string_view value) {
  objects::Node* const found = find_node(input, node);
  if (found == nullptr) return no_node(input, node);
  if (!is_qualified_name(key) || !is_label_value(value)) {
    return fail("invalid-label", fmt::format("{}={} is no label", quote(key), quote(value)));
  }
  set(found->meta.labels.edit(), key, value);
  return true;
}

Result<bool> flip_partitioning(ChainInput& input, std::string_view node, std::int64_t index) {
  objects::Node* const found = find_node(input, node);
  if (found == nullptr) return no_node(input, node);
  objects::Devices* const devices = find_devices(input, node);
  if (devices == nullptr) {
    return fail("no-devices",
                fmt::format("node {} has no Devices, so nothing is known of its accelerators", quote(node)),
                "--derive-devices fills them in");
  }
  for (objects::AcceleratorGroup& group : devices->groups) {
    const auto card = std::ranges::find(group.accelerators, index, &objects::Accelerator::index);
    if (card == group.accelerators.end()) continue;
    objects::LedgerRow* const row = find_row(*devices, group, card->id);
    if (row != nullptr && row->remaining < kUnitsPerCard) {
      return fail("accelerator-in-use",
                  fmt::format("accelerator {} of node {} has {} of {} units left; only a free one changes its mode",
                              index, quote(node), row->remaining, kUnitsPerCard));
    }
    if (Result<bool> good = flip(group, *card); !good) return good;
    if (row != nullptr) {
      row->mode = static_cast<std::int64_t>(Mode::kNone);
      row->remaining_profiles.clear();
      for (const objects::PartitionProfile& profile : card->profiles) {
        if (profile.count > 0) row->remaining_profiles.push_back({profile.name, profile.count});
      }
    }
    forget_pools(*found);
    return true;
  }
  return fail("unknown-accelerator", fmt::format("node {} has no accelerator {}", quote(node), index));
}

Result<bool> set_levels(ChainInput& input, std::vector<std::string> levels) {
  objects::TopologySource source;
  source.meta.name = "what-if";
  source.levels = std::move(levels);
  if (Result<bool> good = check_source(source); !good) return good;
  input.topology_sources = {std::move(source)};
  return true;
}

}  // namespace gpusched::chain
