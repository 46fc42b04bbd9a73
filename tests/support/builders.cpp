#include "support/builders.hpp"

#include <algorithm>
#include <utility>

#include "gpusched/mig/layout.hpp"
#include "gpusched/mig/profile.hpp"

namespace gpusched::testing {

namespace {

constexpr std::int64_t kMiB = 1024 * 1024;

Board board_of(ShapeBuilder& builder, const GpuBlock& block) {
  Board board;
  board.model = builder.text(block.model);
  board.memory_mib = block.memory_gib * 1024;
  board.nvlink_mbps = block.nvlink_gbps * 1000;
  board.pcie_mbps = block.pcie_gbps * 1000;
  if (const auto* known = mig::find_board(block.model, static_cast<std::uint64_t>(board.memory_mib))) {
    board.mig_board = static_cast<std::uint16_t>(known - mig::boards().data());
  }
  return board;
}

void add_instances(ShapeBuilder& builder, const Board& board, const std::vector<std::string>& layout, std::size_t gpu,
                   std::vector<MigInstance>& instances) {
  const mig::Board& geometry = mig::boards()[board.mig_board];
  std::vector<mig::ProfileIndex> profiles;
  for (const std::string& name : layout) {
    profiles.push_back(mig::find_profile(geometry, name).value());
  }
  const auto placed = mig::place_layout(geometry, profiles).value();
  for (const mig::Instance& place : placed) {
    const mig::Profile& profile = geometry.profiles[place.profile];
    instances.push_back({.profile = builder.text(profile.name),
                         .resource = builder.resource(mig::resource_name(profile)),
                         .gpu = static_cast<std::uint16_t>(gpu),
                         .start = place.start,
                         .memory_slices = profile.memory_slices,
                         .compute_slices = profile.compute_slices,
                         .mig_profile = place.profile,
                         .memory_mib = static_cast<std::int32_t>(profile.memory_mib)});
  }
}

/// Islands as the lists say; GPUs in no list are islands of their own after them.
void add_gpus(NodeClass& node_class, const Gpu& prototype, const GpuBlock& block) {
  const std::size_t first = node_class.gpus.size();
  std::uint16_t next = 0;
  for (const Gpu& gpu : node_class.gpus) {
    next = std::max<std::uint16_t>(next, static_cast<std::uint16_t>(gpu.island + 1));
  }
  const auto count = static_cast<std::size_t>(block.count);
  node_class.gpus.resize(first + count, prototype);
  std::vector<bool> listed(count);
  for (const std::vector<int>& group : block.islands) {
    for (const int gpu : group) {
      node_class.gpus[first + static_cast<std::size_t>(gpu)].island = next;
      listed[static_cast<std::size_t>(gpu)] = true;
    }
    ++next;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!listed[i]) {
      node_class.gpus[first + i].island = next++;
    }
  }
}

void set_allocatable(NodeClass& node_class, ResourceId resource, std::int64_t amount) {
  while (node_class.allocatable.size() <= resource.index()) {
    node_class.allocatable.push_back(node_class.allocatable.size() <= kPods.index() ? kNotModelled : 0);
  }
  node_class.allocatable[resource.index()] = amount;
}

}  // namespace

NodeClassId Cluster::add_class(ShapeBuilder& builder, const NodeSpec& node) {
  NodeClass node_class;
  node_class.unschedulable = node.cordoned_;
  LabelSet labels;
  for (const auto& [key, value] : node.labels_) {
    labels.emplace_back(builder.text(key), builder.text(value));
  }
  node_class.labels = builder.labels(std::move(labels));
  std::vector<Taint> taints;
  for (const auto& [pair, effect] : node.taints_) {
    taints.push_back({builder.text(pair.first), pair.second.empty() ? StringId{} : builder.text(pair.second), effect});
  }
  node_class.taints = builder.taints(std::move(taints));
  for (const GpuBlock& block : node.blocks_) {
    const Board board = board_of(builder, block);
    const std::size_t first = node_class.gpus.size();
    add_gpus(node_class,
             {.board = builder.board(board), .replicas = static_cast<std::uint16_t>(block.replicas), .mig = false},
             block);
    for (std::size_t i = 0; i < block.mig.size(); ++i) {
      node_class.gpus[first + i].mig = true;
      add_instances(builder, board, block.mig[i], first + i, node_class.instances);
    }
  }
  const ResourceId gpu_resource = builder.resource(node.resource_);
  for (const auto& [resource, amount] : node.allocatable_) {
    set_allocatable(node_class, builder.resource(resource), amount);
  }
  return builder.node_class(std::move(node_class), gpu_resource);
}

PodClassId Cluster::add_class(ShapeBuilder& builder, const PodSpec& spec) {
  PodClass pod = spec.facts_;
  if (!spec.model_.empty()) {
    pod.model = builder.text(spec.model_);
  }
  for (const auto& [profile, count] : spec.mig_) {
    pod.mig.push_back({builder.text(profile), builder.resource("nvidia.com/mig-" + profile), count});
  }
  pod.non_zero_cpu = 100;
  pod.non_zero_memory = 200 * kMiB;
  for (const auto& [name, amount] : spec.requests_) {
    const ResourceId resource = builder.resource(name);
    pod.requests.emplace_back(resource, amount);
    if (resource == kCpu) {
      pod.non_zero_cpu = amount;
    } else if (resource == kMemory) {
      pod.non_zero_memory = amount;
    }
  }
  for (const auto& [key, value] : spec.selector_) {
    pod.node_selector.emplace_back(builder.text(key), builder.text(value));
  }
  for (const auto& [key, value] : spec.tolerations_) {
    Toleration toleration;
    toleration.key = key.empty() ? StringId{} : builder.text(key);
    toleration.op = key.empty() ? TolerationOperator::kExists : TolerationOperator::kEqual;
    toleration.value = value.empty() ? StringId{} : builder.text(value);
    pod.tolerations.push_back(toleration);
  }
  return builder.pod_class(std::move(pod));
}

Cluster::Parts Cluster::parts_of(const std::vector<NodeSpec>& nodes, const std::vector<PodSpec>& pods) {
  ShapeBuilder builder;
  for (const NodeSpec& node : nodes) {
    const NodeClassId node_class = add_class(builder, node);
    builder.node(node.name(), node_class);
  }
  std::vector<Pod> wanted;
  for (const PodSpec& pod : pods) {
    wanted.push_back({builder.text(pod.name()), add_class(builder, pod)});
  }
  return {std::move(builder).build(), std::move(wanted)};
}

Cluster::Cluster(const std::vector<NodeSpec>& nodes, const std::vector<PodSpec>& specs)
    : Cluster(parts_of(nodes, specs)) {}

Cluster::Cluster(const Parts& parts) : usage(parts.shape) {
  for (const Pod& pod : parts.pods) {
    pods.push_back(usage.add_pod(pod.pod_class, pod.name));
  }
  usage.commit();
}

PodId Cluster::pod(std::string_view name) const {
  const auto found = std::ranges::find(pods, name, [this](PodId pod) { return shape().text(usage.pod_name(pod)); });
  return found == pods.end() ? PodId{} : *found;
}

void Cluster::bind(std::string_view pod_name, std::string_view node, std::initializer_list<int> gpus) {
  const PodClass& wanted = pod_class(pod_name);
  std::vector<GpuShare> shares;
  for (const int gpu : gpus) {
    shares.push_back(
        {static_cast<std::uint16_t>(gpu), GpuShare::kNoInstance, wanted.gpu_milli, wanted.gpu_memory_mib()});
  }
  usage.bind(pod(pod_name), id(node), shares);
}

void Cluster::bind_instances(std::string_view pod_name, std::string_view node, std::initializer_list<int> instances) {
  std::vector<GpuShare> shares;
  for (const int instance : instances) {
    const auto index = static_cast<std::uint16_t>(instance);
    shares.push_back({usage.node_class(id(node)).instances[index].gpu, index, 0, 0});
  }
  usage.bind(pod(pod_name), id(node), shares);
}

}  // namespace gpusched::testing
