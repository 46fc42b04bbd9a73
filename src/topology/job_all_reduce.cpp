#include "gpusched/topology/job_all_reduce.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace gpusched::topology {

/// GPUs of the job that need no NIC to reach each other.
struct JobAllReduce::Group {
  struct NodePart {
    NodeId node;
    std::vector<GpuShare> shares;
  };
  StringId domain;  // invalid: one node
  std::vector<NodePart> nodes;

  [[nodiscard]] std::int32_t gpus() const {
    std::size_t count = 0;
    for (const NodePart& part : nodes) {
      count += part.shares.size();
    }
    return static_cast<std::int32_t>(count);
  }
};

namespace {

double seconds_of(std::int64_t members, std::int64_t gradient_bytes, std::int64_t bandwidth_mbps) {
  if (members < 2 || bandwidth_mbps <= 0) {
    return 0;
  }
  const auto count = static_cast<double>(members);
  return 2.0 * (count - 1) / count * static_cast<double>(gradient_bytes) / (static_cast<double>(bandwidth_mbps) * 1e6);
}

}  // namespace

const LevelBound* JobBound::slowest() const {
  const LevelBound* result = nullptr;
  for (const LevelBound& level : levels) {
    if (level.seconds > 0 && (result == nullptr || level.seconds > result->seconds)) {
      result = &level;
    }
  }
  return result;
}

JobAllReduce::JobAllReduce(const ClusterUsage& usage, ClusterNetwork network, std::span<const StringId> domains)
    : usage_(usage), network_(std::move(network)), domains_(domains) {
  if (network_.oversubscription_milli <= 0) {
    return;
  }
  std::map<StringId, std::int64_t> sums;  // -1: of one of the nodes it is unknown
  for (std::size_t i = 0; i < usage.shape().nodes.size(); ++i) {
    const NodeNetwork node = network_.of(NodeId{i});
    if (!node.rack.valid()) {
      continue;
    }
    const auto gpus = static_cast<std::int64_t>(usage.node_class(NodeId{i}).gpus.size());
    const std::int64_t mbps = node.network_mbps > 0 ? node.network_mbps : node.gpu_nic_mbps * gpus;
    std::int64_t& sum = sums[node.rack];
    sum = mbps == 0 || sum < 0 ? -1 : sum + mbps;
  }
  for (const auto& [rack, sum] : sums) {
    if (sum > 0) {
      uplinks_[rack] = sum * 1000 / network_.oversubscription_milli;
    }
  }
}

std::vector<JobAllReduce::Group> JobAllReduce::groups_of(std::span<const PodGpus> pods) const {
  std::vector<Group> groups;
  std::map<StringId, std::size_t> by_domain;
  std::map<NodeId, std::pair<std::size_t, std::size_t>> by_node;  // group and part
  for (const PodGpus& pod : pods) {
    auto found = by_node.find(pod.node);
    if (found == by_node.end()) {
      const StringId domain = pod.node.index() < domains_.size() ? domains_[pod.node.index()] : StringId{};
      std::size_t group = groups.size();
      if (domain.valid()) {
        group = by_domain.try_emplace(domain, group).first->second;
      }
      if (group == groups.size()) {
        groups.push_back({domain, {}});
      }
      found = by_node.try_emplace(pod.node, group, groups[group].nodes.size()).first;
      groups[group].nodes.push_back({pod.node, {}});
    }
    std::vector<GpuShare>& shares = groups[found->second.first].nodes[found->second.second].shares;
    shares.insert(shares.end(), pod.shares.begin(), pod.shares.end());
  }
  return groups;
}

LevelBound JobAllReduce::gpu_level(const Group& group, std::int64_t gradient_bytes) const {
  LevelBound level{Level::kGpus, Link::kNvlink, group.gpus(), std::numeric_limits<std::int64_t>::max(), 0};
  for (const Group::NodePart& part : group.nodes) {
    const RingLink ring = ring_link(usage_.shape(), usage_.node_class(part.node), part.shares);
    const bool one_gpu = part.shares.size() == 1;  // beside GPUs of other nodes, in their NVLink domain
    const std::int64_t mbps =
        one_gpu ? usage_.shape().board(usage_.node_class(part.node).gpus[part.shares.front().gpu]).nvlink_mbps
                : ring.bandwidth_mbps;
    if (mbps < level.bandwidth_mbps) {
      level.bandwidth_mbps = mbps;
      level.link = one_gpu ? Link::kNvlink : ring.link;
    }
  }
  level.seconds = seconds_of(level.members, gradient_bytes, level.bandwidth_mbps);
  return level;
}

/// MB/s that the NICs of the group's nodes carry for the job in one direction; 0 unknown.
std::int64_t JobAllReduce::network_of(const Group& group) const {
  std::int64_t sum = 0;
  for (const Group::NodePart& part : group.nodes) {
    const NodeNetwork node = network_.of(part.node);
    const std::int64_t own = node.gpu_nic_mbps * static_cast<std::int64_t>(part.shares.size());
    const std::int64_t mbps = own > 0 && node.network_mbps > 0 ? std::min<std::int64_t>(own, node.network_mbps)
                                                               : std::max<std::int64_t>(own, node.network_mbps);
    if (mbps == 0) {
      return 0;
    }
    sum += mbps;
  }
  return sum;
}

/// None when the nodes are in one rack, or of one of them it is not known in which.
std::optional<LevelBound> JobAllReduce::rack_level(std::span<const Group> groups, std::int64_t gradient_bytes) const {
  std::map<StringId, std::int64_t> racks;  // what the job's nodes there carry, -1 unknown
  for (const Group& group : groups) {
    for (const Group::NodePart& part : group.nodes) {
      const StringId rack = network_.of(part.node).rack;
      if (!rack.valid()) {
        return std::nullopt;
      }
      const std::int64_t mbps = network_of({{}, {part}});
      std::int64_t& sum = racks[rack];
      sum = mbps == 0 || sum < 0 ? -1 : sum + mbps;
    }
  }
  if (racks.size() < 2) {
    return std::nullopt;
  }
  LevelBound level{Level::kRacks, Link::kUplink, static_cast<std::int32_t>(racks.size()),
                   std::numeric_limits<std::int64_t>::max(), 0};
  for (const auto& [rack, nodes] : racks) {
    const auto uplink = uplinks_.find(rack);
    const std::int64_t mbps = uplink == uplinks_.end() ? 0 : nodes > 0 ? std::min(nodes, uplink->second) : 0;
    level.bandwidth_mbps = std::min(level.bandwidth_mbps, mbps);
  }
  level.seconds = seconds_of(level.members, gradient_bytes, level.bandwidth_mbps);
  return level;
}

std::optional<JobBound> JobAllReduce::bound(std::span<const PodGpus> pods, std::int64_t gradient_bytes) const {
  std::size_t gpus = 0;
  for (const PodGpus& pod : pods) {
    if (std::ranges::any_of(pod.shares,
                            [](const GpuShare& share) { return share.instance != GpuShare::kNoInstance; })) {
      return std::nullopt;
    }
    gpus += pod.shares.size();
  }
  if (gpus < 2 || gradient_bytes <= 0) {
    return std::nullopt;
  }
  const std::vector<Group> groups = groups_of(pods);
  std::optional<LevelBound> inside;
  LevelBound nodes{Level::kNodes, Link::kNetwork, static_cast<std::int32_t>(groups.size()),
                   std::numeric_limits<std::int64_t>::max(), 0};
  for (const Group& group : groups) {
    if (group.gpus() > 1) {
      const LevelBound level = gpu_level(group, gradient_bytes);
      inside = inside && inside->seconds >= level.seconds ? inside : level;
    }
    nodes.bandwidth_mbps = std::min(nodes.bandwidth_mbps, network_of(group));
  }
  JobBound bound;
  if (inside) {
    bound.levels.push_back(*inside);
  }
  if (groups.size() > 1) {
    nodes.seconds = seconds_of(nodes.members, gradient_bytes, nodes.bandwidth_mbps);
    bound.levels.push_back(nodes);
    if (const auto racks = rack_level(groups, gradient_bytes)) {
      bound.levels.push_back(*racks);
    }
  }
  return bound;
}

}  // namespace gpusched::topology
