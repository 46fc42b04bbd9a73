#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kueue/topology_capacity.hpp"
#include "kueue/topology_counts.hpp"
#include "kueue/topology_filter.hpp"

namespace gpusched::kueue {

/// What one pod asks for, "pods" included, sorted by resource name: of several scarcest resources Kueue names the
/// first.
struct PodDemand {
  struct Entry {
    StringId resource;
    std::int64_t amount = 0;
    TopologyCapacity::Column column = 0;
  };
  std::vector<Entry> entries;

  /// kAbsent when it is not asked for.
  [[nodiscard]] std::int64_t amount(StringId resource) const;
};

[[nodiscard]] PodDemand pod_demand(const ResourceRow& per_pod, StringId pods, const StringTable& names);

/// Pods that fit into some room.
struct PodCount {
  static constexpr std::uint32_t kNothing = 0xffff'ffffU;

  std::int32_t pods = 0;
  std::uint32_t limiting = kNothing;  ///< the entry of the scarcest resource
};

/// `room`: by entry of the demand, kAbsent where the resource is unknown.
[[nodiscard]] PodCount count_pods(const PodDemand& demand, std::span<const std::int64_t> room);

/// The counts of phase 1 for pods of one class without a leader, kept up to date by what changed.
class ClassCounts {
 public:
  /// Brings the counts to the present. `empty`: without usage.
  void update(const TopologyTree& tree, const SearchRules& rules, const PodDemand& demand,
              const TopologyCapacity& capacity, const Verdicts& verdicts, bool empty);

  [[nodiscard]] std::span<const DomainState> states() const { return states_; }
  /// By entry of the demand: leaves with room for 0 pods because of it.
  [[nodiscard]] std::span<const int> limited() const { return limited_; }
  /// The entry that leaves no room for a pod on a leaf, or PodCount::kNothing.
  [[nodiscard]] std::uint32_t limiting(std::size_t leaf) const { return limiting_[leaf]; }

 private:
  void set_limiting(std::size_t leaf, const PodCount& count);

  std::uint64_t leaves_epoch_ = 0, epoch_ = 0;  // of the capacity; 0: nothing counted
  std::size_t seen_ = 0;                        // in capacity.changes()
  std::vector<DomainState> states_;
  std::vector<std::uint32_t> limiting_;  // by leaf
  std::vector<int> limited_;
};

}  // namespace gpusched::kueue
