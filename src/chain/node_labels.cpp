#include "gpusched/chain/node_labels.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "gpusched/base/text.hpp"
#include "gpusched/chain/manufacturer.hpp"
#include "gpusched/chain/units.hpp"

namespace gpusched::chain {

namespace {

/// Calls `body(endpoint, NUMA id)` for each usable interface and virtual function; a function's own NUMA id wins over
/// its parent's.
template <class Body>
void for_usable(std::span<const objects::RdmaInterface> interfaces, Body&& body) {
  for (const objects::RdmaInterface& interface : interfaces) {
    const std::string& parent = interface.endpoint.place.numa;
    if (is_usable(interface.endpoint)) body(interface.endpoint, parent);
    for (const objects::RdmaEndpoint& function : interface.virtual_functions) {
      if (is_usable(function)) body(function, function.place.numa.empty() ? parent : function.place.numa);
    }
  }
}

}  // namespace

LabelMap fit_labels(const CardGroup& group) {
  LabelMap labels;
  const std::string sliced = std::string(kSlicedFitPrefix) + group.key;
  if (!group.ledger || !is_qualified_name(sliced)) return labels;
  std::int64_t units = -1;
  std::int64_t sharing = -1;
  for (const Card& card : group.cards) {
    if (is_partitioned(card)) continue;
    sharing = std::max<std::int64_t>(sharing, 0) + (can_share(card) ? 1 : 0);
    if (is_sliceable(card)) units = std::max(units, free_slice_units(card));
  }
  if (units >= 0) labels[sliced] = std::to_string(units);
  if (sharing >= 0) labels[std::string(kSharedFitPrefix) + group.key] = std::to_string(sharing);
  return labels;
}

std::string_view name_of(Distance distance) {
  constexpr std::array<std::string_view, 8> kNames = {"SELF", "LINK", "PIX", "PXB", "PHB", "NODE", "SYS", "UNK"};
  return kNames[static_cast<std::size_t>(distance)];
}

Distance distance_between(const objects::BusPlace& a, const objects::BusPlace& b) {
  if (!a.pci_bus_id.empty() && a.pci_bus_id == b.pci_bus_id) return Distance::kSelf;
  if (!a.pci_switches.empty() && !b.pci_switches.empty()) {
    if (a.pci_switches.front() == b.pci_switches.front()) return Distance::kPix;
    const bool common = std::ranges::any_of(a.pci_switches, [&](const std::string& bridge) {
      return std::ranges::find(b.pci_switches, bridge) != b.pci_switches.end();
    });
    if (common) return Distance::kPxb;
  }
  if (!a.pci_root_id.empty() && a.pci_root_id == b.pci_root_id) return Distance::kPhb;
  if (a.numa.empty() || b.numa.empty()) return Distance::kUnknown;
  return a.numa == b.numa ? Distance::kNode : Distance::kSys;
}

bool is_usable(const objects::RdmaEndpoint& endpoint) {
  return endpoint.link_state ? *endpoint.link_state != "Failed" : endpoint.rdma;
}

std::optional<Distance> nearest(const objects::Devices& devices) {
  std::optional<Distance> best;
  for_usable(devices.interfaces, [&](const objects::RdmaEndpoint& endpoint, const std::string& numa) {
    objects::BusPlace place = endpoint.place;
    place.numa = numa;
    for (const objects::AcceleratorGroup& group : devices.groups) {
      for (const objects::Accelerator& card : group.accelerators) {
        const Distance found = distance_between(card.place, place);
        best = best ? std::min(*best, found) : found;
      }
    }
  });
  return best;
}

LabelMap rdma_labels(std::span<const objects::RdmaInterface> interfaces, std::optional<Distance> distance) {
  bool capable = false;
  std::set<std::string> numa_ids;
  for_usable(interfaces, [&](const objects::RdmaEndpoint&, const std::string& numa) {
    capable = true;
    if (!numa.empty()) numa_ids.insert(numa);
  });
  LabelMap labels;
  if (!capable) return labels;
  const auto key = [](std::string_view name) { return std::string(kFeature).append(name); };
  labels[key("rdma.capable")] = "true";
  if (distance) labels[key("rdma.distance")] = name_of(*distance);
  const std::string numa = join(numa_ids, "_");
  if (!numa.empty() && is_label_value(numa)) labels[key("rdma.numa")] = numa;
  return labels;
}

}  // namespace gpusched::chain
