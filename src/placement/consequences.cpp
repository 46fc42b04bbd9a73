#include "gpusched/placement/consequences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "gpusched/topology/all_reduce.hpp"
#include "placement/kubelet.hpp"
#include "placement/node_rules.hpp"

namespace gpusched::placement {

namespace {

constexpr std::int64_t kMiB = 1024 * 1024;

/// The GPUs that a pod holds shares of, each once.
std::vector<GpuShare> distinct_gpus(std::span<const GpuShare> shares) {
  std::vector<GpuShare> distinct;
  for (const GpuShare& share : shares) {
    if (share.instance == GpuShare::kNoInstance && (distinct.empty() || distinct.back().gpu != share.gpu)) {
      distinct.push_back(share);
    }
  }
  return distinct;
}

int shares_of(std::span<const GpuShare> shares, std::uint16_t gpu) {
  return static_cast<int>(std::ranges::count_if(
      shares, [gpu](const GpuShare& share) { return share.gpu == gpu && share.instance == GpuShare::kNoInstance; }));
}

}  // namespace

namespace {

/// What the kubelet and its device plugin make of the devices that a pod holds.
void add_kubelet_consequences(const ClusterUsage& usage, PodId pod, const Options& options,
                              std::vector<Consequence>& found) {
  const NodeId node = usage.node_of(pod);
  const NodeClass& node_class = usage.node_class(node);
  const KubeletFacts facts = options.kubelet->of(node);
  const std::span<const GpuShare> shares = usage.shares(pod);
  const auto shared = std::ranges::find_if(shares, [&](const GpuShare& share) {
    return share.instance == GpuShare::kNoInstance && node_class.gpus[share.gpu].replicas > 1;
  });
  if (shared != shares.end() && facts.mps) {
    const Board& board = usage.shape().board(node_class.gpus[shared->gpu]);
    const int clients = node_class.gpus[shared->gpu].replicas;
    const std::int64_t each_mib = board.memory_mib / clients;
    if (!usage.pod_class(pod).shared) {
      found.push_back({ConsequenceKind::kMpsReplica, shared->gpu, 0, each_mib, board.model, clients});
    }
    if (board.memory_mib > 0 && usage.pod_class(pod).gpu_memory_mib() > each_mib) {
      found.push_back({ConsequenceKind::kMpsMemory, shared->gpu, 0, each_mib, board.model, clients});
    }
  }
  if (shared != shares.end() && facts.one_replica_only && shares.size() > 1) {
    found.push_back({ConsequenceKind::kReplicaLimit, shared->gpu, 0, 0, {}, static_cast<int>(shares.size())});
  }
  const TopologyPolicy policy = options.kubelet->policy_of(node);
  if (options.view == View::kExtended && policy != TopologyPolicy::kNone) {
    const std::vector<NumaRequest> requests = numa_requests(usage, node, usage.pod_class(pod), shares);
    if (!affinity(requests, policy).admitted) {
      int units = 0;
      for (const NumaRequest& request : requests) units += request.units;
      found.push_back({ConsequenceKind::kNumaNodes, 0, 0, 0, {}, units, policy});
    }
  }
}

}  // namespace

std::vector<Consequence> consequences(const ClusterUsage& usage, PodId pod, const Options& options) {
  const ClusterShape& shape = usage.shape();
  const PodClass& wanted = usage.pod_class(pod);
  const NodeId node = usage.node_of(pod);
  const NodeClass& node_class = usage.node_class(node);
  const std::span<const GpuShare> shares = usage.shares(pod);
  const std::vector<GpuShare> gpus = distinct_gpus(shares);
  // An instance that is advertised as a GPU stands for one; those that are asked for by their profile are known.
  std::vector<GpuShare> served = gpus;
  std::ranges::copy_if(shares, std::back_inserter(served), [&](const GpuShare& share) {
    return share.instance != GpuShare::kNoInstance && wanted.gpus > 0 &&
           node_class.instances[share.instance].resource == wanted.gpu_resource;
  });
  std::vector<Consequence> found;
  if (served.empty()) {
    if (options.kubelet != nullptr) {
      add_kubelet_consequences(usage, pod, options, found);
    }
    return found;
  }
  const auto board = [&](std::uint16_t gpu) -> const Board& { return shape.board(node_class.gpus[gpu]); };
  // Model, memory and sharing are told once, for the first GPU that they hold for.
  const auto memory_mib = [&](const GpuShare& share) {
    return share.instance == GpuShare::kNoInstance ? board(share.gpu).memory_mib
                                                   : node_class.instances[share.instance].memory_mib;
  };
  const auto first = [&](ConsequenceKind kind, auto&& wrong) {
    const auto share = std::ranges::find_if(served, wrong);
    if (share != served.end()) {
      found.push_back({kind, share->gpu, 0, memory_mib(*share), board(share->gpu).model, 0});
    }
  };
  first(ConsequenceKind::kModel,
        [&](const GpuShare& share) { return wanted.model.valid() && board(share.gpu).model != wanted.model; });
  first(ConsequenceKind::kMemory,
        [&](const GpuShare& share) { return memory_mib(share) > 0 && wanted.gpu_memory_mib() > memory_mib(share); });
  const bool mps = options.kubelet != nullptr && options.kubelet->of(node).mps;
  first(ConsequenceKind::kTimeSliced,
        [&](const GpuShare& share) { return !mps && !wanted.shared && node_class.gpus[share.gpu].replicas > 1; });
  for (const GpuShare& share : gpus) {
    if (const int count = shares_of(shares, share.gpu); count > 1) {
      found.push_back({ConsequenceKind::kSameGpu, share.gpu, 0, 0, {}, count});
    }
  }
  for (const GpuShare& share : gpus) {
    const std::int64_t memory = board(share.gpu).memory_mib;
    const std::int64_t free = usage.free_memory_mib(node)[share.gpu];
    if (memory > 0 && free < 0) {
      found.push_back({ConsequenceKind::kOversubscribed, share.gpu, memory - free, memory, {}, 0});
    }
  }
  if (const int islands = topology::islands_spanned(node_class, gpus); islands > 1) {
    found.push_back({ConsequenceKind::kSpansIslands, 0, 0, 0, {}, islands});
  }
  if (options.kubelet != nullptr) {
    add_kubelet_consequences(usage, pod, options, found);
  }
  return found;
}

namespace {

/// "4 GiB", or "1/10" of a GPU whose memory is unknown.
std::string mps_share(const Consequence& consequence) {
  return consequence.memory_mib > 0 ? fmt::format("{} GiB", gib_text(consequence.memory_mib * kMiB))
                                    : fmt::format("1/{}", consequence.count);
}

}  // namespace

std::string consequence_text(const ClusterShape& shape, const PodClass& pod, const Consequence& consequence) {
  const std::string memory = gib_text(consequence.memory_mib * kMiB);
  switch (consequence.kind) {
    case ConsequenceKind::kModel:
      return fmt::format("asked for {}, got {}", shape.text(pod.model), shape.text(consequence.model));
    case ConsequenceKind::kMemory:
      return fmt::format("needs {} GiB per GPU, {} has {} GiB: out of memory when the weights load",
                         gib_text(pod.gpu_memory_bytes), shape.text(consequence.model), memory);
    case ConsequenceKind::kTimeSliced:
      return "lands on a time-sliced replica: shares a physical GPU, no memory or fault isolation";
    case ConsequenceKind::kSameGpu:
      return fmt::format("{} of its replicas are the same physical GPU {}: no more compute than one", consequence.count,
                         consequence.gpu);
    case ConsequenceKind::kOversubscribed:
      return fmt::format("GPU {} memory oversubscribed: {} of {} GiB declared", consequence.gpu,
                         gib_text(consequence.declared_mib * kMiB), memory);
    case ConsequenceKind::kSpansIslands:
      return fmt::format("GPUs span {} NVLink islands: traffic between them crosses PCIe", consequence.count);
    case ConsequenceKind::kMpsReplica:
      return fmt::format(
          "shares a physical GPU as one of {} clients of MPS: at most {} of its memory and {}% of its threads",
          consequence.count, mps_share(consequence), 100 / consequence.count);
    case ConsequenceKind::kMpsMemory:
      return fmt::format("needs {} GiB per GPU, MPS gives each of {} clients {}: out of memory when the weights load",
                         gib_text(pod.gpu_memory_bytes), consequence.count, mps_share(consequence));
    case ConsequenceKind::kReplicaLimit:
      return fmt::format(
          "the kubelet refuses the pod, UnexpectedAdmissionError: invalid request: maximum request size for "
          "shared resources is 1; found {}",
          consequence.count);
    case ConsequenceKind::kNumaNodes:
      return fmt::format(
          "the kubelet refuses the pod, TopologyAffinityError: no {} free {} {} (policy {})", consequence.count,
          pod.mig.empty() ? "GPUs"
          : pod.gpus == 0 ? "MIG instances"
                          : "GPUs and MIG instances",
          consequence.policy == TopologyPolicy::kSingleNumaNode ? "on one NUMA node"
                                                                : "on as few NUMA nodes as an empty node has",
          kTopologyPolicyNames[static_cast<std::size_t>(consequence.policy)]);
  }
  return {};
}

std::string_view consequence_name(ConsequenceKind kind) {
  switch (kind) {
    case ConsequenceKind::kModel:
      return "model-mismatch";
    case ConsequenceKind::kMemory:
      return "memory-below-need";
    case ConsequenceKind::kTimeSliced:
      return "time-sliced-replica";
    case ConsequenceKind::kSameGpu:
      return "same-physical-gpu";
    case ConsequenceKind::kOversubscribed:
      return "memory-oversubscribed";
    case ConsequenceKind::kSpansIslands:
      return "spans-islands";
    case ConsequenceKind::kMpsReplica:
      return "mps-replica";
    case ConsequenceKind::kMpsMemory:
      return "mps-memory-below-need";
    case ConsequenceKind::kReplicaLimit:
      return "replica-limit";
    case ConsequenceKind::kNumaNodes:
      return "topology-affinity";
  }
  return {};
}

}  // namespace gpusched::placement
