#include "chain_queue_vectors.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "gpusched/chain/chain.hpp"
#include "gpusched/chain/names.hpp"
#include "gpusched/chain/queue_plan.hpp"
#include "gpusched/chain/stop_policy.hpp"
#include "gpusched/chain/units.hpp"
#include "gpusched/chain/views.hpp"

namespace gpusched::conformance {
namespace {

using Json = nlohmann::json;

std::vector<objects::ProfileCount> counts_of(const Json& json, const char* key) {
  std::vector<objects::ProfileCount> counts;
  if (!json.contains(key)) return counts;
  for (const auto& [name, count] : json.at(key).items()) counts.push_back({name, count.get<std::int64_t>()});
  return counts;
}

void add_card(const Json& json, objects::AcceleratorGroup& group, objects::LedgerGroup& ledger) {
  objects::Accelerator& card = group.accelerators.emplace_back();
  card.id = std::to_string(group.accelerators.size());
  card.logical_count = json.value("logical", std::int64_t{0});
  if (json.contains("profiles")) {
    for (const auto& [name, count] : json.at("profiles").items()) {
      objects::PartitionProfile& profile = card.profiles.emplace_back();
      profile.name = name;
      profile.count = count.get<std::int64_t>();
      card.physical_count = std::max(card.physical_count, profile.count);
    }
  }
  if (json.value("part", false) && card.physical_count == 0) card.physical_count = 1;
  card.physical_count = json.value("count", card.physical_count);
  if (!json.contains("mode") && !json.contains("rem") && !json.contains("alloc")) return;  // no row yet
  objects::LedgerRow& row = ledger.rows.emplace_back();
  row.id = card.id;
  row.mode = json.value("mode", card.physical_count > 0 ? 4 : 0);
  row.remaining = json.value("remaining", chain::kUnitsPerCard);
  row.allocated_slices = json.value("allocatedSlices", std::int64_t{0});
  row.allocated_profiles = counts_of(json, "alloc");
  row.remaining_profiles = counts_of(json, "rem");
}

/// A node of the naming vectors.
objects::Node node_of(const Json& json, const Json& in) {
  objects::Node node;
  node.meta.name = json.at("name").get<std::string>();
  objects::Labels& labels = node.meta.labels.edit();
  labels.emplace_back(chain::kOs, in.at("os").get<std::string>());
  labels.emplace_back(chain::kArch, in.at("arch").get<std::string>());
  const auto general = json.at("gKey").get<std::string>();
  const auto cores = json.at("cores").get<std::int64_t>();
  labels.emplace_back(std::string(chain::kGeneralPrefix) + general + ".count", std::to_string(cores));
  node.status.capacity.emplace_back("cpu", Quantity::from_int64(cores));
  if (json.contains("aKey")) {
    const std::string key = std::string(chain::kAcceleratorPrefix) + json.at("aKey").get<std::string>();
    labels.emplace_back(key, "true");
    labels.emplace_back(key + ".count", std::to_string(json.at("count").get<std::int64_t>()));
  }
  return node;
}

/// The nodes that the second vector refers to as "same nodes".
const Json& session_nodes(const Json& in) {
  static Json nodes;
  if (in.contains("nodes")) nodes = in;
  return nodes;
}

chain::Chain session(const Json& in, bool aware) {
  chain::ChainInput input;
  input.settings.aware_cpu_manufacturer = aware;
  const Json& nodes = session_nodes(in);
  for (const Json& node : nodes.at("nodes")) input.nodes.push_back(node_of(node, nodes));
  return *chain::compute(input);
}

template <class Entries>
std::vector<std::string> names_of(const Entries& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.push_back(entry.name);
  return names;
}

/// Which vectors list names in an order of their own; as sets they must be equal.
std::vector<std::string> sorted(std::vector<std::string> names) {
  std::ranges::sort(names);
  return names;
}

Json quota_texts(const chain::Chain& chain) {
  Json quota = Json::object();
  for (const chain::Pool& pool : chain.pools) {
    Json& texts = quota[pool.name] = Json::array();
    for (const chain::FlavorQuota& flavor : pool.groups) texts.push_back(chain::canonical(flavor.nominal));
  }
  return quota;
}

chain::StopPolicy policy_of(const std::string& name) {
  using enum chain::StopPolicy;
  for (const chain::StopPolicy policy : {kUnset, kNone, kHold, kHoldAndDrain}) {
    if (chain::name_of(policy) == name) return policy;
  }
  return kUnset;
}

chain::QueueState state_of(const Json& in) {
  chain::QueueState state;
  state.exists = in.value("event", "") != "create";
  state.deleting = in.value("deleting", false);
  const std::string groups = in.value("groups", "empty");
  state.groups = groups != "empty";
  state.policy = policy_of(in.value("stopPolicy", "unset"));
  state.marker = in.value("marker", false);
  state.inactive = in.value("inactive", false);
  state.reserved = in.value("reserved", false);
  if (in.contains("migration") && !in.at("migration").is_null()) {
    const bool draining = in.at("migration") == "draining";
    state.phase = draining ? chain::MigrationPhase::kDraining : chain::MigrationPhase::kSwitched;
    state.policy = chain::StopPolicy::kHoldAndDrain;
    state.saved = policy_of(in.value("saved", "unset"));
    state.groups = in.value("desired", "") == "non-empty";
    state.stopped_seen = in.value("activeReason", "") == "Stopped";
  }
  return state;
}

/// All that a vector may expect, under the vectors' names.
Json facts_of(const chain::QueueState& before, const chain::Turn& turn) {
  const chain::QueueState& after = turn.state;
  const bool untouched = turn.write.empty();
  Json phase = chain::name_of(after.phase);
  if (after.phase == chain::MigrationPhase::kNone) phase = nullptr;
  return {{"stopPolicy", chain::name_of(after.policy)},
          {"unchanged", untouched && before == after},
          {"marker", after.marker},
          {"inactive", after.inactive},
          {"groups", after.groups ? "filled" : "empty"},
          {"savedPolicy", chain::name_of(after.saved)},
          {"migration", phase},
          {"requeueSeconds", turn.requeue_seconds}};
}

}  // namespace

objects::Devices devices_of(const Json& in) {
  objects::Devices devices;
  int next = 0;
  for (const Json& json : in.at("groups")) {
    objects::AcceleratorGroup& group = devices.groups.emplace_back();
    group.manufacturer = in.at("manufacturer").get<std::string>();
    group.id = json.value("id", "model-" + std::to_string(next++));
    if (json.contains("overcommit")) group.cores_overcommit = json.at("overcommit").get<bool>();
    objects::LedgerGroup& ledger = devices.ledger.emplace_back();
    ledger.id = group.id;
    ledger.manufacturer = group.manufacturer;
    for (const Json& card : json.at("cards")) add_card(card, group, ledger);
  }
  return devices;
}

Json flavors_and_pools(const Json& in) {
  if (in.contains("profile")) {
    const chain::FlavorKey key{in.at("gKey").get<std::string>(),   in.at("aKey").get<std::string>(),
                               in.at("os").get<std::string>(),     in.at("arch").get<std::string>(),
                               in.at("count").get<std::int64_t>(), in.at("profile").get<std::string>()};
    return chain::flavor_name(key, true);
  }
  const bool aware = in.at("settings").at("instance-type-aware-cpu-manufacturer").get<bool>();
  const chain::Chain chain = session(in, aware);
  if (!aware) {
    return {{"resourceFlavorsWithoutProfileSuffix", sorted(names_of(chain.flavors))},
            {"clusterQueues", sorted(names_of(chain.pools))},
            {"instanceTypeFlavors", sorted(names_of(chain.catalog))},
            {"nominalQuota", quota_texts(chain)}};
  }
  const chain::Chain before = session(in, false);
  return {{"addedClusterQueues", sorted(names_of(chain.pools))},
          {"instanceTypeFlavors", sorted(names_of(chain.catalog))},
          {"resourceFlavorsChanged", names_of(before.flavors) != names_of(chain.flavors)},
          {"oldTypesRemoved", false}};  // nothing of the chain deletes a type
}

Json queue_fill(const Json& in) {
  std::vector<chain::PlanFlavor> flavors;
  std::vector<chain::LabelMap> labels;
  std::vector<std::string> names;
  const bool cpu = in.contains("cpuFlavors");
  const Json list = cpu ? in.at("cpuFlavors") : in.at("flavors");
  const std::size_t many = list.is_number() ? list.get<std::size_t>() : list.size();
  for (std::size_t i = 0; i < many; ++i) {
    names.push_back("flavor-" + std::to_string(i));
    labels.push_back({{"flavor", names.back()}});
  }
  std::vector<chain::LabelMap> nodes;
  for (std::size_t i = 0; i < many; ++i) {
    const std::int64_t count = list.is_number() ? 1 : list.at(i).at("count").get<std::int64_t>();
    const std::int64_t capacity = list.is_number() ? 1 : list.at(i).at("capacity").get<std::int64_t>();
    flavors.push_back({names[i], count, capacity, "p", "t", &labels[i]});
    nodes.insert(nodes.end(), static_cast<std::size_t>(capacity / count), labels[i]);
  }
  chain::PlanWorld world;
  world.topologies = {"t"};
  for (const chain::LabelMap& node : nodes) world.nodes.push_back(&node);
  const chain::QuotaPlan plan =
      chain::plan_quota(cpu ? "cpu" : "credits.gpustack.ai/nvidia", cpu ? 1 : chain::kUnitsPerCard, flavors, world);
  if (plan.problem != chain::PlanProblem::kNone) {
    return {{"accepted", false}, {"reason", chain::name_of(plan.problem)}, {"groups", "left as they were (empty)"}};
  }
  std::int64_t total = 0;
  std::vector<std::int64_t> nominal;
  for (const chain::FlavorQuota& flavor : plan.flavors) {
    total += flavor.nominal;
    nominal.push_back(flavor.nominal);
  }
  if (!cpu) return {{"totalNominal", total}};
  std::vector<std::int64_t> order;
  for (const chain::FlavorQuota& flavor : plan.flavors) {
    const auto found = std::ranges::find(flavors, flavor.flavor, &chain::PlanFlavor::name);
    order.push_back(found->count);
  }
  return {{"order", order}, {"nominal", nominal}};
}

Json stop_policy(const Json& in) {
  const chain::QueueState state = state_of(in);
  if (in.at("actor") == "lifecycle") return facts_of(state, chain::lifecycle_turn(state));
  chain::Desired desired;
  desired.flavors = in.value("liveFlavors", in.value("desired", "") == "non-empty" ? 1 : 0) > 0;
  desired.plan_valid = in.value("planValid", desired.flavors);
  return facts_of(state, chain::quota_turn(state, desired, in.value("drainSetting", true)));
}

Json four_view(const Json& in) {
  std::vector<objects::Devices> devices;
  std::vector<std::vector<chain::CardGroup>> groups;
  for (const Json& node : in.at("nodes")) {
    devices.push_back(devices_of({{"manufacturer", "nvidia"}, {"groups", {{{"cards", node}}}}}));
  }
  std::vector<chain::NodeCards> cards;
  for (const objects::Devices& node : devices) groups.push_back(chain::card_groups(node));
  for (const auto& node : groups) cards.emplace_back(node.front().cards);
  const chain::FourViews views = chain::four_views(cards, "nvidia");
  const auto json = [](const chain::View& view) {
    return Json{{"onceMaxRequest", view.once_max_request}, {"remaining", view.remaining}, {"capacity", view.capacity}};
  };
  return {{"column", chain::column(views)},
          {"EX", json(views.exclusive)},
          {"SH", json(views.shared)},
          {"SL", json(views.sliced)},
          {"PT", json(views.partitioned)},
          {"remainingProfiles", views.remaining_profiles},
          {"allocatedProfiles", views.allocated_profiles}};
}

Json cpu_view(const Json& in) {
  std::int64_t nominal = 0;
  std::int64_t largest = 0;
  for (const Json& cores : in.at("flavorCores")) {
    nominal += cores.get<std::int64_t>();
    largest = std::max(largest, cores.get<std::int64_t>());
  }
  const chain::View view = chain::cpu_view(nominal, largest, in.at("reserved").get<std::int64_t>(), true);
  return {{"onceMaxRequest", view.once_max_request},
          {"remaining", view.remaining},
          {"capacity", view.capacity},
          {"column", std::to_string(view.once_max_request) + "/" + std::to_string(view.remaining)}};
}

}  // namespace gpusched::conformance
