#include "chain/admission_world.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "gpusched/chain/units.hpp"

namespace gpusched::chain {

namespace {

objects::Labels to_labels(const LabelMap& map) {
  objects::Labels labels;
  for (const auto& [key, value] : map) labels.emplace_back(key, value);
  return labels;
}

void put(objects::ResourceList& list, const std::string& key, std::int64_t amount) {
  const auto found = std::ranges::find(list, key, [](const auto& entry) -> const std::string& { return entry.first; });
  if (found == list.end()) {
    list.emplace_back(key, Quantity::from_int64(amount));
  } else {
    found->second = Quantity::from_int64(amount);
  }
}

/// The node as the chain leaves it. Its credits are what topology placement counts by, where Kueue does not turn keys
/// into credits itself.
objects::Node settled_node(const objects::Node& node, const NodeFacts& facts, bool with_credits) {
  objects::Node settled = node;
  settled.meta.labels = to_labels(facts.labels);
  objects::ResourceList& allocatable = settled.status.allocatable;
  if (allocatable.empty()) allocatable = node.status.capacity;
  if (facts.bare_assumed) {
    for (const auto& [key, amount] : facts.bare) put(allocatable, key, amount);
  }
  for (const auto& [key, amount] : facts.keys) put(allocatable, key, amount);
  if (!with_credits || !facts.managed) return settled;
  std::map<std::string_view, std::int64_t> credits;
  for (const Model& model : facts.models) credits[model.manufacturer->name] += model.count * kUnitsPerCard;
  for (const auto& [manufacturer, amount] : credits)
    put(allocatable, std::string(kCreditsPrefix).append(manufacturer), amount);
  return settled;
}

objects::ResourceFlavor to_object(const Flavor& flavor, const Settings& settings) {
  objects::ResourceFlavor object;
  object.meta.name = flavor.name;
  object.node_labels = to_labels(flavor_node_labels(flavor.key, settings));
  objects::Toleration everything;
  everything.op = "Exists";
  object.tolerations.push_back(everything);
  object.topology_name = "gpustack-" + flavor.key.profile;
  return object;
}

objects::ClusterQueue to_object(const Pool& pool) {
  objects::ClusterQueue queue;
  queue.meta.name = pool.name;
  if (!pool.groups.empty()) {
    objects::ResourceGroup& group = queue.resource_groups.emplace_back();
    group.covered_resources.push_back(pool.covered_resource);
    for (const FlavorQuota& quota : pool.groups) {
      objects::FlavorQuotas& flavor = group.flavors.emplace_back();
      flavor.flavor = quota.flavor;
      flavor.resources.push_back({pool.covered_resource, Quantity::from_int64(quota.nominal), {}, {}});
    }
  }
  queue.namespace_selector.emplace();
  queue.flavor_fungibility = {"TryNextFlavor", "MayStopSearch", ""};
  queue.preemption.within_cluster_queue = "LowerPriority";
  queue.preemption.reclaim_within_cohort = "Never";
  queue.preemption.borrow_within_cohort = "Never";
  if (pool.state.policy != StopPolicy::kUnset) queue.stop_policy = name_of(pool.state.policy);
  for (const std::string& check : pool.checks) queue.admission_checks.push_back({check, {}});
  return queue;
}

/// Keeps the dump's objects (or ours), and adds those of the other side whose names are new.
template <class Object, class Name>
void merge(std::vector<Object>& dump, std::vector<Object> ours, bool dump_wins, Name&& name) {
  std::vector<Object>& kept = dump_wins ? dump : ours;
  std::vector<Object>& added = dump_wins ? ours : dump;
  std::set<std::string> names;
  for (const Object& object : kept) names.insert(name(object));
  for (Object& object : added) {
    if (!names.contains(name(object))) kept.push_back(std::move(object));
  }
  if (!dump_wins) dump = std::move(ours);
}

std::string name_of_object(const objects::ObjectMeta& meta) {
  return meta.namespace_name + "/" + meta.name;
}

class World {
 public:
  World(const AdmissionQuestion& question, objects::KueueObjects dump, std::span<const JudgedWorkload> judged)
      : question_(question), chain_(*question.chain), world_(std::move(dump)), judged_(judged) {}

  objects::KueueObjects build() {
    add_nodes();
    add_queues();
    for (const std::string& name_space : chain_.namespaces) {
      objects::Namespace object;
      object.meta.name = name_space;
      const auto known = std::ranges::any_of(
          world_.namespaces, [&](const objects::Namespace& other) { return other.meta.name == name_space; });
      if (!known) world_.namespaces.push_back(std::move(object));
    }
    add_workloads();
    return std::move(world_);
  }

 private:
  void add_nodes();
  void add_queues();
  void add_workloads();

  const AdmissionQuestion& question_;
  const Chain& chain_;
  objects::KueueObjects world_;
  std::span<const JudgedWorkload> judged_;
};

void World::add_nodes() {
  std::unordered_map<std::string_view, const NodeFacts*> facts;
  for (const NodeFacts& node : chain_.nodes) facts.emplace(node.name, &node);
  world_.nodes.clear();
  for (const objects::Node& node : question_.input->nodes) {
    world_.nodes.push_back(settled_node(node, *facts.at(node.meta.name), !question_.as_kueue_017));
  }
}

void World::add_queues() {
  const bool dump_wins = question_.dump_wins;
  const auto by_name = [](const auto& object) { return name_of_object(object.meta); };
  std::vector<objects::ResourceFlavor> flavors;
  for (const Flavor& flavor : chain_.flavors) flavors.push_back(to_object(flavor, question_.input->settings));
  merge(world_.flavors, std::move(flavors), dump_wins, by_name);
  std::vector<objects::Topology> topologies;
  for (const TopologyPlan& plan : chain_.topologies) {
    objects::Topology& topology = topologies.emplace_back();
    topology.meta.name = plan.name();
    topology.levels = plan.levels;
  }
  merge(world_.topologies, std::move(topologies), dump_wins, by_name);
  std::vector<objects::ClusterQueue> queues;
  std::vector<objects::LocalQueue> local_queues;
  for (const Pool& pool : chain_.pools) {
    if (!pool.state.exists) continue;
    queues.push_back(to_object(pool));
    for (const std::string& name_space : chain_.namespaces) {
      objects::LocalQueue& queue = local_queues.emplace_back();
      queue.meta.name = pool.local_queue;
      queue.meta.namespace_name = name_space;
      queue.cluster_queue = pool.name;
    }
  }
  merge(world_.cluster_queues, std::move(queues), dump_wins, by_name);
  merge(world_.local_queues, std::move(local_queues), dump_wins, by_name);
  std::vector<objects::AdmissionCheck> checks;
  for (const LiveCheck& live : chain_.checks) {
    objects::AdmissionCheck& check = checks.emplace_back();
    check.meta.name = live.name;
    check.controller_name = live.controller;
    check.active = live.active;
  }
  merge(world_.admission_checks, std::move(checks), true, by_name);
}

/// A Workload that the cluster has stored went through the webhooks when it was created.
bool is_stored(const objects::Workload& workload) {
  return !workload.meta.uid.empty();
}

/// What the Pod webhook and the Workload webhook made of the PodSets. With credits as a resource of their own the keys
/// stay beside them: nodes are chosen by both, the quota is charged by the credits.
void World::add_workloads() {
  std::unordered_map<std::string_view, const JudgedWorkload*> judged;
  for (const JudgedWorkload& workload : judged_) judged.emplace(workload.name, &workload);
  std::erase_if(world_.workloads, [&](const objects::Workload& workload) {
    const auto found = judged.find(name_of_object(workload.meta));
    return !is_stored(workload) && found != judged.end() &&
           found->second->gates.front().outcome == GateOutcome::kRefuses;
  });
  for (objects::Workload& workload : world_.workloads) {
    const auto found = judged.find(name_of_object(workload.meta));
    if (found == judged.end()) continue;
    for (std::size_t i = 0; i < workload.pod_sets.size(); ++i) {
      const JudgedPodSet& pod_set = found->second->pod_sets[i];
      objects::PodSpec& spec = workload.pod_sets[i].spec;
      const bool stored = is_stored(workload);
      if (stored && question_.as_kueue_017) continue;
      if (!pod_set.pins.empty() && !stored) {
        if (!spec.affinity.node) spec.affinity.node.emplace();
        add_pins(spec.affinity.node->required, pod_set.pins);
      }
      if (spec.containers.empty()) continue;
      // The Pod's total is what counts, so it stands in the first container.
      objects::ResourceList& requests = spec.containers.front().resources.requests;
      if (pod_set.folded.resources.empty()) continue;
      for (auto* const list : {&spec.init_containers, &spec.containers}) {
        for (objects::Container& container : *list) {
          const auto is_accelerator = [](const auto& entry) { return classify(entry.first).has_value(); };
          std::erase_if(container.resources.requests, is_accelerator);
          std::erase_if(container.resources.limits, is_accelerator);
        }
      }
      for (const auto& [key, amount] : pod_set.folded.resources) put(requests, key, amount);
      if (question_.as_kueue_017) continue;
      for (const auto& [key, amount] : credits_of(pod_set.folded.resources)) put(requests, key, amount);
    }
  }
}

}  // namespace

objects::KueueObjects kueue_world(const AdmissionQuestion& question, objects::KueueObjects dump,
                                  std::span<const JudgedWorkload> judged) {
  return World(question, std::move(dump), judged).build();
}

objects::KueueConfiguration operator_configuration(const Chain& chain, bool as_kueue_017) {
  objects::KueueConfiguration configuration;
  configuration.features.tas_balanced_placement = true;
  configuration.features.tas_respect_preferred_node_affinity = !as_kueue_017;
  configuration.features.ignore_undeclared = !as_kueue_017;
  if (as_kueue_017) configuration.exclude_resource_prefixes = {"memory", "ephemeral-storage", "cpu"};
  std::set<std::string> keys;
  for (const NodeFacts& node : chain.nodes) {
    for (const auto* const amounts : {&node.bare, &node.keys}) {
      for (const auto& [key, amount] : *amounts) keys.insert(key);
    }
  }
  for (const Manufacturer& manufacturer : manufacturers()) {
    const std::string base(manufacturer.resource);
    for (const std::string_view suffix :
         {"", ".shared", ".sliced", ".sliced.units", ".sliced.cores-percentage", ".sliced.memory-percentage",
          ".sliced.memory-mib", ".partitioned", ".partitioned.units"}) {
      keys.insert(base + std::string(suffix));
    }
  }
  for (const std::string& key : keys) {
    const std::optional<AcceleratorResource> resource = classify(key);
    if (!resource) continue;
    objects::ResourceTransformation& rule = configuration.transformations.emplace_back();
    rule.input = key;
    rule.replace = true;
    if (!as_kueue_017) continue;  // the credits are requests of their own
    for (const auto& [credits, amount] : credits_of({{key, 1}})) put(rule.outputs, credits, amount);
    if (resource->family == Family::kSliced && resource->part == "units") {
      rule.multiply_by = std::string(resource->manufacturer->resource) + ".sliced";
    }
  }
  return configuration;
}

}  // namespace gpusched::chain
