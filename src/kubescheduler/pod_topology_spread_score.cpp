#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "kubescheduler/node_selection.hpp"
#include "kubescheduler/plugins.hpp"
#include "kubescheduler/spread_constraint.hpp"

namespace gpusched::kubescheduler {

namespace {

constexpr std::string_view kHostname = "kubernetes.io/hostname";
constexpr std::int64_t kMaximum = 100;

class PodTopologySpreadScore final : public ScorePlugin {
 public:
  /// With the pod's own constraints and listed defaults a node must have all their keys, with the system's defaults
  /// not.
  PodTopologySpreadScore(Cycle& cycle, std::vector<SpreadConstraint> constraints, bool all_keys, FeasibleNodes nodes)
      : cycle_(cycle), constraints_(std::move(constraints)), all_keys_(all_keys), counts_(constraints_.size()) {
    std::size_t considered = 0;
    for (const NodeIndex index : nodes) {
      const objects::Node& node = *cycle.snapshot.node(index).object;
      if (ignored(node)) {
        continue;
      }
      ++considered;
      for (std::size_t i = 0; i < constraints_.size(); ++i) {
        if (constraints_[i].topology_key != kHostname) {
          counts_[i].try_emplace(domain_of(node, constraints_[i]), 0);
        }
      }
    }
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
      const std::size_t size = constraints_[i].topology_key == kHostname ? considered : counts_[i].size();
      weights_.push_back(std::log(static_cast<double>(size + 2)));
    }
    for (std::size_t n = 0; n < cycle.snapshot.nodes().size(); ++n) {
      count_node(NodeIndex(n));
    }
  }

  std::int64_t score(NodeIndex index) override {
    const objects::Node& node = *cycle_.snapshot.node(index).object;
    if (ignored(node)) {
      return 0;
    }
    double score = 0;
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
      const std::string* const value = objects::find(node.meta.labels, constraints_[i].topology_key);
      if (value != nullptr) {
        const std::int64_t count = constraints_[i].topology_key == kHostname
                                       ? count_selected(constraints_[i], cycle_, index)
                                       : counts_[i].at(*value);
        score += static_cast<double>(count) * weights_[i] + static_cast<double>(constraints_[i].max_skew - 1);
      }
    }
    return std::llround(score);
  }

  void normalize(std::span<const NodeIndex> nodes, std::span<std::int64_t> scores) override {
    std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
    std::int64_t highest = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!ignored(*cycle_.snapshot.node(nodes[i]).object)) {
        lowest = std::min(lowest, scores[i]);
        highest = std::max(highest, scores[i]);
      }
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (ignored(*cycle_.snapshot.node(nodes[i]).object)) {
        scores[i] = 0;
      } else {
        scores[i] = highest == 0 ? kMaximum : kMaximum * (highest + lowest - scores[i]) / highest;
      }
    }
  }

 private:
  [[nodiscard]] bool ignored(const objects::Node& node) const { return all_keys_ && !has_all_keys(node, constraints_); }

  /// "" for a node without the key, which is a domain of its own under the system's defaults.
  static std::string_view domain_of(const objects::Node& node, const SpreadConstraint& constraint) {
    const std::string* const value = objects::find(node.meta.labels, constraint.topology_key);
    return value == nullptr ? std::string_view() : *value;
  }

  void count_node(NodeIndex index) {
    const objects::Node& node = *cycle_.snapshot.node(index).object;
    if (ignored(node)) {
      return;
    }
    const bool matches_affinity = matches_required(cycle_.pod, node);
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
      const auto domain = counts_[i].find(domain_of(node, constraints_[i]));
      if (domain != counts_[i].end() && includes(constraints_[i], cycle_, node, matches_affinity)) {
        domain->second += count_selected(constraints_[i], cycle_, index);
      }
    }
  }

  Cycle& cycle_;
  std::vector<SpreadConstraint> constraints_;
  bool all_keys_;
  std::vector<std::unordered_map<std::string_view, std::int64_t>> counts_;  // of the domains of feasible nodes
  std::vector<double> weights_;
};

}  // namespace

std::unique_ptr<ScorePlugin> pre_score_pod_topology_spread(Cycle& cycle, FeasibleNodes nodes) {
  std::vector<SpreadConstraint> constraints = spread_constraints(cycle, "ScheduleAnyway");
  if (constraints.empty()) {
    return nullptr;
  }
  return std::make_unique<PodTopologySpreadScore>(cycle, std::move(constraints), !has_system_defaults(cycle), nodes);
}

}  // namespace gpusched::kubescheduler
