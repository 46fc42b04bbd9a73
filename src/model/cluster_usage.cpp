#include "gpusched/model/cluster_usage.hpp"

#include <utility>

namespace gpusched {

ClusterUsage::ClusterUsage(ShapePtr shape) : shape_(std::move(shape)), stride_(shape_->resources.size() + 2) {
  const std::size_t nodes = shape_->nodes.size();
  node_class_.reserve(nodes);
  cordoned_.reserve(nodes);
  first_gpu_.reserve(nodes + 1);
  first_instance_.reserve(nodes + 1);
  for (const Node& node : shape_->nodes) {
    const NodeClass& node_class = shape_->node_classes[node.node_class.index()];
    node_class_.push_back(node.node_class);
    cordoned_.push_back(node_class.unschedulable ? 1 : 0);
    first_gpu_.push_back(static_cast<std::uint32_t>(free_milli_.size()));
    first_instance_.push_back(static_cast<std::uint32_t>(instance_holder_.size()));
    for (const Gpu& gpu : node_class.gpus) {
      free_milli_.push_back(kWholeGpuMilli * gpu.replicas);
      free_memory_mib_.push_back(shape_->board(gpu).memory_mib);
    }
    instance_holder_.resize(instance_holder_.size() + node_class.instances.size());
  }
  first_gpu_.push_back(static_cast<std::uint32_t>(free_milli_.size()));
  first_instance_.push_back(static_cast<std::uint32_t>(instance_holder_.size()));
  assumed_.assign(nodes, 0);
  used_.assign(nodes * stride_, 0);
  first_pod_.assign(nodes, PodId{});
}

PodId ClusterUsage::add_pod(PodClassId pod_class, StringId name) {
  const PodId pod{pods_.size()};
  PodState& state = pods_.emplace_back();
  state.pod_class = pod_class;
  state.name = name;
  log_.push_back({ChangeKind::kAddPod, pod.value});
  return pod;
}

void ClusterUsage::reserve_pods(std::size_t count) {
  pods_.reserve(pods_.size() + count);
  log_.reserve(log_.size() + 2 * count);
}

void ClusterUsage::bind(PodId pod, NodeId node, std::span<const GpuShare> shares) {
  PodState& state = pods_[pod.index()];
  state.node = node;
  state.first_share = static_cast<std::uint32_t>(shares_.size());
  state.share_count = static_cast<std::uint32_t>(shares.size());
  shares_.insert(shares_.end(), shares.begin(), shares.end());
  take(pod, 1);
  link(pod);
  log_.push_back({ChangeKind::kBind, pod.value});
  touched_.push_back(node);
}

void ClusterUsage::unbind(PodId pod) {
  PodState& state = pods_[pod.index()];
  const NodeId node = state.node;
  take(pod, -1);
  unlink(pod);
  log_.push_back(
      {ChangeKind::kUnbind, pod.value, node, state.first_share, state.share_count, state.previous, state.next});
  state.previous = state.next = PodId{};
  state.node = NodeId{};
  state.first_share = state.share_count = 0;  // the shares stay in the arena, so that the change can be undone
  touched_.push_back(node);
}

void ClusterUsage::set_cordoned(NodeId node, bool cordoned) {
  if (this->cordoned(node) == cordoned) {
    return;
  }
  cordoned_[node.index()] = cordoned ? 1 : 0;
  log_.push_back({cordoned ? ChangeKind::kCordon : ChangeKind::kUncordon, node.value});
  touched_.push_back(node);
}

std::span<const GpuShare> ClusterUsage::shares(PodId pod) const {
  const PodState& state = pods_[pod.index()];
  return std::span(shares_).subspan(state.first_share, state.share_count);
}

std::span<const std::int32_t> ClusterUsage::free_milli(NodeId node) const {
  const std::size_t first = first_gpu_[node.index()];
  return std::span(free_milli_).subspan(first, first_gpu_[node.index() + 1] - first);
}

std::span<const std::int64_t> ClusterUsage::free_memory_mib(NodeId node) const {
  const std::size_t first = first_gpu_[node.index()];
  return std::span(free_memory_mib_).subspan(first, first_gpu_[node.index() + 1] - first);
}

std::span<const PodId> ClusterUsage::instance_holders(NodeId node) const {
  const std::size_t first = first_instance_[node.index()];
  return std::span(instance_holder_).subspan(first, first_instance_[node.index() + 1] - first);
}

void ClusterUsage::revert(Mark mark) {
  while (log_.size() > mark) {
    const Change change = log_.back();
    log_.pop_back();
    undo(change);
  }
}

void ClusterUsage::undo(const Change& change) {
  const PodId pod{change.id};
  switch (change.kind) {
    case ChangeKind::kAddPod:
      pods_.pop_back();
      return;
    case ChangeKind::kBind: {
      PodState& state = pods_[pod.index()];
      touched_.push_back(state.node);
      take(pod, -1);
      unlink(pod);
      shares_.resize(state.first_share);
      state = PodState{.pod_class = state.pod_class, .name = state.name, .node = {}, .previous = {}, .next = {}};
      return;
    }
    case ChangeKind::kUnbind: {
      PodState& state = pods_[pod.index()];
      state.node = change.node;
      state.previous = change.previous;
      state.next = change.next;
      state.first_share = change.first_share;
      state.share_count = change.share_count;
      take(pod, 1);
      relink(pod);
      touched_.push_back(state.node);
      return;
    }
    case ChangeKind::kCordon:
    case ChangeKind::kUncordon:
      cordoned_[change.id] = change.kind == ChangeKind::kUncordon ? 1 : 0;
      touched_.push_back(NodeId{change.id});
      return;
  }
}

namespace {
/// Amounts that are not modelled have no limit that would stop their sum. Modulo 2^64 what is taken can be given back.
void add(std::int64_t& sum, std::int64_t sign, std::int64_t amount) {
  sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(sign * amount));
}
}  // namespace

void ClusterUsage::take(PodId pod, std::int64_t sign) {
  const PodState& state = pods_[pod.index()];
  const PodClass& pod_class = shape_->pod_classes[state.pod_class.index()];
  std::int64_t* const used = used_.data() + state.node.index() * stride_;
  for (const auto& [resource, amount] : pod_class.requests) {
    add(used[resource.index()], sign, amount);
  }
  used[kPods.index()] += sign;
  add(used[stride_ - 2], sign, pod_class.non_zero_cpu);
  add(used[stride_ - 1], sign, pod_class.non_zero_memory);
  const std::size_t first_gpu = first_gpu_[state.node.index()];
  const std::size_t first_instance = first_instance_[state.node.index()];
  for (const GpuShare& share : shares(pod)) {
    if (share.instance != GpuShare::kNoInstance) {
      instance_holder_[first_instance + share.instance] = sign > 0 ? pod : PodId{};
    } else {
      free_milli_[first_gpu + share.gpu] -= static_cast<std::int32_t>(sign) * share.milli;
      free_memory_mib_[first_gpu + share.gpu] -= sign * share.memory_mib;
    }
  }
}

void ClusterUsage::link(PodId pod) {
  PodState& state = pods_[pod.index()];
  PodId& first = first_pod_[state.node.index()];
  state.previous = PodId{};
  state.next = first;
  if (first.valid()) {
    pods_[first.index()].previous = pod;
  }
  first = pod;
}

// The log remembers the neighbours of a pod that left, so undoing in reverse order puts it back exactly where it was.
void ClusterUsage::unlink(PodId pod) {
  const PodState& state = pods_[pod.index()];
  (state.previous.valid() ? pods_[state.previous.index()].next : first_pod_[state.node.index()]) = state.next;
  if (state.next.valid()) {
    pods_[state.next.index()].previous = state.previous;
  }
}

void ClusterUsage::relink(PodId pod) {
  const PodState& state = pods_[pod.index()];
  (state.previous.valid() ? pods_[state.previous.index()].next : first_pod_[state.node.index()]) = pod;
  if (state.next.valid()) {
    pods_[state.next.index()].previous = pod;
  }
}

bool operator==(const ClusterUsage& a, const ClusterUsage& b) {
  return a.shape_ == b.shape_ && a.node_class_ == b.node_class_ && a.cordoned_ == b.cordoned_ &&
         a.assumed_ == b.assumed_ && a.used_ == b.used_ && a.free_milli_ == b.free_milli_ &&
         a.free_memory_mib_ == b.free_memory_mib_ && a.instance_holder_ == b.instance_holder_ &&
         a.first_pod_ == b.first_pod_ && a.pods_ == b.pods_ && a.shares_ == b.shares_;
}

}  // namespace gpusched
