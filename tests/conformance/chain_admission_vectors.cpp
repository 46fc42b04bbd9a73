#include "chain_admission_vectors.hpp"

#include <string>
#include <vector>

#include "chain_queue_vectors.hpp"
#include "gpusched/chain/gate3.hpp"
#include "gpusched/chain/requests.hpp"
#include "gpusched/chain/units.hpp"

namespace gpusched::conformance {
namespace {

using Json = nlohmann::json;

const std::vector<chain::OfferedProfile> kProfiles = {{"1g.10gb", 9856, 7}, {"3g.40gb", 40448, 2}};
constexpr std::int64_t kH100Mib = 81920;

objects::Container container_of(const Json& json) {
  objects::Container container;
  for (const auto& [key, value] : json.items()) {
    if (key == "restartPolicy") {
      container.restart_policy = value.get<std::string>();
    } else {
      container.resources.limits.emplace_back(key, *try_parse_quantity(value.get<std::string>()));
    }
  }
  return container;
}

objects::PodSpec pod_of(const Json& in) {
  objects::PodSpec pod;
  for (const Json& json : in.value("initContainers", Json::array())) pod.init_containers.push_back(container_of(json));
  for (const Json& json : in.at("containers")) pod.containers.push_back(container_of(json));
  return pod;
}

chain::Family family_of(const std::string& name) {
  using enum chain::Family;
  for (const chain::Family family : {kExclusive, kShared, kSliced, kPartitioned}) {
    if (chain::name_of(family) == name) return family;
  }
  return kExclusive;
}

/// A container of {family, cards?, units?}; none for family cpu.
std::vector<chain::ContainerDemand> demands_of(const Json& in, std::int64_t cards) {
  const auto family = in.at("family").get<std::string>();
  if (family == "cpu") return {};
  chain::ContainerDemand demand;
  demand.manufacturer = chain::find_manufacturer("nvidia");
  demand.family = family_of(family);
  demand.cards = cards;
  demand.units = in.value("units", std::int64_t{0});
  return {demand};
}

Json requirement(const objects::NodeSelectorRequirement& pin) {
  return {{"key", pin.key}, {"operator", pin.op}, {"values", pin.values}};
}

}  // namespace

Json credits_fold(const Json& in) {
  const auto value = in.at("value").get<std::int64_t>();
  if (in.at("kind") == "percentage") return chain::units_of_percent(value);
  return chain::units_of_memory(value, in.at("cardVramMiB").get<std::int64_t>());
}

Json credits_transform(const Json& in) {
  std::map<std::string, std::int64_t, std::less<>> resources;
  for (const auto& [key, amount] : in.items()) resources[key] = amount.get<std::int64_t>();
  return chain::credits_of(resources);
}

Json request_rule(const Json& in) {
  chain::PoolOffer offer;
  offer.vram_mib = in.value("cardVramMiB", kH100Mib);
  offer.profiles = kProfiles;
  const auto folded = chain::fold_pod(pod_of(in), offer);
  return {{"accepted", folded.has_value()}, {"rule", folded ? 0 : folded.error().rule}};
}

Json gate3_feasibility(const Json& in) {
  const objects::Devices devices = devices_of({{"manufacturer", "nvidia"}, {"groups", {{{"cards", in.at("cards")}}}}});
  const std::vector<chain::CardGroup> groups = chain::card_groups(devices);
  std::vector<chain::BudgetCard> cards;
  for (const chain::Card& card : groups.front().cards) cards.push_back({card, {}});
  std::vector<chain::CardDemand> demands;
  for (const Json& json : in.at("demands")) {
    const auto count = json.at("cards").get<std::int64_t>();
    const chain::Family family = family_of(json.at("family").get<std::string>());
    demands.push_back({family, count, json.at("units").get<std::int64_t>(),
                       family == chain::Family::kShared ? count : 1, json.value("profile", "")});
  }
  return chain::judge(demands, cards).empty() ? "Ready" : "Retry";
}

Json gate3_demand(const Json& in) {
  std::vector<chain::ContainerDemand> containers;
  if (in.contains("sameFamilyContainerUnits")) {
    for (const Json& units : in.at("sameFamilyContainerUnits")) {
      containers.push_back(demands_of({{"family", in.at("family")}, {"units", units}}, 1).front());
    }
    return {{"unitsPerCard", chain::card_demands(containers, in.at("pods").get<std::int64_t>()).front().units}};
  }
  const auto folded = chain::fold_pod(pod_of(in), {});
  Json demands = Json::array();
  for (const chain::CardDemand& demand : chain::card_demands(folded->demands, in.at("pods").get<std::int64_t>())) {
    demands.push_back({{"family", chain::name_of(demand.family)}, {"cards", demand.cards}, {"units", demand.units}});
  }
  return demands;
}

Json workload_pin(const Json& in) {
  Json pins = Json::array();
  for (const auto& pin : chain::workload_affinity_pins(demands_of(in, in.value("cards", std::int64_t{1})), "<aKey>")) {
    pins.push_back(requirement(pin));
  }
  return pins;
}

Json pod_pin(const Json& in) {
  const auto pin =
      chain::pod_affinity_pin(demands_of(in, in.at("containersMax").get<std::int64_t>()), in.value("group", ""));
  Json pins = Json::array();
  if (pin) pins.push_back(requirement(*pin));
  return pins;
}

}  // namespace gpusched::conformance
