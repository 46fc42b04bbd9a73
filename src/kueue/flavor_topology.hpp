#pragma once

#include <array>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "gpusched/kueue/topology.hpp"
#include "kueue/topology_capacity.hpp"
#include "kueue/topology_class.hpp"
#include "kueue/topology_filter.hpp"
#include "kueue/topology_rules.hpp"
#include "kueue/topology_search.hpp"
#include "kueue/topology_tree.hpp"

namespace gpusched::kueue {

/// Domains of the lowest level by name, for the whole life of a FlavorTopology.
class DomainNames {
 public:
  DomainId intern(std::span<const std::string> values);
  [[nodiscard]] std::span<const std::string> values(DomainId domain) const { return values_[domain.index()]; }

 private:
  std::deque<std::vector<std::string>> values_;
  std::unordered_map<std::string, DomainId> ids_;  // by the values, joined as Kueue joins them
};

/// Requests of pods that are about to be placed together with others, by leaf.
class AssumedUsage {
 public:
  void add(std::uint32_t leaf, const ResourceRow& per_pod, std::int32_t pods);
  [[nodiscard]] bool empty() const { return by_leaf_.empty(); }
  /// nullptr for a leaf without.
  [[nodiscard]] const ResourceRow* find(std::uint32_t leaf) const;

 private:
  std::unordered_map<std::uint32_t, ResourceRow> by_leaf_;
};

/// Adds to a row that is sorted by resource.
void add_amount(ResourceRow& row, StringId resource, std::int64_t amount);

/// Behind FlavorTopology: the tree of the present nodes, and per class of pod sets what can be known before a search.
class FlavorTopology::Data {
 public:
  Data(std::string topology_name, std::vector<std::string> levels, objects::Labels node_labels,
       std::vector<objects::Toleration> tolerations, TopologyFeatures features, StringTable& resource_names);

  [[nodiscard]] std::span<const std::string> levels() const { return levels_; }
  [[nodiscard]] std::span<const std::string> assignment_levels() const;
  [[nodiscard]] const TopologyFeatures& features() const { return features_; }
  [[nodiscard]] DomainNames& names() { return names_; }
  [[nodiscard]] const DomainNames& names() const { return names_; }

  void set_nodes(std::span<const TopologyNode> nodes);
  void change_usage(const DomainUsage& usage, std::int64_t sign) { capacity_.change(usage, sign, pods_); }
  [[nodiscard]] bool fits(const DomainUsage& usage);
  PodSetClass pod_set_class(const PodSetNeeds& needs);
  [[nodiscard]] TopologyPlacement place(std::span<const PodSetRequest> requests, bool simulate_empty);

 private:
  struct Class {
    SearchRules rules;
    std::optional<std::string> group;  ///< podSetGroupName
    ResourceRow per_pod;
    PodDemand demand;
    std::size_t filter = 0;             ///< in filters_
    std::array<ClassCounts, 2> counts;  ///< now, and without usage
  };
  struct Filter {
    NodeFilter rules;
    Verdicts verdicts;
  };
  /// Pod sets that are placed together.
  struct Group {
    std::vector<PodSetRequest> pod_sets;
  };
  struct Leaf {
    std::vector<std::string> values;
    const objects::Node* node = nullptr;
    ResourceRow free;
  };

  [[nodiscard]] bool lowest_is_node() const;
  [[nodiscard]] std::vector<Leaf> leaves_of(std::span<const TopologyNode> nodes);
  std::size_t filter(NodeFilter filter);
  const Verdicts& verdicts(std::size_t filter);

  /// Drops counts that can be made again when there are too many.
  void forget_counts();

  [[nodiscard]] std::vector<Group> groups(std::span<const PodSetRequest> requests) const;
  /// "" or why the group cannot be placed.
  [[nodiscard]] std::string place_group(const Group& group, bool simulate_empty, AssumedUsage& assumed,
                                        TopologyPlacement& placement);
  [[nodiscard]] DomainAssignment leader_domains(const Domains& leaves) const;
  [[nodiscard]] DomainAssignment worker_domains(const Domains& leaves, bool beside_leader) const;

  /// Phase 1, into states_, limited_ and preference_.
  void count(Class& workers, const Class* leader, const AssumedUsage& assumed, bool empty);
  void sum_preference(std::span<const std::int64_t> by_leaf);
  /// Workers without the leader; `taken`: what others of the Workload take from the leaf, or nullptr.
  PodCount count_leaf(std::uint32_t leaf, const Class& workers, const Class* leader, const ResourceRow* taken,
                      bool empty);
  [[nodiscard]] std::string sentence(const Misfit& misfit, const Class& workers, std::int32_t pods) const;
  [[nodiscard]] std::string layers_sentence(std::size_t level, const SearchRules& rules, std::int32_t pods) const;

  std::string topology_name_;
  std::vector<std::string> levels_;
  objects::Labels node_labels_;
  std::vector<objects::Toleration> tolerations_;
  TopologyFeatures features_;
  StringTable& resource_names_;
  StringId pods_;

  DomainNames names_;
  TopologyTree tree_;
  TopologyCapacity capacity_;
  std::vector<const objects::Node*> nodes_;  // by leaf; empty when leaves are no nodes
  std::deque<Class> classes_;
  std::unordered_map<std::string, PodSetClass> class_ids_;
  std::deque<Filter> filters_;
  std::unordered_map<std::string, std::size_t> filter_ids_;
  std::size_t cached_ = 0;  // numbers that classes and filters keep

  // Of the search in hand.
  std::vector<DomainState> states_;
  std::vector<std::int64_t> room_, leader_room_;  // of the leaf in hand, by entry of the demands
  std::vector<std::int64_t> preference_;          // by domain; empty when none is preferred
  std::vector<int> limited_;  // by entry of the workers' demand: leaves with room for no pod because of it
};

}  // namespace gpusched::kueue
