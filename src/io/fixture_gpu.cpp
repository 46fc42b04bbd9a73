#include <fmt/format.h>

#include <algorithm>

#include "io/fixture_amounts.hpp"
#include "io/fixture_node.hpp"

// The `gpu` block of a node: how many GPUs of which board, how they are linked, shared and taken.
namespace gpusched::io {

namespace {
constexpr std::int64_t kMiB = 1024 * 1024;
constexpr std::int64_t kMaxReplicas = 1000;

std::int32_t to_mib(std::int64_t bytes) {
  return static_cast<std::int32_t>((std::max<std::int64_t>(bytes, 0) + kMiB - 1) / kMiB);
}
}  // namespace

void NodeFixture::read_gpus(ObjectReader& node) {
  const Value* const gpu = node.find("gpu");
  if (gpu == nullptr) {
    return;
  }
  if (gpu->is_array()) {  // several models on one node
    node.array("gpu", [&](const Value& block, std::size_t) { read_gpu_block(block); });
  } else {
    decoder_.at_key("gpu", [&] { read_gpu_block(*gpu); });
  }
}

void NodeFixture::read_gpu_block(const Value& block) {
  ObjectReader gpu(decoder_, block, "GPU");
  const std::size_t first = node_class_.gpus.size();
  const auto room = static_cast<std::int64_t>(kMaxGpusPerNode - first);
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(gpu.required_int64("count", 0, room), 0));
  if (const Value* const given = block.find("count"); given == nullptr || !given->is_number()) {
    gpu.ignore_other_keys();  // indices cannot be checked against a count that is not there
    return;
  }
  Board board;
  const std::string_view model = gpu.required_string("model");
  board.model = model_.builder_.text(model);
  board.memory_mib = to_mib(required_memory(gpu));
  board.nvlink_mbps = static_cast<std::int32_t>(optional_amount(gpu, "nvlink_gbps", DecimalUnit::kGbps).value_or(0));
  board.pcie_mbps = static_cast<std::int32_t>(optional_amount(gpu, "pcie_gbps", DecimalUnit::kGbps).value_or(0));
  if (const mig::Board* const known = mig::find_board(model, static_cast<std::uint64_t>(board.memory_mib))) {
    board.mig_board = static_cast<std::uint16_t>(known - mig::boards().data());
  }
  if (const std::optional<std::string_view> resource = optional_gpu_resource(gpu)) {
    const ResourceId id = model_.builder_.resource(*resource);
    if (first > 0 && id != gpu_resource_) {
      gpu.error("resource", "value-not-allowed", "all GPUs of a node are advertised under one resource name");
    }
    gpu_resource_ = id;
  }
  Gpu prototype{.board = model_.builder_.board(board)};
  prototype.replicas = static_cast<std::uint16_t>(gpu.optional_int64("time_slicing", 1, kMaxReplicas).value_or(1));
  node_class_.gpus.resize(first + count, prototype);
  free_replicas_.resize(first + count, prototype.replicas);
  read_islands(gpu, first, count);
  read_numa_nodes(gpu, first, count);
  read_mig(gpu, first, count);
  read_busy(gpu, first, count);
}

template <class Body>
void NodeFixture::index_groups(ObjectReader& gpu, std::string_view key, std::size_t count, Body&& body) {
  std::vector<bool> seen(count);
  gpu.array(key, [&](const Value& group, std::size_t number) {
    if (!group.is_array()) {
      decoder_.error(group, "wrong-type", fmt::format("expected a list of GPU indices, found {}", describe(group)));
      return;
    }
    for (std::size_t i = 0; i < group.items().size(); ++i) {
      decoder_.at_index(i, [&] {
        const Value& item = group.items()[i];
        const std::optional<std::int64_t> index = item.is_number() ? to_int64(item.text()) : std::nullopt;
        if (!index || *index < 0 || *index >= static_cast<std::int64_t>(count)) {
          decoder_.error(item, "out-of-range",
                         count == 0
                             ? fmt::format("found {}, but the block has no GPU", describe(item))
                             : fmt::format("expected a GPU index from 0 to {}, found {}", count - 1, describe(item)));
        } else if (seen[static_cast<std::size_t>(*index)]) {
          decoder_.error(item, "duplicate-value", fmt::format("GPU {} is in two of the lists", *index));
        } else {
          seen[static_cast<std::size_t>(*index)] = true;
          body(number, static_cast<std::size_t>(*index));
        }
      });
    }
  });
}

// A GPU in no list is an island of one; islands are numbered in the order of the lists, then of the single GPUs.
void NodeFixture::read_islands(ObjectReader& gpu, std::size_t first, std::size_t count) {
  std::uint16_t next = 0;
  for (std::size_t i = 0; i < first; ++i) {
    next = std::max<std::uint16_t>(next, static_cast<std::uint16_t>(node_class_.gpus[i].island + 1));
  }
  std::vector<bool> listed(count);
  std::size_t open_group = kMaxGpusPerNode;
  index_groups(gpu, "islands", count, [&](std::size_t group, std::size_t index) {
    if (group != open_group) {  // empty lists are no islands
      next = static_cast<std::uint16_t>(next + (open_group == kMaxGpusPerNode ? 0 : 1));
      open_group = group;
    }
    node_class_.gpus[first + index].island = next;
    listed[index] = true;
  });
  if (open_group != kMaxGpusPerNode) {
    ++next;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!listed[i]) {
      node_class_.gpus[first + i].island = next++;
    }
  }
}

void NodeFixture::read_numa_nodes(ObjectReader& gpu, std::size_t first, std::size_t count) {
  index_groups(gpu, "numa_nodes", count, [&](std::size_t group, std::size_t index) {
    node_class_.gpus[first + index].numa_node = static_cast<std::int16_t>(group);
  });
}

void NodeFixture::read_busy(ObjectReader& gpu, std::size_t first, std::size_t count) {
  gpu.array("busy", [&](const Value& item, std::size_t) { read_holder(item, first, count); });
}

// `3`, or {"gpu": 3} or {"gpus": [3, 4]} with the pod's name, declared memory per GPU, requests and priority.
void NodeFixture::read_holder(const Value& value, std::size_t first, std::size_t count) {
  PodClass pod;
  pod.gpu_resource = gpu_resource_;
  pod.fixed = true;
  std::string_view name;
  std::vector<GpuShare> shares;
  const auto take_gpu = [&](const Value& item) {
    const std::optional<std::int64_t> index = item.is_number() ? to_int64(item.text()) : std::nullopt;
    if (!index || *index < 0 || *index >= static_cast<std::int64_t>(count)) {
      decoder_.error(
          item, "out-of-range",
          fmt::format("expected the index of one of the block's {} GPUs (from 0), found {}", count, describe(item)));
    } else if (take(first + static_cast<std::size_t>(*index), item)) {
      shares.push_back({static_cast<std::uint16_t>(first + static_cast<std::size_t>(*index))});
    }
  };
  if (value.is_object()) {
    ObjectReader holder(decoder_, value, "busy GPU");
    name = holder.optional_string("pod").value_or("");
    pod.gpu_memory_bytes = optional_amount(holder, "memory_gib", DecimalUnit::kGib).value_or(0);
    pod.requests = resource_amounts(decoder_, holder, "requests", model_.builder_);
    if (const auto priority = holder.optional_int64("priority", INT32_MIN, INT32_MAX)) {
      pod.priority = static_cast<std::int32_t>(*priority);
      pod.fixed = name.empty();  // a pod whose priority is known may be evicted
    }
    const Value* const one = holder.find("gpu");
    const Value* const several = holder.find("gpus");
    if (one == nullptr && several == nullptr) {
      decoder_.error(value, "missing-key", "a busy GPU needs \"gpu\" (an index) or \"gpus\" (a list of indices)");
    } else if (one != nullptr && several != nullptr) {
      decoder_.error(value, "value-not-allowed", "give one of \"gpu\" and \"gpus\"");
    } else if (one != nullptr) {
      decoder_.at_key("gpu", [&] { take_gpu(*one); });
    } else if (several->is_array() && several->items().empty()) {
      holder.error("gpus", "out-of-range", "expected at least one GPU index, found an empty list");
    } else {
      holder.array("gpus", [&](const Value& item, std::size_t) { take_gpu(item); });
    }
    check_holder_memory(holder, pod, shares);
  } else {
    take_gpu(value);
  }
  if (shares.empty()) {
    return;
  }
  set_non_zero_requests(pod);
  pod.gpus = static_cast<std::int32_t>(shares.size());
  pod.shared = node_class_.gpus[shares.front().gpu].replicas > 1;  // what holds a replica accepts another one
  for (GpuShare& share : shares) {
    share.memory_mib = pod.gpu_memory_mib();
  }
  std::ranges::sort(shares, {}, &GpuShare::gpu);
  hold(name, std::move(pod), std::move(shares));
}

// On a time-sliced GPU declaring too much is a fact of real clusters, and a finding.
void NodeFixture::check_holder_memory(ObjectReader& holder, const PodClass& pod,
                                      std::span<const GpuShare> shares) const {
  for (const GpuShare& share : shares) {
    const Gpu& gpu = node_class_.gpus[share.gpu];
    const std::int32_t memory_mib = model_.builder_.shape().board(gpu).memory_mib;
    if (gpu.replicas == 1 && pod.gpu_memory_mib() > memory_mib) {
      holder.error("memory_gib", "out-of-range",
                   fmt::format("declares more than the {} MiB of exclusive GPU {}", memory_mib, share.gpu));
      return;
    }
  }
}

bool NodeFixture::take(std::size_t gpu, const Value& value) {
  if (node_class_.gpus[gpu].mig) {
    decoder_.error(value, "value-not-allowed",
                   fmt::format("GPU {} is in MIG mode: name the pods of its instances in \"mig\"", gpu));
    return false;
  }
  if (free_replicas_[gpu] == 0) {
    const int replicas = node_class_.gpus[gpu].replicas;
    decoder_.error(value, "duplicate-value",
                   replicas == 1
                       ? fmt::format("GPU {} is busy twice", gpu)
                       : fmt::format("GPU {} has more holders than its {} time-slicing replicas", gpu, replicas));
    return false;
  }
  --free_replicas_[gpu];
  return true;
}

}  // namespace gpusched::io
