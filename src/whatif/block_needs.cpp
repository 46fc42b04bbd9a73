#include "whatif/block_needs.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "gpusched/model/instance_units.hpp"

namespace gpusched::whatif {

namespace {

using placement::ReasonKind;

// Sets of pods tried on one node. What is not settled by then counts as possible, so the bound stays one.
constexpr int kMaxTries = 3'000;

}  // namespace

BlockNeeds::BlockNeeds(ClusterUsage& usage, const Disruption& disruption, const placement::Options& options,
                       std::vector<PodId> pods, int most)
    : usage_(usage),
      disruption_(disruption),
      filter_(usage.shape(), usage.pod_class_id(pods.front()), options),
      pods_(std::move(pods)),
      most_(static_cast<std::size_t>(most)) {
  nodes_.reserve(usage.shape().nodes.size());
  for (std::size_t i = 0; i < usage.shape().nodes.size(); ++i) {
    nodes_.push_back(measure(NodeId{i}));
  }
}

bool BlockNeeds::fits(NodeId node, std::size_t count) {
  const ClusterUsage::Mark mark = usage_.mark();
  bool fit = true;
  for (std::size_t i = 0; i < count && fit; ++i) {
    fit = filter_.evaluate(usage_, node).reason.kind == ReasonKind::kFits;
    if (fit && i + 1 < count) {
      usage_.bind(pods_[i], node, filter_.choose(usage_, node));
    }
  }
  usage_.revert(mark);
  return fit;
}

/// The pods whose leaving could matter: they hold devices, or some of what the node is short of.
std::vector<BlockNeeds::Holder> BlockNeeds::holders(NodeId node) const {
  const PodClass& wanted = filter_.pod_class();
  const NodeClass& node_class = usage_.node_class(node);
  const auto count = static_cast<std::int64_t>(pods_.size());
  const auto short_of = [&](ResourceId resource, std::int64_t amount) {
    const std::int64_t limit = node_class.allocatable[resource.index()];
    return limit != kNotModelled && (limit - usage_.used(node, resource)) / count < amount;
  };
  const bool pods_short = short_of(kPods, 1);
  std::vector<Holder> result;
  for (PodId pod = usage_.first_pod(node); pod.valid(); pod = usage_.next_pod(pod)) {
    if (immovable(usage_, disruption_, pod) != Immovable::kNot) {
      continue;
    }
    const PodClass& pod_class = usage_.pod_class(pod);
    const bool matters =
        pods_short || (wanted.wants_gpu() && !usage_.shares(pod).empty()) ||
        std::ranges::any_of(wanted.requests, [&](const auto& request) {
          return short_of(request.first, request.second) &&
                 std::ranges::find(pod_class.requests, request.first, &std::pair<ResourceId, std::int64_t>::first) !=
                     pod_class.requests.end();
        });
    if (!matters) {
      continue;
    }
    // Whole GPUs of one island and board free the same; parts, replicas and instances are told apart.
    Holder holder{pod, {static_cast<std::int64_t>(usage_.pod_class_id(pod).value)}};
    for (const GpuShare& share : usage_.shares(pod)) {
      const Gpu& gpu = node_class.gpus[share.gpu];
      const bool whole = share.instance == GpuShare::kNoInstance && gpu.replicas == 1 && share.milli == kWholeGpuMilli;
      holder.kind.push_back(whole ? std::int64_t{gpu.island} << 32 | gpu.board.value
                                  : -1 - (std::int64_t{share.gpu} << 17 | share.instance));
    }
    result.push_back(std::move(holder));
  }
  std::ranges::sort(result, [&](const Holder& a, const Holder& b) {
    const auto name = [&](const Holder& holder) { return usage_.shape().text(usage_.pod_name(holder.pod)); };
    return a.kind != b.kind ? a.kind < b.kind : std::pair(name(a), a.pod) < std::pair(name(b), b.pod);
  });
  return result;
}

/// Whether `size` of the pods can leave so that `count` wanted ones fit; they are then in `chosen_`.
bool BlockNeeds::leave(NodeId node, std::size_t count, std::span<const Holder> from, std::size_t size) {
  if (size == 0) {
    return --tries_ < 0 || fits(node, count);
  }
  for (std::size_t i = 0; i + size <= from.size(); ++i) {
    if (i > 0 && from[i].kind == from[i - 1].kind) {
      continue;
    }
    const ClusterUsage::Mark mark = usage_.mark();
    usage_.unbind(from[i].pod);
    chosen_.push_back(from[i].pod);
    const bool found = leave(node, count, from.subspan(i + 1), size - 1);
    usage_.revert(mark);
    if (found) {
      return true;
    }
    chosen_.pop_back();
  }
  return false;
}

BlockNeeds::NodeNeeds BlockNeeds::measure(NodeId node) {
  NodeNeeds needs{Row(pods_.size(), kNever)};
  if (filter_.class_reason(usage_.node_class_id(node)).kind != ReasonKind::kFits) {
    return needs;
  }
  Row& row = needs.row;
  for (const std::int32_t milli : usage_.free_milli(node)) {
    needs.free += milli / kWholeGpuMilli;
  }
  needs.free += free_instances(usage_, node, filter_.pod_class().gpu_resource);
  const std::vector<Holder> all = holders(node);
  const ClusterUsage::Mark mark = usage_.mark();
  for (const Holder& holder : all) {
    usage_.unbind(holder.pod);
  }
  std::size_t possible = 0;
  while (possible < row.size() && fits(node, possible + 1)) {
    ++possible;
  }
  usage_.revert(mark);
  std::size_t size = 0;
  for (std::size_t count = 1; count <= possible; ++count) {
    for (; size <= most_ && size <= all.size(); ++size) {
      tries_ = kMaxTries;
      chosen_.clear();
      if (leave(node, count, all, size)) {
        break;
      }
    }
    if (size > most_ || size > all.size()) {
      break;
    }
    row[count - 1] = static_cast<std::uint8_t>(size);
  }
  return needs;
}

std::vector<PodId> BlockNeeds::smallest_set(NodeId node, std::size_t count) {
  const std::vector<Holder> all = holders(node);
  for (std::size_t size = 0; size <= most_ && size <= all.size(); ++size) {
    tries_ = kMaxTries;
    chosen_.clear();
    if (leave(node, count, all, size)) {
      return chosen_;
    }
  }
  return {};
}

std::int64_t BlockNeeds::deficit(NodeId node, std::size_t count) const {
  const PodClass& wanted = filter_.pod_class();
  const std::int64_t gpus = wanted.gpu_milli < kWholeGpuMilli ? 0 : wanted.gpus;
  return std::max<std::int64_t>(0, static_cast<std::int64_t>(count) * gpus - nodes_[node.index()].free);
}

int BlockNeeds::least_moves() const {
  if (pods_.size() == 1) {
    int least = kNever;
    for (const NodeNeeds& node : nodes_) {
      least = std::min<int>(least, node.row.front());
    }
    return least;
  }
  // Fewest moves for the first t pods over the nodes so far.
  std::vector<int> least(pods_.size() + 1, kNever);
  least.front() = 0;
  for (const NodeNeeds& node : nodes_) {
    const Row& row = node.row;
    if (row.front() == kNever) {
      continue;
    }
    for (std::size_t total = pods_.size(); total > 0; --total) {
      for (std::size_t here = 1; here <= total && row[here - 1] != kNever; ++here) {
        least[total] = std::min(least[total], least[total - here] + row[here - 1]);
      }
    }
  }
  return std::min<int>(least.back(), kNever);
}

std::int64_t BlockNeeds::least_devices(int moves) const {
  constexpr std::int64_t kOutOfReach = std::numeric_limits<std::int64_t>::max() / 2;
  // Fewest GPUs that have to leave so that the first t pods fit on the nodes so far, with at most m moves.
  const auto columns = static_cast<std::size_t>(moves) + 1;
  std::vector<std::int64_t> least((pods_.size() + 1) * columns, kOutOfReach);
  std::fill_n(least.begin(), columns, 0);
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    const Row& row = nodes_[node].row;
    for (std::size_t total = pods_.size(); total > 0 && row.front() <= moves; --total) {
      for (std::size_t here = 1; here <= total && row[here - 1] <= moves; ++here) {
        const std::int64_t devices = deficit(NodeId{node}, here);
        for (std::size_t m = row[here - 1]; m < columns; ++m) {
          std::int64_t& cell = least[total * columns + m];
          cell = std::min(cell, least[(total - here) * columns + m - row[here - 1]] + devices);
        }
      }
    }
  }
  return least.back() == kOutOfReach ? 0 : least.back();
}

}  // namespace gpusched::whatif
