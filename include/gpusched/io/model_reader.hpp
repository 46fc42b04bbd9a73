#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/io/cluster_dump.hpp"
#include "gpusched/io/device_plugin_config.hpp"
#include "gpusched/io/document.hpp"
#include "gpusched/io/gpu_usage.hpp"
#include "gpusched/io/hardware_file.hpp"
#include "gpusched/io/topology_matrix.hpp"
#include "gpusched/io/trace.hpp"
#include "gpusched/model/cluster.hpp"
#include "gpusched/model/shape_builder.hpp"
#include "gpusched/objects/label_selector.hpp"

namespace gpusched::io {

/// What the objects of a dump say of pods that belong together (docs/formats/jobs.md).
struct GroupFacts {
  std::int32_t min_pods = 0;          ///< 0: all
  std::int64_t hold_timeout_ms = -1;  ///< -1: not given
  std::int32_t max_restarts = 0;
  std::string queue;
  std::optional<std::int32_t> priority;  ///< none: that of the pods
  std::string topology_key;
  bool exclusive = false;
};

/// A cluster as it was read. The jobs are those of `jobs` and of traces.
struct Model : Cluster {
  Diagnostics notes;  ///< warnings, and what was inferred from what (notes)
};

/// What people add to a dump; topologies and device plugin also to a fixture.
struct DumpOptions {
  HardwareFile hardware;                 ///< islands, NUMA nodes, bandwidth and more, laid over what is inferred
  std::vector<GpuUse> gpu_usage;         ///< which pod holds which GPU, from the DCGM exporter
  std::vector<std::string> gpu_drivers;  ///< DRA drivers of GPUs beside the known ones
  bool budgets = false;                  ///< read PodDisruptionBudgets, for drains
  std::string name_space;                ///< of the pods that are asked about; "": all
  objects::LabelSelector selector;       ///< their labels
  std::vector<std::string> labels;       ///< keys of node labels to keep beside those that pods ask for
  std::vector<std::pair<std::string, TopologyMatrix>> topologies;  ///< nvidia-smi topo -m of some nodes, by name
  std::vector<DevicePluginConfig> device_plugin;                   ///< of its ConfigMap, or the one for every node
};

/// What an input already puts on a node: a named or unnamed pod with the GPUs or MIG instances that it holds.
struct Holding {
  NodeId node;
  StringId pod;  ///< invalid: unnamed
  PodClassId pod_class;
  std::vector<GpuShare> shares;
};

/// A bound pod of a dump: its GPUs are chosen when all nodes are known.
struct BoundPod {
  StringId name;
  PodClassId pod_class;
  StringId node;
  PodFacts facts;
  std::vector<std::uint16_t> claimed;  ///< GPUs of its ResourceClaims that no other pod uses
  PodId id = {};                       ///< once it is bound
};

/// GPUs of a ResourceClaim whose pod is not there, or that several pods use.
struct ClaimedGpus {
  NodeId node;
  StringId name;  ///< "claim namespace/name"
  StringId name_space;
  std::vector<std::uint16_t> gpus;
  std::vector<std::size_t> users = {};  ///< of several pods those that are bound, as indices; empty: never free
};

/// Devices of a node that nobody can use: unhealthy ones, or all of a node that advertises none.
struct UnusableGpus {
  NodeId node;
  std::int64_t units = 0;
};

/// Which names were read and where, for messages about a second object of the same name.
class NameIndex {
 public:
  /// Remembers a name; where it stands already ("pods.json:12") when it is not new, else "".
  [[nodiscard]] std::string add(std::string_view name, const Document& document, const Value& value);

 private:
  struct Place {
    std::uint32_t document = 0;
    std::uint32_t offset = 0;  // turned into a line only when it is needed
  };
  std::vector<Document> documents_;
  std::unordered_map<std::string, Place> places_;
};

/// Turns fixture documents (docs/formats/cluster.md, docs/formats/pods.md) into a Model. Feed it every document of the
/// cluster and of the pods, then `finish`. Errors of all documents are collected; each names file, line, JSON pointer,
/// object, value and what is allowed.
class ModelReader {
 public:
  ModelReader() = default;
  explicit ModelReader(DumpOptions options) : options_(std::move(options)) {}

  /// `nodes` of a cluster fixture; its `pods` and `jobs` are left alone.
  void read_cluster(const Document& document);
  /// `pods` of a fixture; its `nodes` and `jobs` are left alone.
  void read_pods(const Document& document);
  /// `jobs` of a fixture (docs/formats/jobs.md); its `nodes` and `pods` are left alone.
  void read_jobs(const Document& document);
  /// The jobs of a trace. A job that does not say how many pods it has is one pod if a node has that many GPUs; else
  /// its pods have as many GPUs as the greatest common divisor of its GPUs and those of the largest node.
  void read_trace(const Trace& trace);
  /// From now on pods that want a place are jobs that run for so long: pods of one workload or pod group together.
  void take_pods_as_jobs(std::int64_t duration_ms) { pod_duration_ms_ = duration_ms; }
  /// Nodes that have nothing but a number of GPUs, of a model that suits every job of a trace: "node-00" and so on.
  void add_equal_nodes(std::size_t nodes, std::size_t gpus);
  /// One node "pool" with a number of GPUs of any size and no single GPU in it, for the extended view.
  void add_pool(std::size_t gpus);
  /// Nodes of a dump and the pods that hold something there. Read the pods that are to be placed first: of a node's
  /// labels only those are kept that some pod asks for. Takes the dump: of a large cluster it is half of the memory.
  void read_dump(ClusterDump dump);
  /// The dump's own Pending pods that the scheduler may place, in input order.
  void read_pending(const ClusterDump& dump);
  [[nodiscard]] Result<Model> finish() &&;

 private:
  friend class NodeFixture;
  friend class PodFixture;
  friend class JobFixture;
  friend class DumpModel;

  struct WantedPod {
    StringId name;
    PodClassId pod_class;
    PodFacts facts;
    bool per_node = false;   // of a DaemonSet: one on every node that it may run on
    std::string group = {};  // of the job that it is part of; "": of itself
  };

  struct WantedJob {
    Job job;
    std::vector<std::string> after;
    std::string source;
  };

  void read_groups(const ClusterDump& dump);
  void make_jobs_of_pods();
  void resolve_jobs();
  void add_trace_jobs(const Trace& trace);
  void spread_daemons();
  void bind_dump_pods(Model& model);
  void hold_unusable(Model& model);
  void hold_claimed(Model& model);
  void share_claims(Model& model, PodId first_holder);

  bool check_fixture(const Document& document, std::string_view key);
  /// Lays what people add over a node's class.
  void add_topology(std::string_view node, NodeClass& node_class);
  void note_kubelet(NodeId node, KubeletFacts facts);
  void note_domain(NodeId node, std::string_view domain);
  /// MB/s, 0 unknown; the rack comes from the labels.
  void note_network(NodeId node, std::int64_t network_mbps, std::int64_t gpu_nic_mbps,
                    std::span<const LabelText> labels);
  void check_topologies();

  DumpOptions options_;
  ShapeBuilder builder_;
  std::vector<Holding> holdings_;
  std::vector<WantedPod> pods_;
  std::vector<BoundPod> bound_;
  std::vector<UnusableGpus> unusable_;
  std::vector<ClaimedGpus> claimed_;
  std::vector<DisruptionBudget> budgets_;
  std::vector<WantedJob> jobs_;
  std::vector<Trace> traces_;
  std::int64_t job_pods_ = 0;
  bool any_model_ = false;             // the nodes are of no known model, and jobs of traces may ask for one
  std::int64_t pod_duration_ms_ = -1;  // -1: pods are no jobs
  std::map<std::string, GroupFacts> groups_;
  std::vector<KubeletFacts> kubelet_;
  std::vector<StringId> nvlink_domains_;
  std::vector<NodeNetwork> networks_;
  std::vector<std::string> known_nodes_;  // that --topo may name
  NameIndex node_names_, pod_names_, job_names_;
  PodClassId unusable_class_;
  StringId unusable_name_;
  Diagnostics diagnostics_, pod_diagnostics_;  // the cluster's errors are told first, whatever was read first
  Diagnostics notes_;
};

}  // namespace gpusched::io
