#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kubescheduler/best_node.hpp"
#include "kubescheduler/cycle.hpp"
#include "kubescheduler/filters.hpp"
#include "kubescheduler/profile.hpp"

namespace gpusched::kubescheduler {

class ClaimState;

/// What every node answers to pods of one kind, kept while pods are bound. A plugin that looks at one node at a time
/// is asked again about the nodes that changed only.
class KindNodes {
 public:
  /// Asks every node. nullptr when some answer depends on other nodes, or when the pod is refused as a whole.
  /// `cycle` is that of a pod of the kind, which stays; `by_name` holds the nodes sorted by name.
  static std::unique_ptr<KindNodes> make(Cycle cycle, std::span<const NodeIndex> by_name);

  /// The node has changed. False: a plugin fails now, so that the pod must be looked at as a whole.
  [[nodiscard]] bool refresh(NodeIndex node);
  /// All nodes may have changed.
  [[nodiscard]] bool refresh_all();

  /// Where a pod of the kind goes: of the best nodes the first by name; none when no node takes it.
  [[nodiscard]] NodeIndex best() const { return best_.get(); }
  /// The devices that the node gives, by claim. It must be refreshed afterwards.
  [[nodiscard]] std::vector<objects::AllocationResult> take_from(NodeIndex node);
  [[nodiscard]] bool uses_claims() const { return claims_ != nullptr; }

 private:
  struct Score {
    std::unique_ptr<ScorePlugin> plugin;
    std::int64_t weight = 1;
    bool normalizes = false;
    bool equal = true;                    // all nodes that fit have the same raw score
    std::vector<std::int64_t> raw, done;  // by node; done: 0 to 100 if it normalizes
  };

  KindNodes(Cycle cycle, std::span<const NodeIndex> by_name);
  bool prepare();
  bool ask_all();
  bool prepare_scores();
  [[nodiscard]] std::vector<NodeIndex> feasible_nodes() const;
  /// Whether the node takes the pod; none when its filter fails.
  std::optional<bool> ask(NodeIndex node);
  void score_all();
  void normalize(Score& score);
  void set_total(NodeIndex node);

  Cycle cycle_;
  std::optional<Filters> filters_;
  ClaimState* claims_ = nullptr;  // of the cycle, when the pods have claims
  std::vector<Score> scores_;
  std::vector<bool> fits_;  // by node
  BestNode best_;
};

}  // namespace gpusched::kubescheduler
