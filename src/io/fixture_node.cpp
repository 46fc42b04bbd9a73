#include "io/fixture_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "gpusched/base/text.hpp"
#include "gpusched/model/allocatable.hpp"
#include "gpusched/model/node_labels.hpp"
#include "io/fixture_amounts.hpp"
#include "io/kubelet_facts.hpp"

namespace gpusched::io {

namespace {
constexpr std::array<std::string_view, 3> kEffects = {"NoSchedule", "PreferNoSchedule", "NoExecute"};
}

void NodeFixture::read() {
  ObjectReader node(decoder_, value_, "node");
  const std::string_view name = node.required_string("name");
  node.set_name(name);
  if (const Value* const given = node.find("name"); name.empty() && given != nullptr && given->is_string()) {
    node.error("name", "out-of-range", "a node's name must not be empty");
  }
  if (const std::string first = model_.node_names_.add(name, decoder_.document(), value_);
      !first.empty() && !name.empty()) {
    node.error("name", "duplicate-object",
               fmt::format("a second node named {}; the first is at {}", quote(name), first));
  }
  node_class_.labels = model_.builder_.labels(label_set(node, "labels", model_.builder_));
  node_class_.unschedulable = node.optional_bool("unschedulable").value_or(false);
  read_taints(node);
  read_gpus(node);
  const std::int64_t network = optional_amount(node, "network_gbps", DecimalUnit::kGbps).value_or(0);
  const std::int64_t gpu_nic = optional_amount(node, "gpu_nic_gbps", DecimalUnit::kGbps).value_or(0);
  for (const auto& [resource, amount] : resource_amounts(decoder_, node, "allocatable", model_.builder_)) {
    set_amount(node_class_.allocatable, resource, amount);
    const std::string_view resource_name = model_.builder_.shape().name(resource);
    if (!node_class_.gpus.empty() && (resource == gpu_resource_ || resource_name.starts_with(kMigResourcePrefix))) {
      node.error("allocatable", "duplicate-value",
                 fmt::format("{} follows from the node's \"gpu\" block", quote(resource_name)),
                 "leave it out of allocatable");
    }
  }
  const LabelSetId labels = node_class_.labels;
  const bool shared = std::ranges::any_of(node_class_.gpus, [](const Gpu& gpu) { return gpu.replicas > 1; });
  model_.add_topology(name, node_class_);
  const NodeId id = model_.builder_.node(name, model_.builder_.node_class(std::move(node_class_), gpu_resource_));
  const std::vector<LabelText> texts = label_texts(model_.builder_.shape(), labels);
  const auto label = [&](std::string_view key) {
    const auto found = std::ranges::find(texts, key, &LabelText::first);
    return found == texts.end() ? std::string_view() : found->second;
  };
  model_.note_domain(id, nvlink_domain(texts));
  model_.note_network(id, network, gpu_nic, texts);
  if (shared) {
    model_.note_kubelet(
        id, kubelet_facts(config_of_node(model_.options_.device_plugin, label("nvidia.com/device-plugin.config")),
                          label("nvidia.com/gpu.sharing-strategy") == "mps"));
  }
  check_held_amounts(node);
  for (Holding& holding : holdings_) {
    holding.node = id;
    model_.holdings_.push_back(std::move(holding));
  }
}

void NodeFixture::check_held_amounts(ObjectReader& node) {
  std::map<ResourceId, std::int64_t> sums;
  for (const Holding& holding : holdings_) {
    for (const auto& [resource, amount] : model_.builder_.shape().pod_classes[holding.pod_class.index()].requests) {
      std::int64_t& sum = sums[resource];
      if (amount > kMaxAmount - sum) {
        node.error("gpu", "out-of-range",
                   fmt::format("the pods on the node's busy GPUs request more {} than can be added up",
                               quote(model_.builder_.shape().name(resource))));
        return;
      }
      sum += amount;
    }
  }
}

void NodeFixture::read_taints(ObjectReader& node) {
  std::vector<Taint> taints;
  node.array("taints", [&](const Value& item, std::size_t) {
    ObjectReader taint(decoder_, item, "taint");
    const auto text = [&](std::string_view value) { return value.empty() ? StringId{} : model_.builder_.text(value); };
    taints.push_back({text(taint.required_string("key")), text(taint.optional_string("value").value_or("")),
                      static_cast<TaintEffect>(taint.required_one_of("effect", kEffects))});
  });
  node_class_.taints = model_.builder_.taints(std::move(taints));
}

void NodeFixture::hold(std::string_view pod, PodClass pod_class, std::vector<GpuShare> shares) {
  holdings_.push_back({{},
                       pod.empty() ? StringId{} : model_.builder_.text(pod),
                       model_.builder_.pod_class(std::move(pod_class)),
                       std::move(shares)});
}

}  // namespace gpusched::io
