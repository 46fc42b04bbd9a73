#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpusched/model/cluster_usage.hpp"
#include "gpusched/placement/options.hpp"

namespace gpusched::placement {

/// What the count hid: a placement that the scheduler accepts and that goes wrong at run time.
enum class ConsequenceKind : std::uint8_t {
  kModel,           ///< the model is not the one asked for
  kMemory,          ///< a GPU has less memory than the pod needs
  kTimeSliced,      ///< a time-sliced replica for a pod that did not ask to share
  kSameGpu,         ///< two replicas of one physical GPU
  kOversubscribed,  ///< the tenants of a GPU declare more memory than it has
  kSpansIslands,    ///< the GPUs are in several NVLink islands
  kMpsReplica,      ///< a client of MPS for a pod that did not ask to share
  kMpsMemory,       ///< a client of MPS gets less memory than the pod needs
  kReplicaLimit,    ///< the device plugin refuses more than one replica
  kNumaNodes,       ///< the kubelet refuses GPUs of several NUMA nodes
};

struct Consequence {
  ConsequenceKind kind = ConsequenceKind::kModel;
  std::uint16_t gpu = 0;          ///< index in the node, where one GPU is meant
  std::int64_t declared_mib = 0;  ///< kOversubscribed: by all tenants
  std::int64_t memory_mib = 0;    ///< kMemory, kOversubscribed: of the GPU
  StringId model;                 ///< kModel, kMemory: of the GPU
  int count = 0;                  ///< kSameGpu, kReplicaLimit: replicas; kSpansIslands: islands; kMps*: clients
  TopologyPolicy policy = TopologyPolicy::kNone;  ///< kNumaNodes

  bool operator==(const Consequence&) const = default;
};

/// Compares what a bound pod got with what it asked for, one entry per thing (and GPU) that is wrong, in the order of
/// ConsequenceKind. MIG instances have none but kNumaNodes: their profile is what was asked for. What the kubelet and
/// its device plugin do is told as far as options.kubelet knows it.
[[nodiscard]] std::vector<Consequence> consequences(const ClusterUsage& usage, PodId pod, const Options& options = {});

/// The sentence of a consequence: "GPU 0 memory oversubscribed: 40 of 24 GiB declared".
[[nodiscard]] std::string consequence_text(const ClusterShape& shape, const PodClass& pod,
                                           const Consequence& consequence);
/// Its name in documents: "memory-oversubscribed".
[[nodiscard]] std::string_view consequence_name(ConsequenceKind kind);

}  // namespace gpusched::placement
