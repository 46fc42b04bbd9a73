#include "placement/candidate_tree.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <string_view>
#include <utility>

namespace gpusched::placement {

namespace {
constexpr std::uint32_t kExamples = 3;
}

CandidateTree::CandidateTree(const ClusterShape& shape, PodClassId pod_class, const Options& options)
    : filter_(shape, pod_class, options), leaves_(std::bit_ceil(std::max<std::size_t>(shape.nodes.size(), 1))) {}

void CandidateTree::refresh(const ClusterUsage& usage) {
  const std::span<const NodeId> touched = usage.touched();
  // Beyond this many changes one pass over all nodes is cheaper than a climb for each.
  if (!built_ || touched.size() - read_ > usage.shape().nodes.size() / 4 + 16) {
    rebuild(usage);
  } else {
    for (const NodeId node : touched.subspan(read_)) {
      update(usage, node);
    }
  }
  if (read_ != touched.size()) {
    reasons_ = nullptr;
    read_ = touched.size();
  }
}

void CandidateTree::rebuild(const ClusterUsage& usage) {
  const std::vector<NodeId>& by_name = usage.shape().nodes_by_name;
  tree_.assign(2 * leaves_, kInfeasible);
  reason_.assign(by_name.size(), Reason{});
  for (std::size_t rank = 0; rank < by_name.size(); ++rank) {
    tree_[leaves_ + rank] = record(rank, filter_.evaluate(usage, by_name[rank]));
  }
  for (std::size_t i = leaves_ - 1; i > 0; --i) {
    tree_[i] = std::min(tree_[2 * i], tree_[2 * i + 1]);
  }
  built_ = true;
}

void CandidateTree::update(const ClusterUsage& usage, NodeId node) {
  const std::size_t rank = usage.shape().name_rank[node.index()];
  std::size_t i = leaves_ + rank;
  tree_[i] = record(rank, filter_.evaluate(usage, node));
  while ((i /= 2) > 0) {
    const std::uint64_t least = std::min(tree_[2 * i], tree_[2 * i + 1]);
    if (tree_[i] == least) {
      return;
    }
    tree_[i] = least;
  }
}

std::uint64_t CandidateTree::record(std::size_t rank, const Verdict& verdict) {
  reason_[rank] = verdict.reason;
  if (verdict.reason.kind == ReasonKind::kFits) {
    return verdict.key;
  }
  return kInfeasible;
}

ReasonGroups CandidateTree::reasons(const ClusterShape& shape) {
  if (reasons_ == nullptr) {
    std::map<Reason, ReasonGroup> groups;
    for (std::size_t rank = 0; rank < reason_.size(); ++rank) {
      if (reason_[rank].kind == ReasonKind::kFits) {
        continue;
      }
      ReasonGroup& group = groups[reason_[rank]];
      group.reason = reason_[rank];
      if (++group.count <= kExamples) {
        group.examples.push_back(shape.nodes_by_name[rank]);
      }
    }
    std::vector<ReasonGroup> list;
    for (auto& [reason, group] : groups) {
      list.push_back(std::move(group));
    }
    // By name, because the ids of resources follow the order of the input.
    std::ranges::sort(list, {}, [&shape](const ReasonGroup& group) {
      const ResourceId resource = group.reason.resource;
      return std::pair(group.reason.kind, resource.valid() ? shape.name(resource) : std::string_view());
    });
    reasons_ = std::make_shared<const std::vector<ReasonGroup>>(std::move(list));
  }
  return reasons_;
}

NodeId CandidateTree::best(const ClusterShape& shape) const {
  if (tree_[1] == kInfeasible) {
    return {};
  }
  std::size_t i = 1;
  while (i < leaves_) {
    i = 2 * i + (tree_[2 * i] == tree_[1] ? 0 : 1);
  }
  return shape.nodes_by_name[i - leaves_];
}

}  // namespace gpusched::placement
