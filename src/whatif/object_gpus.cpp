#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "gpusched/base/text.hpp"
#include "gpusched/objects/pod_requests.hpp"
#include "gpusched/objects/set_label.hpp"
#include "gpusched/whatif/model_edit.hpp"
#include "gpusched/whatif/sharing_labels.hpp"
#include "whatif/object_editor.hpp"

// Edits of objects that share or partition the GPUs of a node: what the device plugin and GPU Feature Discovery would
// then write.
namespace gpusched::whatif {

namespace {

constexpr const char* kGpu = "nvidia.com/gpu";
constexpr const char* kShared = "nvidia.com/gpu.shared";
constexpr std::string_view kReplicas = "nvidia.com/gpu.replicas";

std::int64_t replicas_of(const objects::Node& node) {
  const std::string* const label = objects::find(node.meta.labels, kReplicas);
  std::int64_t replicas = 1;
  if (label != nullptr) {
    std::from_chars(label->data(), label->data() + label->size(), replicas);
  }
  return std::max<std::int64_t>(replicas, 1);
}

}  // namespace

std::pair<std::int64_t, std::vector<std::string>> ObjectEditor::held(std::string_view node,
                                                                     std::string_view resource) const {
  std::pair<std::int64_t, std::vector<std::string>> result;
  for (const objects::Pod& pod : edited_.cluster.pods) {
    if (!is_bound_to(pod, node)) {
      continue;
    }
    for (const auto& [name, amount] : objects::pod_demand(pod).requests.scalars) {
      if (name == resource && amount > 0) {
        result.first += amount;
        result.second.push_back(full_name(pod));
      }
    }
  }
  return result;
}

Result<EditEffect> ObjectEditor::operator()(const ShareGpus& edit) {
  const Result<objects::Node*> found = find_node(edit.node);
  if (!found) {
    return std::unexpected(found.error());
  }
  objects::Node& node = **found;
  const std::int64_t units = offered(node, kGpu) + offered(node, kShared);
  if (units == 0) {
    return fail("sharing-impossible", fmt::format("{} offers no nvidia.com/gpu to share", edit.node));
  }
  const std::int64_t after = units / replicas_of(node) * edit.replicas;
  const std::int64_t used = held(edit.node, kGpu).first + held(edit.node, kShared).first;
  if (used > after) {
    std::vector<std::string> pods = held(edit.node, kGpu).second;
    std::ranges::copy(held(edit.node, kShared).second, std::back_inserter(pods));
    return fail(
        "gpu-busy",
        fmt::format("pods hold {} GPUs or replicas of {}, more than {}: {}", used, edit.node, after, short_list(pods)),
        fmt::format("--drain {} or --evict a pod earlier on the line", edit.node));
  }
  offer(node, kGpu, edit.rename ? 0 : after);
  offer(node, kShared, edit.rename ? after : 0);
  label_sharing(node.meta.labels.edit(), edit);
  return EditEffect{{}, fmt::format("it offers {} {}", after, edit.rename ? kShared : kGpu), {edit.node}};
}

Result<EditEffect> ObjectEditor::operator()(const RepartitionGpus& edit) {
  const Result<objects::Node*> found = find_node(edit.node);
  if (!found) {
    return std::unexpected(found.error());
  }
  objects::Node& node = **found;
  const Result<ShapePtr> shape = options_.model_of(node);
  if (!shape) {
    return std::unexpected(shape.error());
  }
  const Cluster before{ClusterUsage(*shape), {}, {}, {}, {}};
  if (before.usage.node_class(NodeId{0}).gpus.empty()) {
    const auto& slices = edited_.cluster.resource_slices;
    const auto own = std::ranges::find_if(
        slices, [&](const objects::ResourceSlice& slice) { return slice.spec.node_name == edit.node; });
    if (own != slices.end()) {
      return fail(
          "devices-instead",
          fmt::format("{} offers devices of {} and no GPU of a device plugin, whose MIG layout --repartition changes",
                      edit.node, own->spec.driver));
    }
  }
  const ClusterEdit same = edit;
  const Result<EditedCluster> edited = apply(std::span(&same, 1), before, {});
  if (!edited) {
    return std::unexpected(edited.error());
  }
  const ClusterShape& after = edited->cluster.usage.shape();
  const NodeClass& node_class = edited->cluster.usage.node_class(NodeId{0});
  // Which instance a pod holds is not in a dump, only how many of each profile.
  std::vector<std::pair<std::string, std::int64_t>> amounts;
  for (std::size_t i = kPods.index() + 1; i < node_class.allocatable.size(); ++i) {
    const std::string resource(after.name(ResourceId{i}));
    if (!resource.starts_with("nvidia.com/")) {
      continue;
    }
    const std::int64_t amount = node_class.allocatable[i];
    if (amount == kNotModelled) {
      continue;
    }
    if (const auto [used, pods] = held(edit.node, resource); used > amount) {
      return fail("mig-instance-busy",
                  fmt::format("pods hold {} {} of {}, and {} leaves {}: {}", used, resource, edit.node, edit.layout,
                              amount, short_list(pods)),
                  fmt::format("--drain {} earlier on the line, or --evict a pod", edit.node));
    }
    amounts.emplace_back(resource, amount);
  }
  for (const auto& [resource, amount] : amounts) {
    offer(node, resource, amount);
  }
  if (edit.layout.starts_with("all-") && !edit.gpu) {
    objects::set_label(node.meta.labels.edit(), "nvidia.com/mig.config", edit.layout);
  }
  EditEffect effect = edited->effects.front();
  effect.pods.clear();
  return effect;
}

}  // namespace gpusched::whatif
