#pragma once

#include <optional>

#include "explain/evictions.hpp"
#include "explain/findings.hpp"

namespace gpusched::explain {

/// Tries changes and keeps those with which the pod schedules.
class FixSearch {
 public:
  FixSearch(const Question& question, whatif::Trial& trial) : question_(question), trial_(trial) {
    options_.node_answers = false;
    options_.scores = false;
  }

  /// Whether the pod schedules with the plan; then it is among the fixes. `change` stands for the edits' own texts.
  /// With a `target` it is enough that this node takes the pod, and no other is looked at then.
  bool try_plan(const Plan& plan, std::string change = {}, const std::string& target = {});

  /// For a pod that no node takes; `verdict` is the dominant one.
  void search(const Finding& verdict);
  /// For a pod that lands on shared GPUs: a rule that keeps it off them.
  void avoid_sharing();
  /// For a pod that is not even tried.
  void search_before_nodes(const kubescheduler::Prediction& prediction);

  /// Those with a catch last.
  [[nodiscard]] std::vector<Fix> take_fixes();
  [[nodiscard]] std::vector<Finding> take_findings() { return std::move(findings_); }

 private:
  [[nodiscard]] bool enough() const { return fixes_.size() >= kMaxFixes; }
  [[nodiscard]] std::string pods_not_made_again(const Plan& plan);
  [[nodiscard]] std::string effect_of(const kubescheduler::Prediction& prediction) const;
  [[nodiscard]] kubescheduler::Prediction predict(objects::Pod pod, const std::string& target = {}) const;
  /// A node of the group, for try_plan; "" in clusters that are small enough to look at every node each time.
  [[nodiscard]] std::string target_in(const NodeGroup& group) const;
  [[nodiscard]] NodeIndex fullest_that_takes(const objects::Pod& pod, NodeIndex from) const;

  void unblock(const NodeGroup& group);
  void wait_for_terminating();
  void other_names();
  void repartition();
  void lower_request();
  void move_pods();
  void evict_pods();
  void evict_claims();
  void free_volumes();
  void raise_priority();
  void add_node();
  void say_what_does_not_help(const Finding& verdict);
  /// The smallest ones, found once.
  [[nodiscard]] const std::vector<Eviction>& evictions();
  [[nodiscard]] bool relocate(const std::vector<PodIndex>& pods, NodeIndex from,
                              std::vector<whatif::ClusterEdit>& moves);

  static constexpr std::size_t kMaxFixes = 6;
  static constexpr std::size_t kManyNodes = 500;

  bool volume_in_use_ = false;  // by a pod that could go
  Question question_;
  whatif::Trial& trial_;
  kubescheduler::PredictOptions options_ = question_.options;
  std::optional<std::vector<Eviction>> evictions_;
  std::vector<Fix> fixes_;
  std::vector<Finding> findings_;
};

/// The changes without which a group of nodes stays closed to the pod; pods that are in the way are left aside.
/// Empty: none that one would advise, such as tolerating that a node is not ready.
[[nodiscard]] std::vector<Plan> unblocking_plans(const Question& question, const NodeGroup& group);

}  // namespace gpusched::explain
