#include "chain_vectors.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "gpusched/chain/capacity.hpp"
#include "gpusched/chain/card.hpp"
#include "gpusched/chain/chain.hpp"
#include "gpusched/chain/flavors.hpp"
#include "gpusched/chain/manufacturer.hpp"
#include "gpusched/chain/names.hpp"
#include "gpusched/chain/node_labels.hpp"
#include "gpusched/chain/topology.hpp"
#include "gpusched/chain/unit_preset.hpp"
#include "gpusched/chain/units.hpp"
#include "gpusched/mig/profile.hpp"

#include "chain_admission_vectors.hpp"
#include "chain_queue_vectors.hpp"

namespace gpusched::conformance {
namespace {

using Json = nlohmann::json;
using Answer = Json (*)(const Json& in);

/// "nvidia-tesla-t4" as manufacturer and group id.
std::pair<std::string, std::string> split_key(const std::string& key) {
  const std::size_t dash = key.find('-');
  return {key.substr(0, dash), key.substr(dash + 1)};
}

Json local_queue(const Json& in) {
  return chain::local_queue_name(in.at("clusterQueue").get<std::string>());
}

Json profile(const Json& in) {
  const auto levels = in.at("levels").get<std::vector<std::string>>();
  const chain::TopologyPlan topology{chain::topology_profile(levels), levels};
  return {{"profile", topology.profile}, {"topology", topology.name()}};
}

Json levels(const Json& in) {
  objects::Labels labels;
  for (const Json& key : in.at("nodeLabels")) labels.emplace_back(key.get<std::string>(), "x");
  std::vector<objects::TopologySource> sources;
  if (!in.at("sourceLevels").is_null()) {
    sources.emplace_back().levels = in.at("sourceLevels").get<std::vector<std::string>>();
  }
  return chain::node_levels(chain::source_levels(sources, labels), labels);
}

Json normalize(const Json& in) {
  return chain::normalize_name(in.at("name").get<std::string>(), in.at("prefix").get<std::string>(),
                               in.at("maxLength").get<std::size_t>(), in.at("stripCruft").get<bool>());
}

Json memory_suffix(const Json& in) {
  return chain::memory_suffix(in.at("memoryMiB").get<std::int64_t>());
}

objects::Labels labels_of(const Json& map) {
  objects::Labels labels;
  for (const auto& [key, value] : map.items()) labels.emplace_back(key, value.get<std::string>());
  return labels;
}

Json general_key(const Json& in) {
  return chain::general_key(labels_of(in.at("labels")), labels_of(in.at("annotations")));
}

Json memory_format(const Json& in) {
  constexpr std::int64_t kMib = 1 << 20;
  return chain::memory_label(in.contains("bytes") ? in.at("bytes").get<std::int64_t>()
                                                  : in.at("memoryMiB").get<std::int64_t>() * kMib);
}

Json canonical(const Json& in) {
  return chain::canonical(in.get<std::int64_t>());
}

Json published(const Json& in) {
  const auto manufacturer = in.at("manufacturer").get<std::string>();
  const std::string name = chain::published_profile(manufacturer, in.at("profile").get<std::string>());
  return {{"published", name}, {"key", chain::profile_key(*chain::find_manufacturer(manufacturer), name)}};
}

Json node_capacity(const Json& in) {
  if (!in.at("managed").get<bool>()) {  // the chain asks managed nodes only: node_facts below the same flag
    objects::Node node;
    node.meta.labels.edit().emplace_back(chain::kManaged, "false");
    Diagnostics notes;
    const auto devices = devices_of(in);
    return chain::node_facts(node, &devices, {}, {}, notes).keys;
  }
  const objects::Devices devices = devices_of(in);
  const std::vector<chain::CardGroup> groups = chain::card_groups(devices);
  const chain::Manufacturer& manufacturer = *chain::find_manufacturer(in.at("manufacturer").get<std::string>());
  objects::ResourceList capacity;
  for (const auto& [pool, amount] : in.at("pools").items()) {
    capacity.emplace_back(std::string(manufacturer.resource) + "." + pool,
                          Quantity::from_int64(amount.get<std::int64_t>()));
  }
  std::vector<chain::ModelCards> models;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Json& label = in.at("groups").at(i).at("memLabel");
    models.push_back({&groups[i], label.is_null() ? 0 : chain::memory_label_mib(label.get<std::string>())});
  }
  Json keys = Json::object();
  for (const auto& [key, amount] : counting_keys(manufacturer, models, pools_of(capacity, manufacturer))) {
    keys[key] = chain::canonical(amount);
  }
  return keys;
}

Json capacity_patch(const Json& in) {
  objects::ResourceList capacity;
  for (const auto& [key, amount] : in.at("capacity").items()) {
    capacity.emplace_back(key, *try_parse_quantity(amount.get<std::string>()));
  }
  chain::Amounts desired;
  for (const auto& [key, amount] : in.at("desired").items()) desired[key] = amount.get<std::int64_t>();
  Json patch = Json::object();
  for (const auto& [key, amount] : chain::capacity_patch(capacity, desired)) {
    patch[key] = amount ? Json(chain::canonical(*amount)) : Json();
  }
  return patch;
}

Json partition_remaining(const Json& in) {
  const auto place = [](const Json& json) {
    return objects::PartitionPlacement{json.at("start").get<std::int64_t>(), json.at("length").get<std::int64_t>()};
  };
  std::vector<objects::PartitionPlacement> live;
  for (const Json& taken : in.at("occupied")) live.push_back(place(taken));
  Json remaining = Json::object();
  for (const auto& [name, places] : in.at("placements").items()) {
    objects::PartitionProfile offered;
    if (places.is_array()) {
      for (const Json& entry : places) offered.placements.push_back(place(entry));
    } else {
      for (const Json& start : places.at("starts")) {
        offered.placements.push_back({start.get<std::int64_t>(), places.at("length").get<std::int64_t>()});
      }
    }
    remaining[name] = chain::remaining_placements(offered, live);
  }
  return remaining;
}

Json profile_table(const Json& in) {
  Json table = Json::object();
  const mig::Board* const board = mig::find_board(in.at("device").get<std::string>());
  if (board == nullptr) return table;
  for (const objects::PartitionProfile& row : chain::board_profiles(*board)) {
    table[row.name] = {{"memoryMib", row.memory_mib},
                       {"computeSlices", row.compute_slices},
                       {"memorySlices", row.memory_slices},
                       {"count", row.count}};
  }
  return table;
}

/// Cards given by their remaining units are free ones that slice `logicalCount` times (T4 and L4 hosts: 10).
Json plain_cards(const Json& remaining, std::int64_t logical) {
  Json cards = Json::array();
  for (const Json& units : remaining) cards.push_back({{"mode", 0}, {"remaining", units}, {"logical", logical}});
  return cards;
}

Json fit_of(const std::string& key, const Json& cards) {
  const auto [manufacturer, id] = split_key(key);
  const objects::Devices devices =
      devices_of({{"manufacturer", manufacturer}, {"groups", {{{"id", id}, {"cards", cards}}}}});
  Json answer = Json::object();
  for (const auto& [label, value] : chain::fit_labels(chain::card_groups(devices).front())) {
    answer[label.starts_with("sliced") ? "sliced" : "shared"] = value;
  }
  return answer;
}

Json fit_labels(const Json& in) {
  constexpr std::int64_t kLogical = 10;
  if (in.contains("groups")) {
    Json answer = Json::object();
    for (const auto& [key, remaining] : in.at("groups").items()) {
      answer[key] = fit_of(key, plain_cards(remaining, kLogical));
    }
    return answer;
  }
  const Json cards = in.contains("cards") ? in.at("cards")
                                          : plain_cards(in.at("remaining"), in.at("logicalCount").get<std::int64_t>());
  return fit_of(in.at("aKey").get<std::string>(), cards);
}

Json unit_preset(const Json& in) {
  const bool accelerated = in.value("acceleratable", true);
  const chain::UnitResources unit = accelerated ? chain::accelerated_unit(in.at("manufacturer").get<std::string>(),
                                                                          in.at("product").get<std::string>())
                                                : chain::cpu_unit();
  return {{"cpu", std::to_string(unit.cpu)},
          {"ram", std::to_string(unit.ram_gib) + "Gi"},
          {"localStorage", std::to_string(unit.storage_gib) + "Gi"}};
}

Json rdma(const Json& in) {
  objects::Devices devices;
  for (const Json& json : in.at("interfaces")) {
    objects::RdmaInterface& interface = devices.interfaces.emplace_back();
    interface.endpoint.rdma = json.at("rdma").get<bool>();
    interface.endpoint.place.numa = json.at("numa").get<std::string>();
    if (!json.at("linkState").is_null()) interface.endpoint.link_state = json.at("linkState").get<std::string>();
  }
  // The vectors give the best distance instead of the buses: two devices behind one switch are PIX apart.
  if (in.value("bestDistance", "") == "PIX") devices.interfaces.front().endpoint.place.pci_switches = {"s0"};
  objects::AcceleratorGroup& group = devices.groups.emplace_back();
  group.accelerators.resize(in.at("accelerators").get<std::size_t>());
  for (objects::Accelerator& card : group.accelerators) card.place.pci_switches = {"s0"};
  Json labels = Json::object();
  for (const auto& [key, value] : chain::rdma_labels(devices.interfaces, chain::nearest(devices))) {
    labels[key.substr(chain::kFeature.size())] = value;
  }
  return labels;
}

const std::map<std::string_view, Answer> kAreas = {
    {"localqueue-name", local_queue},
    {"topology-profile", profile},
    {"topology-levels", levels},
    {"normalize-name", normalize},
    {"group-id-memory-suffix", memory_suffix},
    {"gkey", general_key},
    {"memory-label-format", memory_format},
    {"canonical-quantity", canonical},
    {"profile-published-name", published},
    {"node-capacity", node_capacity},
    {"capacity-patch", capacity_patch},
    {"partition-remaining", partition_remaining},
    {"partition-profile-table", profile_table},
    {"fit-labels", fit_labels},
    {"unit-preset", unit_preset},
    {"rdma-labels", rdma},
    {"flavor-and-pool-names", flavors_and_pools},
    {"clusterqueue-fill", queue_fill},
    {"stop-policy", stop_policy},
    {"four-view", four_view},
    {"cpu-view", cpu_view},
    {"credits-fold", credits_fold},
    {"credits-transform", credits_transform},
    {"request-rule", request_rule},
    {"gate3-feasibility", gate3_feasibility},
    {"gate3-demand", gate3_demand},
    {"workload-affinity-pin", workload_pin},
    {"pod-affinity-pin", pod_pin},
};

}  // namespace

nlohmann::json chain_answer(std::string_view area, const nlohmann::json& vector) {
  const auto found = kAreas.find(area);
  return found == kAreas.end() ? Json() : found->second(vector.at("input"));
}

}  // namespace gpusched::conformance
