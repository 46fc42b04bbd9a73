#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "gpusched/io/cluster_input.hpp"
#include "gpusched/io/model_reader.hpp"
#include "gpusched/io/price_list.hpp"
#include "gpusched/io/source.hpp"

namespace gpusched::cli {

/// Reads every input of one command, so that standard input is used once.
class Inputs {
 public:
  explicit Inputs(const Arguments& arguments);

  /// The documents of all files of an option.
  [[nodiscard]] Result<std::vector<io::Document>> documents(std::string_view option);

  /// The value of an option, or standard input as it is when that is "-".
  [[nodiscard]] Result<std::string> text(std::string_view option);

  /// What the files of some options and positionals hold, in their order. `traces`: CSV and SWF are read, too.
  [[nodiscard]] Result<io::ClusterInput> cluster_input(std::initializer_list<std::string_view> names,
                                                       bool traces = false);

  /// What one file holds.
  [[nodiscard]] Result<io::ClusterInput> file(const std::string& path);
  /// What people add to dumps: --hardware, --topo, --gpu-drivers, --gpu-usage, --device-plugin-config, and the labels
  /// and budgets that the question needs.
  [[nodiscard]] Result<io::DumpOptions> dump_options();

  enum class Pods : std::uint8_t { kNone, kIfAny, kWanted };
  /// The cluster (CLUSTER and --nodes: a fixture or a kubectl dump) and, when wanted, the pods to place: those of PODS
  /// and --pods, with --pending the dump's own Pending ones, without any the `pods` of the cluster's fixtures. Fails
  /// when there is no cluster, or no pods where they are wanted. kIfAny: there may be none.
  [[nodiscard]] Result<io::Model> model(Pods wanted);
  /// The cluster as above, or that of --gpus, and the jobs to run on it: those of JOBS and --pods (job files, traces,
  /// pods and workloads, of which each workload is a job), with --pending the dump's own, without any those of the
  /// cluster's fixtures.
  [[nodiscard]] Result<io::Model> jobs();
  /// The pods of an option's files, without a cluster.
  [[nodiscard]] Result<io::Model> pods_alone(std::string_view option);
  /// The prices of --prices; none without it.
  [[nodiscard]] Result<io::PriceList> prices();
  /// The cluster of --baseline.
  [[nodiscard]] Result<io::Model> baseline();

 private:
  /// Makes workloads pods and does with pods from files what the API server does; returns what there is to say.
  [[nodiscard]] static Result<Diagnostics> admit(io::ClusterInput& pods);
  /// Nothing, or the error of a cluster and its workload in each other's place.
  [[nodiscard]] Result<bool> check_order(const io::ClusterInput& cluster, const io::ClusterInput& work) const;
  [[nodiscard]] bool read_wanted_pods(io::ModelReader& reader, const io::ClusterInput& cluster,
                                      const io::ClusterInput& pods, bool given) const;

  /// Returns what there is to say.
  [[nodiscard]] Result<Diagnostics> read_cluster_and_jobs(io::ModelReader& reader, bool from_files);
  /// Whether there are any.
  [[nodiscard]] Result<bool> read_jobs(io::ModelReader& reader, const io::ClusterInput& cluster,
                                       const io::ClusterInput& jobs, Diagnostics& notes) const;

  const Arguments& arguments_;
  io::SourceReader reader_;
  Diagnostics config_warnings_;  // of --device-plugin-config
};

/// The error of a command that reads Kubernetes objects about a document of our own formats.
[[nodiscard]] std::unexpected<Diagnostics> not_kubernetes(const io::Document& found, std::string hint);

/// Whether -n or -l choose some pods of a dump.
[[nodiscard]] bool asks_some_pods(const Arguments& arguments);

inline constexpr OptionSpec kNamespaceOption{
    .name = "namespace", .letter = 'n', .value = "NAMESPACE", .help = "only pods of this namespace of a dump"};
inline constexpr OptionSpec kAllNamespacesOption{
    .name = "all-namespaces", .letter = 'A', .help = "pods of every namespace, which is the default"};
inline constexpr OptionSpec kSelectorOption{
    .name = "selector",
    .letter = 'l',
    .value = "SELECTOR",
    .help = "only pods of a dump with these labels: app=x,tier!=db,env in (a,b)"};

/// For the commands that take a cluster, and pods.
inline constexpr OptionSpec kNodesOption{
    .name = "nodes", .value = "FILE", .help = "a cluster file beside or instead of CLUSTER", .repeatable = true};
inline constexpr OptionSpec kObjectsOption{
    .name = "objects", .value = "FILE", .help = "the same with claims, slices and other objects", .repeatable = true};
/// For the commands that place no pods of files.
inline constexpr OptionSpec kClusterPodsOption{
    .name = "pods", .value = "FILE", .help = "the same with the cluster's pods", .repeatable = true};
inline constexpr OptionSpec kHardwareOption{
    .name = "hardware",
    .value = "FILE",
    .help = "islands, NUMA nodes and bandwidth of a dump's GPUs, by product or node selector",
    .repeatable = true};
inline constexpr OptionSpec kTopoOption{.name = "topo",
                                        .value = "NODE=FILE",
                                        .help = "islands and NUMA nodes of a node as nvidia-smi topo -m prints them",
                                        .repeatable = true};
inline constexpr OptionSpec kDevicePluginOption{
    .name = "device-plugin-config",
    .value = "FILE",
    .help = "NVIDIA's device plugin, plain or in its ConfigMap: replicas, MPS, refused requests"};
inline constexpr OptionSpec kGpuUsageOption{.name = "gpu-usage",
                                            .value = "FILE",
                                            .help = "metrics of the DCGM exporter: which pod of a dump holds which GPU",
                                            .repeatable = true};
inline constexpr OptionSpec kGpuDriversOption{.name = "gpu-drivers",
                                              .value = "NAME,...",
                                              .help = "drivers whose ResourceSlices hold GPUs, beside the known ones",
                                              .repeatable = true};
inline constexpr OptionSpec kPodsOption{
    .name = "pods", .value = "FILE", .help = "a pod file beside or instead of PODS", .repeatable = true};

}  // namespace gpusched::cli
