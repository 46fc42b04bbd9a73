#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "kueue/topology_search.hpp"

namespace gpusched::kueue {

/// Balanced placement (gate TASBalancedPlacement, preferred requests): spreads the slices evenly over as few domains as
/// the greedy choice needs. Kueue looks at sets of siblings in the order of a hash map; we take that of the values.
class BalancedPlacement {
 public:
  explicit BalancedPlacement(TopologySearch& search)
      : search_(search), rules_(search.rules_), slices_(search.demand_.pods / search.rules_.slice_size) {}

  /// The domains with their shares; nothing when balance is impossible, and the normal search decides; an error ends
  /// the search.
  [[nodiscard]] std::expected<std::optional<DomainSet>, std::string> find();

 private:
  /// What the greedy choice among some domains would take.
  struct Greedy {
    bool fits = false;
    std::int32_t domains = 0;
    std::optional<DomainIndex> last_with_leader, last;
  };
  struct Siblings {
    Domains domains;
    std::int32_t threshold = 0;  ///< the smallest share, in slices
  };

  [[nodiscard]] Greedy greedy(const Domains& domains) const;
  [[nodiscard]] std::int32_t threshold(const Greedy& choice) const;
  [[nodiscard]] Siblings best_siblings();
  void prune(DomainRange siblings, std::int32_t threshold);
  void clear(std::size_t level, DomainIndex domain);
  [[nodiscard]] std::optional<Domains> optimal_set(const Domains& domains) const;
  [[nodiscard]] Domains by_entropy(Domains domains) const;
  [[nodiscard]] double entropy(DomainIndex domain) const;
  [[nodiscard]] std::expected<Domains, std::string> share_out(const Domains& domains, std::int32_t threshold);

  TopologySearch& search_;
  const SearchRules& rules_;
  const std::int32_t slices_;
};

}  // namespace gpusched::kueue
