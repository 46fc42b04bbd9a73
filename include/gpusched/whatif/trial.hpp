#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "gpusched/kubescheduler/snapshot.hpp"
#include "gpusched/whatif/cluster_edit.hpp"

namespace gpusched::whatif {

/// A copy of a scheduler's snapshot on which edits are tried and taken back: O(change) each way, so that one copy
/// serves any number of questions.
class Trial {
 public:
  explicit Trial(const kubescheduler::Snapshot& base) : snapshot_(base) {}

  [[nodiscard]] const kubescheduler::Snapshot& snapshot() const { return snapshot_; }

  /// Errors: "unknown-node" and "unknown-pod", and "not-a-trial-edit" for edits that change the number of pods, GPUs
  /// or, but for AddNodes, nodes.
  Result<bool> apply(const ClusterEdit& edit);
  void evict(kubescheduler::PodIndex pod);
  /// Takes the allocation of every claim away, as if nobody used devices.
  void free_all_claims();
  void move(kubescheduler::PodIndex pod, kubescheduler::NodeIndex node);
  kubescheduler::NodeIndex add_node(const objects::Node& node);
  void replace_node(kubescheduler::NodeIndex index, objects::Node node);

  /// Invalid: there is none of that name.
  [[nodiscard]] kubescheduler::PodIndex find_pod(const std::string& namespace_name, const std::string& name);

  /// How many changes there are; `revert(mark)` takes the later ones back.
  [[nodiscard]] std::size_t mark() const { return changes_.size(); }
  void revert(std::size_t mark = 0);

 private:
  struct Unbound {
    kubescheduler::PodIndex pod;
    kubescheduler::NodeIndex node;
  };
  struct Bound {
    kubescheduler::PodIndex pod;
  };
  struct Added {};
  struct Replaced {
    kubescheduler::NodeIndex node;
    std::shared_ptr<const objects::Node> before;
  };
  using Claims = std::shared_ptr<const std::vector<objects::ResourceClaim>>;
  struct ClaimsChanged {
    Claims before;
  };
  using Change = std::variant<Unbound, Bound, Added, Replaced, ClaimsChanged>;

  void unbind(kubescheduler::PodIndex pod);
  template <class Goes>
  void free_claims(const Goes& goes);

  kubescheduler::Snapshot snapshot_;
  std::vector<Change> changes_;
  Claims claims_;                                                  // none: those of the snapshot's objects
  std::unordered_map<std::string, kubescheduler::PodIndex> pods_;  // filled when a pod is first asked for by name
};

}  // namespace gpusched::whatif
