#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "gpusched/kueue/topology.hpp"

namespace gpusched::kueue {

/// An amount that is not there at all, which Kueue tells from 0.
inline constexpr std::int64_t kAbsent = std::numeric_limits<std::int64_t>::min();

/// Room per leaf and resource: what its nodes can give, what Workloads hold there, and the difference.
///
/// Usage is kept by DomainId and outlives leaves. A resource gets a column when it is first asked for.
class TopologyCapacity {
 public:
  using Column = std::uint32_t;

  /// `free`: per leaf the nodes' allocatable less the pods that TAS does not manage, sorted by resource.
  /// `domains`: the id of each leaf.
  void set_leaves(std::vector<ResourceRow> free, std::vector<DomainId> domains);

  [[nodiscard]] std::size_t leaves() const { return domains_.size(); }
  [[nodiscard]] DomainId domain(std::size_t leaf) const { return domains_[leaf]; }
  /// The leaf of a domain, or kNoLeaf when no node is in it.
  static constexpr std::uint32_t kNoLeaf = std::numeric_limits<std::uint32_t>::max();
  [[nodiscard]] std::uint32_t leaf(DomainId domain) const;

  Column column(StringId resource);
  /// Without usage, kAbsent when no node and no other pod knows the resource.
  [[nodiscard]] std::span<const std::int64_t> free(Column column) const { return columns_[column].free; }
  /// After usage; may be negative.
  [[nodiscard]] std::span<const std::int64_t> room(Column column) const { return columns_[column].room; }

  /// Adds `sign` (1 or -1) times the usage.
  void change(const DomainUsage& usage, std::int64_t sign, StringId pods);

  /// Leaves whose room changed in this epoch, oldest first. A reader that has seen another epoch must read all.
  [[nodiscard]] std::span<const std::uint32_t> changes() const { return changes_; }
  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }
  /// Grows when set_leaves is called.
  [[nodiscard]] std::uint64_t leaves_epoch() const { return leaves_epoch_; }

 private:
  struct Amounts {
    std::vector<std::int64_t> free, room;  // by leaf
    std::vector<std::int64_t> used;        // by DomainId; may be shorter than there are domains
  };

  void fill(StringId resource, Amounts& amounts) const;
  void change(DomainId domain, Column column, std::int64_t amount);

  std::vector<ResourceRow> free_;
  std::vector<DomainId> domains_;
  std::vector<std::uint32_t> leaf_of_;  // by DomainId
  std::vector<Amounts> columns_;
  std::vector<StringId> resources_;  // by Column
  std::vector<Column> column_of_;    // by StringId; kNoColumn
  std::vector<std::uint32_t> changes_;
  std::uint64_t epoch_ = 1, leaves_epoch_ = 1;
};

}  // namespace gpusched::kueue
