#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kueue/topology_counts.hpp"

/// Phase 2 of Kueue's search: which domains take the pods.
namespace gpusched::kueue {

/// A pod set, or workers with one leader, on its way to the domains.
struct SearchDemand {
  std::int32_t pods = 0;
  std::int32_t leaders = 0;  ///< 0 or 1
};

/// Why no domains were found.
struct Misfit {
  std::string text;                 ///< the whole sentence, or "" when it is made of the numbers
  std::size_t level = 0;            ///< where the search ended
  std::int32_t fit = 0, total = 0;  ///< slices
};

using Domains = std::vector<DomainIndex>;

[[nodiscard]] Domains all(DomainRange range);

/// A set of domains and the level they are on.
struct DomainSet {
  std::size_t level = 0;
  Domains domains;
};

/// What does not change while one request is placed.
struct SearchSpace {
  const TopologyTree& tree;
  const SearchRules& rules;
  std::span<const std::string> levels;
  /// By domain: how much the pods prefer its nodes. Empty when they do not, and in Kueue 0.17. Since 0.18 (gate
  /// TASRespectNodeAffinityPreferred) it goes before capacity: the best fit is looked for among domains that are
  /// preferred alike.
  std::span<const std::int64_t> preference;
};

/// The order in which domains are considered: preferred ones first. Then BestFit: most slices first; LeastFreeCapacity:
/// fewest. Among equals the one with the fewest spare pods. With a leader, domains that can take it go first, and
/// counts are those beside it.
struct DomainOrder {
  std::span<const DomainState> states;
  std::span<const std::int64_t> preference;
  bool ascending = false;
  bool with_leader = false;

  [[nodiscard]] bool operator()(DomainIndex a, DomainIndex b) const;
};

/// Of sorted domains the first with the smallest sufficient value, looking no further than to the first that is
/// preferred otherwise; the first of all when none is sufficient.
[[nodiscard]] DomainIndex best_fit(std::span<const DomainIndex> sorted, std::int32_t needed,
                                   std::int32_t DomainState::* value, const DomainOrder& order);

/// Domains in order, sorted only as far as they are taken.
class DomainQueue {
 public:
  DomainQueue(Domains domains, DomainOrder order);

  [[nodiscard]] bool empty() const { return domains_.empty(); }
  [[nodiscard]] DomainIndex front() const { return domains_.front(); }
  void pop();
  /// The first of those with the smallest sufficient value among the most preferred, or front() when none is
  /// sufficient.
  [[nodiscard]] DomainIndex best_fit(std::int32_t needed, std::int32_t DomainState::* value) const;
  /// The first with a sufficient value, or front().
  [[nodiscard]] DomainIndex first_fit(std::int32_t needed, std::int32_t DomainState::* value) const;
  /// The last of all.
  [[nodiscard]] DomainIndex back() const;
  [[nodiscard]] Domains sorted() const;
  /// What is left, in no order.
  [[nodiscard]] Domains take() && { return std::move(domains_); }

 private:
  DomainOrder order_;
  Domains domains_;  // a heap with the first domain on top
};

/// Hands out the pods of one request. Works on the counts of phase 1 and leaves in `states` what each domain got.
class TopologySearch {
 public:
  TopologySearch(const SearchSpace& space, SearchDemand demand, std::span<DomainState> states)
      : tree_(space.tree),
        rules_(space.rules),
        demand_(demand),
        levels_(space.levels),
        preference_(space.preference),
        states_(states) {}

  /// The leaves that got pods or the leader, in no particular order; a leaf may be named twice.
  [[nodiscard]] std::expected<Domains, Misfit> run();

 private:
  friend class BalancedPlacement;

  [[nodiscard]] std::expected<DomainSet, Misfit> find_fitting_level() const;
  [[nodiscard]] bool suffices(const DomainState& state, std::int32_t slices) const;
  [[nodiscard]] DomainIndex top_domain(const DomainQueue& queue, std::int32_t slices) const;
  [[nodiscard]] std::optional<DomainIndex> second_choice(const DomainQueue& queue, std::int32_t slices) const;
  [[nodiscard]] std::expected<Domains, Misfit> several_domains(DomainQueue queue, std::size_t level,
                                                               std::int32_t slices) const;

  [[nodiscard]] Domains distribute(DomainSet found, bool balanced);
  [[nodiscard]] Domains fill_slices(Domains children, SearchDemand demand, std::int32_t slice_size);
  [[nodiscard]] Domains fill_children(Domains children, SearchDemand demand, std::int32_t slice_size, bool by_slices);
  [[nodiscard]] Domains fill(const Domains& sorted, SearchDemand demand, std::int32_t slice_size, bool by_slices);
  [[nodiscard]] bool fill_with_leader(std::span<const DomainIndex> rest, std::int32_t& remaining, std::int32_t& leaders,
                                      std::int32_t unit, bool by_slices, Domains& result);
  [[nodiscard]] bool fill_one(DomainIndex domain, std::int32_t& remaining, std::int32_t unit,
                              std::int32_t DomainState::* value, Domains& result);

  [[nodiscard]] DomainOrder order(bool with_leader) const {
    return {states_, preference_, rules_.least_free, with_leader};
  }
  [[nodiscard]] Domains sorted(Domains domains, bool with_leader) const;
  [[nodiscard]] Domains children(std::span<const DomainIndex> domains) const;
  const TopologyTree& tree_;
  const SearchRules& rules_;
  const SearchDemand demand_;
  const std::span<const std::string> levels_;
  const std::span<const std::int64_t> preference_;
  const std::span<DomainState> states_;
};

}  // namespace gpusched::kueue
