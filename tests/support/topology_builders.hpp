#pragma once

#include <deque>
#include <string>
#include <vector>

#include "gpusched/kueue/topology.hpp"

namespace gpusched::testing {

inline constexpr const char* kBlock = "example.com/block";
inline constexpr const char* kRack = "example.com/rack";
inline constexpr const char* kHost = "kubernetes.io/hostname";

/// Hosts with GPUs in racks in blocks, and the topology of a flavor over them.
class TopologyFixture {
 public:
  explicit TopologyFixture(std::vector<std::string> levels = {kBlock, kRack, kHost},
                           kueue::TopologyFeatures features = {},
                           std::vector<objects::Toleration> flavor_tolerations = {});

  /// A ready host with 110 pods and so many GPUs. Edits of it count until topology() is used.
  objects::Node& host(const std::string& block, const std::string& rack, const std::string& name, int gpus);
  /// After a host was edited in another way.
  void nodes_changed() { changed_ = true; }
  [[nodiscard]] kueue::FlavorTopology& topology();
  /// Requests of other pods on a host.
  void other_pods(const std::string& name, int gpus);

  [[nodiscard]] kueue::ResourceRow gpus(int count);
  /// What a pod set with so many GPUs a pod needs.
  [[nodiscard]] kueue::PodSetNeeds needs(int gpus, objects::PodSetTopologyRequest request);
  /// "n1=2 n2=1", or the failure; pod sets are divided by "; ".
  [[nodiscard]] std::string place(const kueue::PodSetNeeds& needs, int count, bool simulate_empty = false);
  [[nodiscard]] std::string place(const std::vector<std::pair<kueue::PodSetNeeds, int>>& pod_sets,
                                  bool simulate_empty = false);
  void hold(const std::string& domain, int pods, int gpus);
  void release(const std::string& domain, int pods, int gpus);

 private:
  StringTable names_;
  std::deque<objects::Node> nodes_;
  std::vector<kueue::ResourceRow> other_;
  kueue::FlavorTopology topology_;
  bool changed_ = true;
};

[[nodiscard]] objects::PodSetTopologyRequest required(std::string level);
[[nodiscard]] objects::PodSetTopologyRequest preferred(std::string level);
[[nodiscard]] objects::PodSetTopologyRequest unconstrained();
[[nodiscard]] objects::PodSetTopologyRequest sliced(objects::PodSetTopologyRequest request, std::string level,
                                                    int size);

}  // namespace gpusched::testing
