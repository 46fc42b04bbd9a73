#include "gpusched/whatif/node_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "gpusched/base/text.hpp"

namespace gpusched::whatif {

namespace {

#include "whatif/node_shape_table.inc"

constexpr std::int64_t kMiB = 1024 * 1024;
constexpr std::int32_t kDefaultMaxPods = 110;  // kubelet's maxPods

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace

std::span<const NodeShape> node_shapes() {
  return kShapes;
}

Result<const NodeShape*> find_node_shape(std::string_view name) {
  const std::size_t slash = name.find('/');
  const std::string_view provider = slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
  const std::string_view type = slash == std::string_view::npos ? name : name.substr(slash + 1);
  for (const NodeShape& shape : kShapes) {
    if (equal_ignoring_case(shape.instance_type, type) &&
        (provider.empty() || equal_ignoring_case(shape.provider, provider))) {
      return &shape;
    }
  }
  std::vector<std::string> full;
  std::vector<std::string_view> names;
  for (const NodeShape& shape : kShapes) {
    full.push_back(fmt::format("{}/{}", shape.provider, shape.instance_type));
    names.push_back(shape.instance_type);
  }
  if (!provider.empty()) {
    names.assign(full.begin(), full.end());
  }
  const std::string nearest = suggest(name, names);
  return fail("unknown-shape", fmt::format("there is no node shape {}", quote(name)),
              nearest.empty() ? "name an instance type, for example aws/p5.48xlarge, or a file that describes one node"
                              : fmt::format("did you mean {}?", nearest));
}

objects::Node node_of(const NodeShape& shape) {
  objects::Node node;
  std::ranges::transform(shape.instance_type, std::back_inserter(node.meta.name), lower);
  std::ranges::replace(node.meta.name, '_', '-');  // node names are DNS names
  node.meta.labels = {{"kubernetes.io/arch", std::string(shape.arch)},
                      {"kubernetes.io/hostname", node.meta.name},
                      {"kubernetes.io/os", "linux"},
                      {"node.kubernetes.io/instance-type", std::string(shape.instance_type)},
                      {"nvidia.com/gpu.count", fmt::format("{}", shape.gpus)},
                      {"nvidia.com/gpu.present", "true"},
                      {"nvidia.com/gpu.product", std::string(shape.product)}};
  const auto set = [&](const char* name, std::int64_t capacity, std::int64_t allocatable) {
    node.status.capacity.emplace_back(name, Quantity::from_int64(capacity));
    node.status.allocatable.emplace_back(name, Quantity::from_int64(allocatable > 0 ? allocatable : capacity));
  };
  const std::int64_t milli = shape.allocatable_milli_cpu;
  node.status.capacity.emplace_back("cpu", Quantity::from_int64(shape.vcpus));
  node.status.allocatable.emplace_back("cpu",
                                       milli > 0 ? Quantity::from_milli(milli) : Quantity::from_int64(shape.vcpus));
  if (shape.memory_mib > 0) {
    set("memory", shape.memory_mib * kMiB, shape.allocatable_mib * kMiB);
  }
  set("nvidia.com/gpu", shape.gpus, 0);
  set("pods", shape.allocatable_pods > 0 ? shape.allocatable_pods : kDefaultMaxPods, 0);
  return node;
}

namespace {

/// "NVIDIA-A100-SXM4-80GB", "A100 SXM4 80GB" -> "A100SXM480GB".
std::string model_key(std::string_view model) {
  std::string key;
  for (const char c : model) {
    const char up = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    if ((up >= 'A' && up <= 'Z') || (up >= '0' && up <= '9')) {
      key += up;
    }
  }
  for (const std::string_view vendor : {"NVIDIA", "TESLA"}) {
    if (key.starts_with(vendor)) {
      key.erase(0, vendor.size());
    }
  }
  return key;
}

/// How the shape spells a GPU model.
StringId known_model(ShapeBuilder& builder, std::string_view model) {
  const ClusterShape& shape = builder.shape();
  const std::string key = model_key(model);
  const auto same = [&](StringId known) { return known.valid() && model_key(shape.text(known)) == key; };
  for (const PodClass& pod : shape.pod_classes) {
    if (same(pod.model)) {
      return pod.model;
    }
  }
  for (const Board& board : shape.boards) {
    if (same(board.model)) {
      return board.model;
    }
  }
  return builder.text(model);
}

}  // namespace

NodeClassId add_node_class(ShapeBuilder& builder, const NodeTemplate& node) {
  const ClusterShape& from = *node.shape;
  NodeClass result = from.node_classes[from.nodes.front().node_class.index()];
  const auto text = [&](StringId id) { return id.valid() ? builder.text(from.text(id)) : id; };
  LabelSet labels = from.label_sets[result.labels.index()];
  for (auto& [key, value] : labels) {
    key = text(key);
    value = text(value);
  }
  result.labels = builder.labels(std::move(labels));
  std::vector<Taint> taints = from.taint_sets[result.taints.index()];
  for (Taint& taint : taints) {
    taint.key = text(taint.key);
    taint.value = text(taint.value);
  }
  result.taints = builder.taints(std::move(taints));
  for (Gpu& gpu : result.gpus) {
    Board board = from.board(gpu);
    board.model = board.model.valid() ? known_model(builder, from.text(board.model)) : board.model;
    gpu.board = builder.board(board);
  }
  for (MigInstance& instance : result.instances) {
    instance.profile = text(instance.profile);
    instance.resource = builder.resource(from.name(instance.resource));
  }
  std::vector<std::int64_t> allocatable;
  for (std::size_t i = 0; i < result.allocatable.size(); ++i) {
    const ResourceId id = builder.resource(from.name(ResourceId{i}));
    while (allocatable.size() <= id.index()) {
      allocatable.push_back(allocatable.size() <= kPods.index() ? kNotModelled : 0);
    }
    allocatable[id.index()] = result.allocatable[i];
  }
  result.allocatable = std::move(allocatable);
  return builder.node_class_as_given(std::move(result));
}

}  // namespace gpusched::whatif
