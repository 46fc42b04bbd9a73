#include "gpusched/placement/placer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "placement/candidate_tree.hpp"

namespace gpusched::placement {

namespace {
// A tree takes some 30 bytes a node; more classes than this are rarely alive at once, and a rebuild is one pass.
constexpr std::size_t kMaxTrees = 64;
}  // namespace

Placer::Placer(ClusterUsage& usage, Options options) : usage_(usage), options_(std::move(options)) {}
Placer::~Placer() = default;

CandidateTree& Placer::tree(PodClassId pod_class) {
  const auto found = trees_.find(pod_class);
  if (found == trees_.end() && trees_.size() >= kMaxTrees) {
    trees_.erase(std::ranges::min_element(trees_, {}, [](const auto& entry) { return entry.second.last_use; }));
  }
  Entry& entry = trees_[pod_class];
  if (entry.tree == nullptr) {
    entry.tree = std::make_unique<CandidateTree>(usage_.shape(), pod_class, options_);
  }
  entry.last_use = ++uses_;
  entry.tree->refresh(usage_);
  return *entry.tree;
}

NodeId Placer::place(PodId pod) {
  const CandidateTree& candidates = tree(usage_.pod_class_id(pod));
  const NodeId node = candidates.best(usage_.shape());
  if (node.valid()) {
    usage_.bind(pod, node, candidates.filter().choose(usage_, node));
  }
  return node;
}

void Placer::place_on(PodId pod, NodeId node) {
  usage_.bind(pod, node, filter(usage_.pod_class_id(pod)).choose(usage_, node));
}

ReasonGroups Placer::reasons(PodClassId pod_class) {
  return tree(pod_class).reasons(usage_.shape());
}
const NodeFilter& Placer::filter(PodClassId pod_class) {
  return tree(pod_class).filter();
}

std::string fit_error(const ClusterShape& shape, const PodClass& pod, std::span<const ReasonGroup> reasons) {
  if (shape.nodes.empty()) {
    return "0/0 nodes are available: no nodes available to schedule pods.";
  }
  std::vector<std::string> parts;
  for (const ReasonGroup& group : reasons) {
    parts.push_back(fmt::format("{} {}", group.count, reason_text(shape, pod, group.reason)));
  }
  std::ranges::sort(parts);
  return fmt::format("0/{} nodes are available: {}.", shape.nodes.size(), fmt::join(parts, ", "));
}

}  // namespace gpusched::placement
