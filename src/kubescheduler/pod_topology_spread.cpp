#include <algorithm>
#include <unordered_map>

#include "kubescheduler/node_selection.hpp"
#include "kubescheduler/plugins.hpp"
#include "kubescheduler/spread_constraint.hpp"

namespace gpusched::kubescheduler {

namespace {

/// Matching pods per domain of one constraint, with the two emptiest domains.
struct Domains {
  std::unordered_map<std::string_view, std::int64_t> counts;
  std::string_view lowest, second;

  [[nodiscard]] std::int64_t of(std::string_view value) const {
    const auto found = counts.find(value);
    return found == counts.end() ? 0 : found->second;
  }

  void find_lowest() {
    bool has_lowest = false;
    bool has_second = false;
    for (const auto& [value, count] : counts) {
      if (!has_lowest || count < of(lowest)) {
        second = lowest;
        has_second = has_lowest;
        lowest = value;
        has_lowest = true;
      } else if (!has_second || count < of(second)) {
        second = value;
        has_second = true;
      }
    }
  }

  /// The smallest count when the domain `value` has `count`.
  [[nodiscard]] std::int64_t minimum_with(std::string_view value, std::int64_t count) const {
    if (value != lowest) {
      return std::min(count, of(lowest));
    }
    return counts.size() > 1 ? std::min(count, of(second)) : count;
  }
};

class PodTopologySpread final : public FilterPlugin {
 public:
  PodTopologySpread(Cycle& cycle, std::vector<SpreadConstraint> constraints)
      : cycle_(cycle),
        constraints_(std::move(constraints)),
        domains_(constraints_.size()),
        missing_label_(cycle.reasons.unresolvable(
            "node(s) didn't match pod topology spread constraints (missing required label)")),
        too_skewed_(cycle.reasons.unschedulable("node(s) didn't match pod topology spread constraints")) {
    for (std::size_t n = 0; n < cycle.snapshot.nodes().size(); ++n) {
      count_node(NodeIndex(n));
    }
    std::ranges::for_each(domains_, &Domains::find_lowest);
  }

  Status filter(const NodeView& view) override {
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
      const SpreadConstraint& constraint = constraints_[i];
      const std::string* const value = objects::find(view.object().meta.labels, constraint.topology_key);
      if (value == nullptr) {
        return missing_label_;
      }
      const std::int64_t change = change_of(view, constraint);
      const std::int64_t matching = domains_[i].of(*value) + change;
      const bool known = domains_[i].counts.contains(*value) || change != 0;
      const std::size_t domain_count =
          domains_[i].counts.size() + (known && !domains_[i].counts.contains(*value) ? 1 : 0);
      std::int64_t minimum = 0;
      if (domain_count >= static_cast<std::size_t>(constraint.min_domains) && domain_count != 0) {
        minimum = known ? domains_[i].minimum_with(*value, matching) : domains_[i].of(domains_[i].lowest);
      }
      const std::int64_t self = constraint.selects(cycle_.pod) ? 1 : 0;
      if (matching + self - minimum > constraint.max_skew) {
        return too_skewed_;
      }
    }
    return {};
  }

 private:
  void count_node(NodeIndex index) {
    const objects::Node& node = *cycle_.snapshot.node(index).object;
    if (!has_all_keys(node, constraints_)) {
      return;
    }
    const bool matches_affinity = matches_required(cycle_.pod, node);
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
      if (includes(constraints_[i], cycle_, node, matches_affinity)) {
        domains_[i].counts[*objects::find(node.meta.labels, constraints_[i].topology_key)] +=
            count_selected(constraints_[i], cycle_, index);
      }
    }
  }

  /// Pods that came or went count even when they are being deleted and when the selector is empty, as in the real
  /// plugin's AddPod and RemovePod.
  [[nodiscard]] std::int64_t change_of(const NodeView& view, const SpreadConstraint& constraint) const {
    if (view.changes.empty() || !has_all_keys(view.object(), constraints_) ||
        !includes(constraint, cycle_, view.object(), matches_required(cycle_.pod, view.object()))) {
      return 0;
    }
    std::int64_t sum = 0;
    for (const PodChange& change : view.changes) {
      if (change.pod->object->meta.namespace_name == cycle_.pod.meta.namespace_name &&
          constraint.selects(*change.pod->object)) {
        sum += change.count;
      }
    }
    return sum;
  }

  Cycle& cycle_;
  std::vector<SpreadConstraint> constraints_;
  std::vector<Domains> domains_;
  Status missing_label_, too_skewed_;
};

}  // namespace

PreFiltered pre_filter_pod_topology_spread(Cycle& cycle) {
  std::vector<SpreadConstraint> constraints = spread_constraints(cycle, "DoNotSchedule");
  if (constraints.empty()) {
    return {};
  }
  return {{}, std::make_unique<PodTopologySpread>(cycle, std::move(constraints)), false, {}};
}

}  // namespace gpusched::kubescheduler
