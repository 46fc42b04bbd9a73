#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpusched/placement/filter.hpp"

namespace gpusched::placement {

class CandidateTree;

/// The nodes that refuse a pod for one reason.
struct ReasonGroup {
  Reason reason;
  std::uint32_t count = 0;
  std::vector<NodeId> examples;  ///< the first three by name
};

/// One group per reason; shared, because many Pending pods get the same answer.
using ReasonGroups = std::shared_ptr<const std::vector<ReasonGroup>>;

/// Places pods one at a time on one ClusterUsage and remembers what it learned about the nodes between calls: pods of a
/// class that was seen before cost O(changes × log nodes). The usage may also be changed by others in between.
class Placer {
 public:
  Placer(ClusterUsage& usage, Options options);
  ~Placer();
  Placer(const Placer&) = delete;
  Placer& operator=(const Placer&) = delete;

  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] ClusterUsage& usage() { return usage_; }

  /// Binds the pod to the best node and returns it; invalid when no node fits.
  NodeId place(PodId pod);
  /// Binds the pod to this node, which must fit.
  void place_on(PodId pod, NodeId node);
  /// Why the nodes that do not fit a pod of this class do not.
  [[nodiscard]] ReasonGroups reasons(PodClassId pod_class);
  [[nodiscard]] const NodeFilter& filter(PodClassId pod_class);

 private:
  struct Entry {
    std::unique_ptr<CandidateTree> tree;
    std::uint64_t last_use = 0;
  };
  CandidateTree& tree(PodClassId pod_class);

  ClusterUsage& usage_;
  Options options_;
  std::map<PodClassId, Entry> trees_;
  std::uint64_t uses_ = 0;
};

/// "0/5 nodes are available: 1 node is time-sliced, 4 Insufficient nvidia.com/gpu." — reasons sorted as text, counts
/// included, as kube-scheduler's FitError prints them.
[[nodiscard]] std::string fit_error(const ClusterShape& shape, const PodClass& pod,
                                    std::span<const ReasonGroup> reasons);

}  // namespace gpusched::placement
