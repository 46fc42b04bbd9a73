#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpusched/model/cluster_usage.hpp"
#include "gpusched/model/shape_builder.hpp"

namespace gpusched::testing {

/// GPUs of one board on a node.
struct GpuBlock {
  int count = 0;
  std::string model;
  int memory_gib = 80;
  std::vector<std::vector<int>> islands;  ///< empty: every GPU is an island of its own
  int nvlink_gbps = 300;
  int pcie_gbps = 32;
  int replicas = 1;
  std::vector<std::vector<std::string>> mig;  ///< a layout per GPU; empty: not in MIG mode
};

/// A node of a test: `node("n1").gpus(8, "A100-SXM4-80GB", 80).islands({{0, 1, 2, 3, 4, 5, 6, 7}})`. islands, links,
/// time_slicing and mig speak of the gpus() before them.
class NodeSpec {
 public:
  explicit NodeSpec(std::string_view name) : name_(name) {}

  NodeSpec& gpus(int count, std::string_view model = "A100-SXM4-80GB", int memory_gib = 80);
  NodeSpec& islands(std::vector<std::vector<int>> groups);
  /// All GPUs of the block in one island.
  NodeSpec& one_island();
  NodeSpec& links(int nvlink_gbps, int pcie_gbps);
  NodeSpec& time_slicing(int replicas);
  NodeSpec& mig(std::vector<std::vector<std::string>> layouts);
  NodeSpec& gpu_resource(std::string_view name);
  NodeSpec& allocatable(std::string_view resource, std::int64_t amount);  ///< in the unit of ResourceId
  NodeSpec& label(std::string_view key, std::string_view value);
  NodeSpec& taint(std::string_view key, std::string_view value = {}, TaintEffect effect = TaintEffect::kNoSchedule);
  NodeSpec& cordoned();

  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  friend class Cluster;
  friend std::string cluster_json(const std::vector<NodeSpec>& nodes);

  std::string name_;
  std::vector<GpuBlock> blocks_;
  std::string resource_ = "nvidia.com/gpu";
  std::vector<std::pair<std::string, std::int64_t>> allocatable_;
  std::vector<std::pair<std::string, std::string>> labels_;
  std::vector<std::pair<std::pair<std::string, std::string>, TaintEffect>> taints_;
  bool cordoned_ = false;
};

[[nodiscard]] inline NodeSpec node(std::string_view name) {
  return NodeSpec(name);
}

/// A pod of a test: `pod("train").gpus(8).model("A100-SXM4-80GB").nvlink()`.
class PodSpec {
 public:
  explicit PodSpec(std::string_view name) : name_(name) {}

  PodSpec& gpus(int count);
  PodSpec& model(std::string_view model);
  PodSpec& memory_gib(int gib);
  PodSpec& gradient_gb(int gb);
  PodSpec& nvlink();
  PodSpec& shared();
  PodSpec& milli(int of_a_gpu);  ///< not in fixtures
  PodSpec& mig(std::string_view profile, int count = 1);
  PodSpec& requests(std::string_view resource, std::int64_t amount);  ///< in the unit of ResourceId
  PodSpec& priority(int priority);
  PodSpec& never_preempts();
  PodSpec& fixed();  ///< not in fixtures
  PodSpec& tolerates(std::string_view key, std::string_view value = {});
  PodSpec& tolerates_all();
  PodSpec& selects(std::string_view key, std::string_view value);

  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  friend class Cluster;
  friend std::string pods_json(const std::vector<PodSpec>& pods);

  std::string name_;
  PodClass facts_;  // what needs no interning
  std::string model_;
  std::vector<std::pair<std::string, int>> mig_;
  std::vector<std::pair<std::string, std::int64_t>> requests_;
  std::vector<std::pair<std::string, std::string>> selector_;
  std::vector<std::pair<std::string, std::string>> tolerations_;  // key "" tolerates everything
};

[[nodiscard]] inline PodSpec pod(std::string_view name) {
  return PodSpec(name);
}

/// A shape of the nodes and a usage with the pods, not bound yet.
class Cluster {
 public:
  explicit Cluster(const std::vector<NodeSpec>& nodes, const std::vector<PodSpec>& pods = {});

  [[nodiscard]] const ClusterShape& shape() const { return usage.shape(); }
  [[nodiscard]] NodeId id(std::string_view node) const { return shape().find_node(node); }
  [[nodiscard]] PodId pod(std::string_view name) const;  ///< invalid when there is none
  [[nodiscard]] const PodClass& pod_class(std::string_view name) const { return usage.pod_class(pod(name)); }
  /// Binds a pod to whole GPUs of a node, with the memory that it declares.
  void bind(std::string_view pod, std::string_view node, std::initializer_list<int> gpus = {});
  /// Binds a pod to MIG instances, by their index in the node's layout.
  void bind_instances(std::string_view pod, std::string_view node, std::initializer_list<int> instances);

  ClusterUsage usage;
  std::vector<PodId> pods;

 private:
  static NodeClassId add_class(ShapeBuilder& builder, const NodeSpec& node);
  static PodClassId add_class(ShapeBuilder& builder, const PodSpec& pod);
  struct Parts {
    ShapePtr shape;
    std::vector<Pod> pods;
  };
  static Parts parts_of(const std::vector<NodeSpec>& nodes, const std::vector<PodSpec>& pods);
  explicit Cluster(const Parts& parts);
};

/// The same nodes and pods as documents that the readers take.
[[nodiscard]] std::string cluster_json(const std::vector<NodeSpec>& nodes);
[[nodiscard]] std::string pods_json(const std::vector<PodSpec>& pods);

}  // namespace gpusched::testing
