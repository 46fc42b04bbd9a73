#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gpusched/io/decode.hpp"
#include "gpusched/io/model_reader.hpp"
#include "gpusched/mig/layout.hpp"

namespace gpusched::io {

/// Reads one element of a cluster fixture's `nodes`: the lesson's make_node() and what Kubernetes knows of a node.
class NodeFixture {
 public:
  NodeFixture(ModelReader& model, Decoder& decoder, const Value& value)
      : model_(model), decoder_(decoder), value_(value) {}
  void read();

 private:
  /// A pod on some of the node's GPUs or instances; it is bound once the node has its id.
  void hold(std::string_view pod, PodClass pod_class, std::vector<GpuShare> shares);

  /// What the node's pods request together must stay a number that arithmetic can hold.
  void check_held_amounts(ObjectReader& node);

  void read_taints(ObjectReader& node);
  void read_gpus(ObjectReader& node);
  void read_gpu_block(const Value& block);
  void read_islands(ObjectReader& gpu, std::size_t first, std::size_t count);
  void read_numa_nodes(ObjectReader& gpu, std::size_t first, std::size_t count);
  /// Calls `body(group, gpu)` for lists of GPU indices of the block; an index out of range or twice is an error.
  template <class Body>
  void index_groups(ObjectReader& gpu, std::string_view key, std::size_t count, Body&& body);
  void read_mig(ObjectReader& gpu, std::size_t first, std::size_t count);
  [[nodiscard]] bool read_mig_gpu(const Value& layout, std::size_t gpu);
  struct Entry {
    mig::LayoutEntry layout;
    std::string_view pod;
    bool held = false;
  };
  std::optional<Entry> read_mig_entry(const Value& value, const mig::Board& board);
  void add_instances(std::size_t gpu, std::span<const Entry> entries, std::span<const mig::Instance> placed);
  void read_busy(ObjectReader& gpu, std::size_t first, std::size_t count);
  void read_holder(const Value& value, std::size_t first, std::size_t count);
  void check_holder_memory(ObjectReader& holder, const PodClass& pod, std::span<const GpuShare> shares) const;
  [[nodiscard]] bool take(std::size_t gpu, const Value& value);
  [[nodiscard]] const mig::Board* mig_board(std::size_t gpu) const;

  ModelReader& model_;
  Decoder& decoder_;
  const Value& value_;
  NodeClass node_class_;
  std::vector<int> free_replicas_;  // by GPU
  std::vector<Holding> holdings_;
  ResourceId gpu_resource_ = kNvidiaGpu;
};

}  // namespace gpusched::io
