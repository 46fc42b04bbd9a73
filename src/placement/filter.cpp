#include "gpusched/placement/filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "gpusched/model/instance_units.hpp"
#include "gpusched/model/node_rules.hpp"
#include "placement/node_rules.hpp"

namespace gpusched::placement {

namespace {

constexpr Reason kFitsReason{ReasonKind::kFits, ResourceId{}};
constexpr std::int64_t kFieldMask = (1 << 20) - 1;

/// Counts per island without touching the heap: the readers allow no more GPUs than this on a node.
struct IslandCounts {
  explicit IslandCounts(std::size_t islands) : size(islands) { std::fill_n(counts, islands, std::uint16_t{0}); }
  std::size_t size;
  std::uint16_t counts[kMaxGpusPerNode];
};

}  // namespace

NodeFilter::NodeFilter(const ClusterShape& shape, PodClassId pod_class, const Options& options)
    : shape_(&shape),
      pod_(&shape.pod_classes[pod_class.index()]),
      pod_class_(pod_class),
      options_(options),
      memory_mib_(pod_->gpu_memory_mib()),
      tolerates_cordon_(tolerates_cordon(shape, *pod_)),
      affinity_names_nodes_(affinity_names_nodes(*pod_)) {
  for (const auto& request : pod_->requests) {
    const bool device =
        (pod_->gpus > 0 && request.first == pod_->gpu_resource) ||
        std::ranges::any_of(pod_->mig, [&](const MigRequest& mig) { return mig.resource == request.first; });
    if (!device || options_.view == View::kExtended) {
      plain_requests_.push_back(request);
    }
  }
  // Hardware is named before cpu and memory; extended resources by name, because their ids follow the order of the
  // input.
  std::ranges::sort(plain_requests_, {}, [&](const auto& request) {
    const bool native = request.first.index() <= kPods.index();
    return std::tuple(native, native ? std::string_view() : shape.name(request.first), request.first);
  });
  classes_.reserve(shape.node_classes.size());
  for (const NodeClass& node_class : shape.node_classes) {
    classes_.push_back(facts(node_class));
  }
}

NodeFilter::ClassFacts NodeFilter::facts(const NodeClass& node_class) const {
  ClassFacts facts;
  if (!tolerates(shape_->taint_sets[node_class.taints.index()], pod_->tolerations)) {
    facts.reason.kind = ReasonKind::kTaint;
    return facts;
  }
  const LabelSet& labels = shape_->label_sets[node_class.labels.index()];
  if (!matches(labels, pod_->node_selector) ||
      (!affinity_names_nodes_ && !matches_affinity(*shape_, labels, StringId{}, *pod_))) {
    facts.reason.kind = ReasonKind::kSelector;
    return facts;
  }
  if (options_.view == View::kExtended) {
    return facts;
  }
  facts.reason.kind = hardware_mismatch(*shape_, node_class, *pod_);
  if (node_class.allocatable[pod_->gpu_resource.index()] == 0) {
    return facts;  // its GPUs are advertised under another name, or only as MIG instances
  }
  for (std::uint16_t i = 0; i < node_class.gpus.size(); ++i) {
    const Gpu& gpu = node_class.gpus[i];
    const Board& board = shape_->board(gpu);
    const bool memory_fits = board.memory_mib == 0 || memory_mib_ <= board.memory_mib;
    const bool model_fits = !pod_->model.valid() || board.model == pod_->model;
    if (!gpu.mig && (pod_->any_sharing || (gpu.replicas > 1) == pod_->shared) && memory_fits && model_fits) {
      facts.gpus.push_back(i);
    }
  }
  return facts;
}

bool NodeFilter::is_candidate(std::int32_t free_milli, std::int64_t free_memory_mib) const {
  if (pod_->shared) {
    return free_milli >= kWholeGpuMilli && free_memory_mib >= memory_mib_;
  }
  // Pods with parts of one GPU share its memory; a whole GPU was compared with its board already.
  return free_milli >= pod_->gpu_milli && (free_milli >= kWholeGpuMilli || free_memory_mib >= memory_mib_);
}

Verdict NodeFilter::evaluate(const ClusterUsage& usage, NodeId node) const {
  if (usage.cordoned(node) && !tolerates_cordon_) {
    return {{ReasonKind::kUnschedulable, {}}};
  }
  const ClassFacts& facts = classes_[usage.node_class_id(node).index()];
  if (facts.reason != kFitsReason) {
    return {facts.reason};
  }
  if (affinity_names_nodes_ && !matches_affinity(*shape_, shape_->label_sets[usage.node_class(node).labels.index()],
                                                 shape_->nodes[node.index()].name, *pod_)) {
    return {{ReasonKind::kSelector, {}}};
  }
  Islands islands;
  if (options_.view == View::kGpu) {
    if (pod_->gpus > 0) {
      islands = count_islands(usage, node, facts);
      if (islands.candidates < pod_->gpus) {
        return {{ReasonKind::kInsufficientDevice, pod_->gpu_resource}};
      }
      if (pod_->nvlink && pod_->gpus > 1 && islands.largest < pod_->gpus) {
        return {{ReasonKind::kNoIsland, {}}};
      }
    }
    if (const Reason reason = check_mig(usage, node); reason != kFitsReason) {
      return {reason};
    }
  }
  if (const Reason reason = check_resources(usage, node); reason != kFitsReason) {
    return {reason};
  }
  return {kFitsReason, key(usage, node, islands)};
}

NodeFilter::Islands NodeFilter::count_islands(const ClusterUsage& usage, NodeId node, const ClassFacts& facts) const {
  const NodeClass& node_class = usage.node_class(node);
  const std::span<const std::int32_t> free_milli = usage.free_milli(node);
  const std::span<const std::int64_t> free_memory = usage.free_memory_mib(node);
  IslandCounts counts(node_class.islands);
  Islands result;
  for (const std::uint16_t gpu : facts.gpus) {
    if (is_candidate(free_milli[gpu], free_memory[gpu])) {
      ++counts.counts[node_class.gpus[gpu].island];
      ++result.candidates;
    }
  }
  int smallest = std::numeric_limits<int>::max();
  const std::span<const PodId> holders = usage.instance_holders(node);
  for (std::size_t i = 0; i < holders.size(); ++i) {  // instances have no NVLink: each is an island of its own
    const MigInstance& instance = node_class.instances[i];
    if (!holders[i].valid() && instance.resource == pod_->gpu_resource &&
        serves(*shape_, node_class, instance, *pod_)) {
      ++result.candidates;
      result.largest = std::max(result.largest, 1);
      smallest = pod_->gpus == 1 ? 1 : smallest;
    }
  }
  for (std::size_t island = 0; island < counts.size; ++island) {
    const int count = counts.counts[island];
    result.largest = std::max(result.largest, count);
    if (count >= pod_->gpus) {
      smallest = std::min(smallest, count);
    }
  }
  result.best_fit = smallest == std::numeric_limits<int>::max() ? 0 : smallest;
  return result;
}

Reason NodeFilter::check_mig(const ClusterUsage& usage, NodeId node) const {
  const NodeClass& node_class = usage.node_class(node);
  const std::span<const PodId> holders = usage.instance_holders(node);
  for (const MigRequest& request : pod_->mig) {
    int free = 0;
    for (std::size_t i = 0; i < holders.size(); ++i) {
      const MigInstance& instance = node_class.instances[i];
      free +=
          !holders[i].valid() && instance.resource == request.resource && serves(*shape_, node_class, instance, *pod_)
              ? 1
              : 0;
    }
    if (free < request.count) {
      return {ReasonKind::kInsufficientDevice, request.resource};
    }
  }
  return kFitsReason;
}

Reason NodeFilter::check_resources(const ClusterUsage& usage, NodeId node) const {
  const std::vector<std::int64_t>& allocatable = usage.node_class(node).allocatable;
  for (const auto& [resource, amount] : plain_requests_) {
    const std::int64_t limit = allocatable[resource.index()];
    if (limit != kNotModelled && amount > limit - usage.used(node, resource)) {
      return {ReasonKind::kInsufficient, resource};
    }
  }
  const std::int64_t pods = allocatable[kPods.index()];
  if (pods != kNotModelled && usage.used(node, kPods) + 1 > pods) {
    return {ReasonKind::kTooManyPods, {}};
  }
  return kFitsReason;
}

int NodeFilter::free_units(const ClusterUsage& usage, NodeId node) const {
  const NodeClass& node_class = usage.node_class(node);
  if (!pod_->mig.empty()) {
    return free_instances(usage, node, pod_->mig.front().resource);
  }
  const std::span<const std::int32_t> free_milli = usage.free_milli(node);
  int free = free_instances(usage, node, pod_->gpu_resource);
  for (std::size_t i = 0; i < free_milli.size(); ++i) {
    free += node_class.gpus[i].mig ? 0 : free_milli[i] / kWholeGpuMilli;
  }
  return free;
}

std::uint64_t NodeFilter::key(const ClusterUsage& usage, NodeId node, const Islands& islands) const {
  if (options_.scoring) {
    return static_cast<std::uint64_t>(scoring::kMaxNodeScore -
                                      scoring::node_resources_fit_score(*options_.scoring, usage, node, *pod_));
  }
  const int wanted = pod_->mig.empty() ? pod_->gpus : pod_->mig.front().count;
  const auto free_after = static_cast<std::uint64_t>(std::max(0, free_units(usage, node) - wanted));
  switch (options_.policy) {
    case Policy::kBinpack:
      return free_after;
    case Policy::kSpread:
      return static_cast<std::uint64_t>(kFieldMask) - free_after;
    case Policy::kTopology: {
      if (pod_->gpus == 0) {
        return free_after;
      }
      const std::uint64_t spans = islands.best_fit == 0 ? 1 : 0;
      const auto island_left = static_cast<std::uint64_t>(spans != 0 ? 0 : islands.best_fit - pod_->gpus);
      return spans << 40 | island_left << 20 | free_after;
    }
    case Policy::kFirstFit:
      return 0;
  }
  return free_after;
}

std::string reason_text(const ClusterShape& shape, const PodClass& pod, Reason reason) {
  switch (reason.kind) {
    case ReasonKind::kFits:
      return {};
    case ReasonKind::kUnschedulable:
      return "node(s) were unschedulable";
    case ReasonKind::kTaint:
      return "node(s) had untolerated taint(s)";
    case ReasonKind::kSelector:
      return "node(s) didn't match Pod's node affinity/selector";
    case ReasonKind::kNotTimeSliced:
      return "node is not time-sliced";
    case ReasonKind::kTimeSliced:
      return "node is time-sliced";
    case ReasonKind::kModel:
      return fmt::format("GPU model is not {}", shape.text(pod.model));
    case ReasonKind::kGpuMemory:
      return fmt::format("GPU memory below {} GiB", gib_text(pod.gpu_memory_bytes));
    case ReasonKind::kInsufficientDevice:
    case ReasonKind::kInsufficient:
      return fmt::format("Insufficient {}", shape.name(reason.resource));
    case ReasonKind::kNoIsland:
      return fmt::format("no NVLink island with {} free GPUs", pod.gpus);
    case ReasonKind::kTooManyPods:
      return "Too many pods";
  }
  return {};
}

}  // namespace gpusched::placement
