#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "gpusched/base/text.hpp"
#include "gpusched/mig/layout_text.hpp"
#include "gpusched/mig/repartition.hpp"
#include "gpusched/model/allocatable.hpp"
#include "gpusched/model/gpu_content.hpp"
#include "gpusched/whatif/sharing_labels.hpp"
#include "whatif/mig_instances.hpp"
#include "whatif/model_editor.hpp"

// Edits of a model that share or partition the GPUs of a node.
namespace gpusched::whatif {

namespace {

constexpr std::string_view kShared = ".shared";

/// The resource that counts the GPUs of a node outside MIG mode: nvidia.com/gpu or nvidia.com/gpu.shared if the node
/// offers it, else the one of which it offers as many as it has units.
ResourceId gpu_resource(const ClusterShape& shape, const NodeClass& node_class) {
  std::int64_t units = 0;
  for (const Gpu& gpu : node_class.gpus) {
    units += gpu.mig ? 0 : gpu.replicas;
  }
  ResourceId found;
  for (std::size_t i = kPods.index() + 1; i < node_class.allocatable.size(); ++i) {
    const std::string_view name = shape.name(ResourceId{i});
    if (node_class.allocatable[i] <= 0) {
      continue;
    }
    if (name == "nvidia.com/gpu" || name == "nvidia.com/gpu.shared") {
      return ResourceId{i};
    }
    if (!found.valid() && node_class.allocatable[i] == units && !name.contains("/mig-")) {
      found = ResourceId{i};
    }
  }
  return found.valid() ? found : kNvidiaGpu;
}

}  // namespace

std::string ModelEditor::holders(NodeId node, std::size_t gpu) const {
  std::vector<std::string> names;
  for (const PodId pod : holders_of(cluster_.usage, node, gpu)) {
    names.push_back(name(pod).empty() ? "(unnamed)" : name(pod));
  }
  return short_list(names);
}

Result<EditEffect> ModelEditor::operator()(const ShareGpus& edit) {
  const Result<NodeId> node = find_node(edit.node);
  if (!node) {
    return std::unexpected(node.error());
  }
  ShapeEdit changed(shape());
  NodeClass node_class = cluster_.usage.node_class(*node);
  const ResourceId before = gpu_resource(shape(), node_class);
  const auto replicas = static_cast<std::uint16_t>(edit.replicas);
  std::int64_t units_before = 0;
  std::int64_t units = 0;
  for (std::size_t i = 0; i < node_class.gpus.size(); ++i) {
    Gpu& gpu = node_class.gpus[i];
    if (gpu.mig) {
      continue;
    }
    const std::int64_t used = std::int64_t{kWholeGpuMilli} * gpu.replicas - cluster_.usage.free_milli(*node)[i];
    if (used > std::int64_t{kWholeGpuMilli} * replicas) {
      return fail("gpu-busy",
                  fmt::format("GPU {} of {} is held by {}, more than {} replica{} can serve", i, edit.node,
                              holders(*node, i), replicas, replicas == 1 ? "" : "s"),
                  fmt::format("--drain {} or --evict a pod earlier on the line", edit.node));
    }
    units_before += gpu.replicas;
    units += replicas;
    gpu.replicas = replicas;
  }
  if (units == 0) {
    return fail("sharing-impossible", fmt::format("{} has no GPU outside MIG mode to share", edit.node),
                fmt::format("--repartition {}=all-disabled comes first", edit.node));
  }
  std::string resource(shape().name(before));
  if (resource.ends_with(kShared)) {
    resource.erase(resource.size() - kShared.size());
  }
  resource += edit.rename ? kShared : "";
  const ResourceId after = changed.builder.resource(resource);
  // Units that are not advertised or not healthy stay so.
  const std::int64_t offered = node_class.allocatable[before.index()] * units / units_before;
  set_amount(node_class.allocatable, before, 0);
  set_amount(node_class.allocatable, after, offered);
  objects::Labels shared = labels(node_class.labels);
  label_sharing(shared, edit);
  node_class.labels = changed.labels(shared);
  rebuild(std::move(changed), *node, std::move(node_class));
  cluster_.kubelet.resize(std::max(cluster_.kubelet.size(), node->index() + 1));
  KubeletFacts& facts = cluster_.kubelet[node->index()];
  facts.mps = edit.strategy == SharingStrategy::kMps;
  facts.one_replica_only = facts.mps;  // the device plugin insists on it under MPS
  return EditEffect{{}, fmt::format("it offers {} {}", offered, resource), {edit.node}};
}

Result<EditEffect> ModelEditor::operator()(const RepartitionGpus& edit) {
  const Result<NodeId> node = find_node(edit.node);
  if (!node) {
    return std::unexpected(node.error());
  }
  const NodeClass& before = cluster_.usage.node_class(*node);
  if (before.gpus.empty() || (edit.gpu && *edit.gpu >= before.gpus.size())) {
    return fail("gpu-out-of-range", before.gpus.empty() ? fmt::format("{} has no GPU", edit.node)
                                                        : fmt::format("{} has the GPUs 0 to {}, not {}", edit.node,
                                                                      before.gpus.size() - 1, *edit.gpu));
  }
  ShapeEdit changed(shape());
  NodeClass after = before;
  after.instances.clear();
  const ResourceId whole = gpu_resource(shape(), before);
  // The single strategy of the device plugin counts instances as GPUs.
  const bool single = std::ranges::any_of(
      before.instances, [&](const MigInstance& instance) { return !shape().name(instance.resource).contains("mig-"); });
  std::vector<std::uint16_t> places(before.instances.size(), GpuShare::kNoInstance);  // by old index: the new one
  for (std::uint16_t gpu = 0; gpu < before.gpus.size(); ++gpu) {
    if (edit.gpu && *edit.gpu != gpu) {
      for (const std::uint16_t i : instances_of(before, gpu)) {
        places[i] = static_cast<std::uint16_t>(after.instances.size());
        after.instances.push_back(before.instances[i]);
      }
      continue;
    }
    if (const Result<bool> done = repartition(*node, gpu, edit.layout, changed.builder, after, places); !done) {
      return std::unexpected(done.error());
    }
  }
  if (single) {
    for (MigInstance& instance : after.instances) {
      if (instance.mig_profile != after.instances.front().mig_profile) {
        return fail("mig-layout-impossible",
                    fmt::format("the device plugin of {} uses the single strategy, which needs "
                                "one profile on all of its GPUs",
                                edit.node));
      }
      instance.resource = before.instances.front().resource;
    }
  }
  std::map<std::size_t, std::int64_t> changes;  // of the amounts, by resource
  const auto count = [&](const NodeClass& node_class, std::int64_t sign) {
    for (const Gpu& gpu : node_class.gpus) {
      changes[whole.index()] += gpu.mig ? 0 : sign * gpu.replicas;
    }
    for (const MigInstance& instance : node_class.instances) {
      changes[instance.resource.index()] += sign;
    }
  };
  count(before, -1);
  count(after, 1);
  for (const auto& [resource, change] : changes) {
    if (change != 0) {
      // A node may offer fewer than its labels tell of.
      const std::int64_t offered = resource < after.allocatable.size() ? after.allocatable[resource] : 0;
      set_amount(after.allocatable, ResourceId(resource),
                 std::max<std::int64_t>(std::max<std::int64_t>(offered, 0) + change, 0));
    }
  }
  EditEffect effect{{}, mig_text(changed.builder.shape(), after), {edit.node}};
  const NodeClassId id = changed.builder.node_class_as_given(std::move(after));
  changed.changed.emplace_back(*node, id);
  const NodeId moved = *node;
  rebuild(std::move(changed),
          [&](NodeId of, std::uint16_t instance) { return of == moved ? places[instance] : instance; });
  return effect;
}

Result<bool> ModelEditor::repartition(NodeId node, std::uint16_t gpu, const std::string& layout, ShapeBuilder& builder,
                                      NodeClass& after, std::vector<std::uint16_t>& places) const {
  const NodeClass& before = cluster_.usage.node_class(node);
  const Gpu& now = before.gpus[gpu];
  const Board& board = shape().board(now);
  if (board.mig_board == kNoMigBoard || !mig::boards()[board.mig_board].starts_known) {
    return fail("mig-geometry-unknown",
                fmt::format("GPU {} of {}, {}, has no MIG geometry that is known", gpu, name(node),
                            board.model.valid() ? shape().text(board.model) : "a GPU of unknown model"));
  }
  const mig::Board& geometry = mig::boards()[board.mig_board];
  const Result<mig::WantedLayout> wanted = mig::parse_layout(geometry, comma_layout(layout));
  if (!wanted) {
    return std::unexpected(wanted.error());
  }
  if (!now.mig && wanted->mig_enabled &&
      cluster_.usage.free_milli(node)[gpu] < std::int64_t{kWholeGpuMilli} * now.replicas) {
    return fail("gpu-busy", fmt::format("GPU {} of {} is held by {}", gpu, name(node), holders(node, gpu)),
                fmt::format("--drain {} earlier on the line, or --evict the pod", name(node)));
  }
  const std::span<const PodId> instance_holders = cluster_.usage.instance_holders(node);
  std::vector<mig::HeldInstance> existing;
  const std::vector<std::uint16_t> index_of = instances_of(before, gpu);  // by `existing`
  for (const std::uint16_t i : index_of) {
    const MigInstance& instance = before.instances[i];
    existing.push_back({{instance.mig_profile, instance.start}, instance_holders[i].valid()});
  }
  const Result<mig::RepartitionPlan> plan = mig::plan_repartition(geometry, existing, wanted->entries);
  if (!plan) {
    return std::unexpected(plan.error());
  }
  if (!plan->drained.empty()) {
    const std::size_t busy = index_of[plan->drained.front()];
    const MigInstance& instance = before.instances[busy];
    return fail("mig-instance-busy",
                fmt::format("the instance {}@{} of GPU {} of {} is held by {}, and {} has no place for it",
                            shape().text(instance.profile), instance.start, gpu, name(node),
                            name(instance_holders[busy]).empty() ? "a pod" : name(instance_holders[busy]), layout),
                fmt::format("--drain {} earlier on the line, or --evict the pod", name(node)));
  }
  after.gpus[gpu].mig = wanted->mig_enabled;
  after.gpus[gpu].replicas = wanted->mig_enabled ? std::uint16_t{1} : now.replicas;
  for (const mig::Instance& instance : plan->layout) {
    for (const std::size_t kept : plan->kept) {
      if (existing[kept].instance == instance) {
        places[index_of[kept]] = static_cast<std::uint16_t>(after.instances.size());
      }
    }
    after.instances.push_back(instance_of(geometry, instance, gpu, builder));
  }
  return true;
}

}  // namespace gpusched::whatif
