#include "gpusched/model/shape_builder.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>

#include "gpusched/model/allocatable.hpp"

namespace gpusched {

namespace {

using ContentKey = std::vector<std::int64_t>;

/// Appends whole numbers; lists are preceded by their length, so different contents have different keys.
struct KeyWriter {
  ContentKey key;

  void number(std::int64_t value) { key.push_back(value); }
  template <class Tag>
  void id(Id<Tag> value) {
    key.push_back(value.value);
  }
  template <class Range, class Function>
  void list(const Range& range, Function&& write) {
    number(static_cast<std::int64_t>(range.size()));
    for (const auto& element : range) {
      write(element);
    }
  }
  void pairs(const LabelSet& labels) {
    list(labels, [this](const auto& label) {
      id(label.first);
      id(label.second);
    });
  }
};

ContentKey content_key(const Board& board) {
  KeyWriter w;
  w.id(board.model);
  for (const std::int64_t n : {std::int64_t{board.memory_mib}, std::int64_t{board.nvlink_mbps},
                               std::int64_t{board.pcie_mbps}, std::int64_t{board.mig_board}}) {
    w.number(n);
  }
  return std::move(w.key);
}

ContentKey content_key(const LabelSet& labels) {
  KeyWriter w;
  w.pairs(labels);
  return std::move(w.key);
}

ContentKey content_key(const std::vector<Taint>& taints) {
  KeyWriter w;
  w.list(taints, [&w](const Taint& taint) {
    w.id(taint.key);
    w.id(taint.value);
    w.number(static_cast<std::int64_t>(taint.effect));
  });
  return std::move(w.key);
}

ContentKey content_key(const NodeClass& node_class) {
  KeyWriter w;
  w.id(node_class.labels);
  w.id(node_class.taints);
  w.list(node_class.allocatable, [&w](std::int64_t amount) { w.number(amount); });
  w.list(node_class.gpus, [&w](const Gpu& gpu) {
    w.id(gpu.board);
    w.number(gpu.island);
    w.number(gpu.numa_node);
    w.number(gpu.replicas);
    w.number(gpu.mig ? 1 : 0);
  });
  // Profile, resource, slices and memory follow from the board and the index of the profile.
  w.list(node_class.instances, [&w](const MigInstance& instance) {
    w.number(instance.gpu);
    w.number(instance.mig_profile);
    w.number(instance.start);
  });
  w.number((node_class.unschedulable ? 1 : 0) | (node_class.islands_known ? 2 : 0));
  return std::move(w.key);
}

ContentKey content_key(const PodClass& pod) {
  KeyWriter w;
  w.list(pod.requests, [&w](const auto& request) {
    w.id(request.first);
    w.number(request.second);
  });
  w.number(pod.non_zero_cpu);
  w.number(pod.non_zero_memory);
  w.id(pod.gpu_resource);
  w.number(pod.gpus);
  w.number(pod.gpu_milli);
  w.list(pod.mig, [&w](const MigRequest& mig) {
    w.id(mig.profile);
    w.number(mig.count);
  });
  w.id(pod.model);
  w.number(pod.gpu_memory_bytes);
  w.number(pod.gradient_bytes);
  w.number((pod.nvlink ? 1 : 0) | (pod.shared ? 2 : 0) | (pod.fixed ? 4 : 0) | (pod.preempts ? 8 : 0) |
           (pod.any_sharing ? 16 : 0));
  w.number(pod.priority);
  w.list(pod.tolerations, [&w](const Toleration& toleration) {
    w.id(toleration.key);
    w.number(static_cast<std::int64_t>(toleration.op));
    w.id(toleration.value);
    w.number(toleration.effect ? static_cast<std::int64_t>(*toleration.effect) : -1);
  });
  w.pairs(pod.node_selector);
  w.list(pod.node_affinity, [&w](const SelectorTerm& term) {
    w.list(term, [&w](const SelectorRequirement& requirement) {
      w.id(requirement.key);
      w.number(static_cast<std::int64_t>(requirement.op));
      w.list(requirement.values, [&w](StringId value) { w.id(value); });
      w.number(requirement.number);
    });
  });
  return std::move(w.key);
}

template <class Value>
std::uint32_t intern(std::map<ContentKey, std::uint32_t>& index, std::vector<Value>& values, Value value) {
  const auto [entry, added] = index.try_emplace(content_key(value), static_cast<std::uint32_t>(values.size()));
  if (added) {
    values.push_back(std::move(value));
  }
  return entry->second;
}

template <class Value>
void index_all(std::map<ContentKey, std::uint32_t>& index, const std::vector<Value>& values) {
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    index.emplace(content_key(values[i]), i);
  }
}

/// Classes that differ only in trailing resources made known later must be equal.
void trim_absent(std::vector<std::int64_t>& allocatable) {
  while (!allocatable.empty() && allocatable.back() == absent_amount(allocatable.size() - 1)) {
    allocatable.pop_back();
  }
}

}  // namespace

ShapeBuilder::ShapeBuilder() {
  for (const std::string_view name : {"cpu", "memory", "ephemeral-storage", "pods", "nvidia.com/gpu"}) {
    resource(name);
  }
}

ShapeBuilder::ShapeBuilder(const ClusterShape& shape) : shape_(shape) {
  for (NodeClass& node_class : shape_.node_classes) {
    trim_absent(node_class.allocatable);
  }
  index_content();
}

void ShapeBuilder::index_content() {
  index_all(board_index_, shape_.boards);
  index_all(label_index_, shape_.label_sets);
  index_all(taint_index_, shape_.taint_sets);
  index_all(node_index_, shape_.node_classes);
  index_all(pod_index_, shape_.pod_classes);
}

ResourceId ShapeBuilder::resource(std::string_view name) {
  const StringId id = text(name);
  const auto found = std::ranges::find(shape_.resources, id);
  const ResourceId resource{static_cast<std::size_t>(found - shape_.resources.begin())};
  if (found == shape_.resources.end()) {
    shape_.resources.push_back(id);
  }
  return resource;
}

BoardId ShapeBuilder::board(const Board& board) {
  return BoardId{intern(board_index_, shape_.boards, board)};
}

LabelSetId ShapeBuilder::labels(LabelSet labels) {
  std::ranges::sort(labels);
  return LabelSetId{intern(label_index_, shape_.label_sets, std::move(labels))};
}

TaintSetId ShapeBuilder::taints(std::vector<Taint> taints) {
  return TaintSetId{intern(taint_index_, shape_.taint_sets, std::move(taints))};
}

NodeClassId ShapeBuilder::node_class(NodeClass node_class, ResourceId gpu_resource) {
  std::vector<std::int64_t>& allocatable = node_class.allocatable;
  fill_absent(allocatable, shape_.resources.size());
  for (const Gpu& gpu : node_class.gpus) {
    if (!gpu.mig) {
      allocatable[gpu_resource.index()] += gpu.replicas;
    }
  }
  for (const MigInstance& instance : node_class.instances) {
    ++allocatable[instance.resource.index()];
  }
  return node_class_as_given(std::move(node_class));
}

NodeClassId ShapeBuilder::node_class_as_given(NodeClass node_class) {
  if (!node_class.labels.valid()) {
    node_class.labels = labels({});
  }
  if (!node_class.taints.valid()) {
    node_class.taints = taints({});
  }
  node_class.islands = 0;
  node_class.time_sliced = false;
  for (const Gpu& gpu : node_class.gpus) {
    node_class.islands = std::max<std::uint16_t>(node_class.islands, static_cast<std::uint16_t>(gpu.island + 1));
    node_class.time_sliced |= gpu.replicas > 1;
  }
  trim_absent(node_class.allocatable);
  return NodeClassId{intern(node_index_, shape_.node_classes, std::move(node_class))};
}

NodeId ShapeBuilder::node(std::string_view name, NodeClassId node_class) {
  const NodeId id{shape_.nodes.size()};
  shape_.nodes.push_back({text(name), node_class});
  return id;
}

PodClassId ShapeBuilder::pod_class(PodClass pod_class) {
  if (pod_class.gpus > 0) {
    pod_class.requests.emplace_back(pod_class.gpu_resource, pod_class.gpus);
  }
  for (const MigRequest& mig : pod_class.mig) {
    pod_class.requests.emplace_back(mig.resource, mig.count);
  }
  std::erase_if(pod_class.requests, [](const auto& request) { return request.second <= 0; });
  std::ranges::sort(pod_class.requests);
  std::ranges::sort(pod_class.node_selector);
  return PodClassId{intern(pod_index_, shape_.pod_classes, std::move(pod_class))};
}

ShapePtr ShapeBuilder::build() && {
  for (NodeClass& node_class : shape_.node_classes) {
    fill_absent(node_class.allocatable, shape_.resources.size());
  }
  const std::size_t count = shape_.nodes.size();
  shape_.nodes_by_name.clear();
  for (std::size_t i = 0; i < count; ++i) {
    shape_.nodes_by_name.push_back(NodeId{i});
  }
  std::ranges::stable_sort(shape_.nodes_by_name, {}, [this](NodeId id) { return shape_.name(id); });
  shape_.name_rank.resize(count);
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    shape_.name_rank[shape_.nodes_by_name[rank].index()] = rank;
  }
  return std::make_shared<const ClusterShape>(std::move(shape_));
}

}  // namespace gpusched
