#include "gpusched/whatif/node_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "gpusched/base/ascii.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/model/allocatable.hpp"

namespace gpusched::whatif {

namespace {

#include "whatif/node_shape_table.inc"

constexpr std::int64_t kMiB = 1024 * 1024;
constexpr std::int32_t kDefaultMaxPods = 110;  // kubelet's maxPods

/// Lower case letters and digits.
std::string plain(std::string_view text) {
  std::string result;
  for (const char c : ascii_lower(text)) {
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')) {
      result += c;
    }
  }
  return result;
}

/// With the nearest name, or the shapes that have the word in their name or GPU: "h100".
std::unexpected<Diagnostics> unknown_shape(std::string_view name, bool with_provider) {
  constexpr std::size_t kMostListed = 8;
  std::vector<std::string> full;
  std::vector<std::string> with_word;
  const std::string word = plain(name);
  for (const NodeShape& shape : kShapes) {
    full.push_back(fmt::format("{}/{}", shape.provider, shape.instance_type));
    if (word.size() > 1 && (plain(full.back()).contains(word) || plain(shape.product).contains(word))) {
      with_word.push_back(full.back());
    }
  }
  std::vector<std::string_view> names(full.begin(), full.end());
  if (!with_provider) {
    std::ranges::transform(kShapes, names.begin(), &NodeShape::instance_type);
  }
  std::string hint = suggest(name, names);
  if (with_word.size() > 1 || (hint.empty() && !with_word.empty())) {
    const std::size_t more = with_word.size() - std::min(with_word.size(), kMostListed);
    with_word.resize(with_word.size() - more);
    hint = fmt::format("shapes with it are {}{}", join(with_word, ", "),
                       more == 0 ? "" : fmt::format(" and {} more", more));
  } else {
    hint = hint.empty() ? "name an instance type, for example aws/p5.48xlarge, or a file that describes one node"
                        : fmt::format("did you mean {}?", hint);
  }
  return fail("unknown-shape", fmt::format("there is no node shape {}", quote(name)), std::move(hint));
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
  return unknown_shape(name, !provider.empty());
}

objects::Node node_of(const NodeShape& shape) {
  objects::Node node;
  node.meta.name = ascii_lower(shape.instance_type);
  std::ranges::replace(node.meta.name, '_', '-');  // node names are DNS names
  node.meta.labels.edit() = {{"kubernetes.io/arch", std::string(shape.arch)},
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

/// "NVIDIA-A100-SXM4-80GB", "A100 SXM4 80GB" -> "a100sxm480gb".
std::string model_key(std::string_view model) {
  std::string key = plain(model);
  for (const std::string_view vendor : {"nvidia", "tesla"}) {
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
    set_amount(allocatable, builder.resource(from.name(ResourceId{i})), result.allocatable[i]);
  }
  result.allocatable = std::move(allocatable);
  return builder.node_class_as_given(std::move(result));
}

NodeClassId add_class_like(ShapeBuilder& builder, NodeClass node_class) {
  node_class.unschedulable = false;
  std::vector<Taint> taints = builder.shape().taint_sets[node_class.taints.index()];
  const StringId cordon = builder.text("node.kubernetes.io/unschedulable");
  std::erase_if(taints, [&](const Taint& taint) { return taint.key == cordon; });
  node_class.taints = builder.taints(std::move(taints));
  return builder.node_class_as_given(std::move(node_class));
}

NodeTemplate template_like(const ClusterShape& shape, NodeId node) {
  ClusterShape one = shape;
  one.nodes = {shape.nodes[node.index()]};
  ShapeBuilder builder(one);
  one.nodes.front().node_class = add_class_like(builder, shape.node_classes[one.nodes.front().node_class.index()]);
  ClusterShape copy = *std::move(builder).build();
  copy.nodes = one.nodes;
  return {std::string(shape.name(node)), {}, ShapeBuilder(copy).build()};
}

}  // namespace gpusched::whatif
