#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "explain/findings.hpp"
#include "explain/node_labels.hpp"
#include "gpusched/base/text.hpp"

namespace gpusched::explain {

namespace {

constexpr std::string_view kMigPrefix = "nvidia.com/mig-";
constexpr std::string_view kGpu = "nvidia.com/gpu";

std::int64_t amount_in(const objects::ResourceList& list, std::string_view name) {
  const Quantity* const amount = objects::find(list, name);
  return amount == nullptr ? 0 : amount->value();
}

template <class Holds>
std::vector<NodeIndex> nodes_where(const Snapshot& snapshot, const Holds& holds) {
  std::vector<NodeIndex> nodes;
  for (std::size_t i = 0; i < snapshot.nodes().size(); ++i) {
    if (holds(*snapshot.nodes()[i].object)) {
      nodes.emplace_back(i);
    }
  }
  return nodes;
}

void trap(std::string text, std::vector<Finding>& findings) {
  findings.push_back({"trap", "", std::move(text)});
}

/// What the hardware has and the device plugin does not offer.
void device_plugin_traps(const Question& question, const Wanted& wanted, std::vector<Finding>& findings) {
  const auto capacity = [&](const objects::Node& node) { return amount_in(node.status.capacity, wanted.name); };
  const auto allocatable = [&](const objects::Node& node) { return amount_in(node.status.allocatable, wanted.name); };
  const std::vector<NodeIndex> dead = nodes_where(
      question.snapshot, [&](const objects::Node& node) { return capacity(node) > 0 && allocatable(node) == 0; });
  if (!dead.empty()) {
    trap(fmt::format(
             "{}: capacity {}, allocatable 0 {}: the device plugin is not healthy or restarts, the GPUs are not "
             "in use",
             name_list(question.snapshot, dead), capacity(*question.snapshot.node(dead.front()).object), wanted.name),
         findings);
  }
  const std::vector<NodeIndex> ill = nodes_where(question.snapshot, [&](const objects::Node& node) {
    return allocatable(node) > 0 && capacity(node) > allocatable(node);
  });
  if (!ill.empty()) {
    const objects::Node& first = *question.snapshot.node(ill.front()).object;
    trap(fmt::format("{}: {} of {} {} {} unhealthy", name_list(question.snapshot, ill),
                     capacity(first) - allocatable(first), capacity(first), wanted.name,
                     capacity(first) - allocatable(first) == 1 ? "is" : "are"),
         findings);
  }
  const std::vector<NodeIndex> over = nodes_where(question.snapshot, [&](const objects::Node& node) {
    const NodeIndex index = question.snapshot.find_node(node.meta.name);
    return allocatable(node) > 0 && free_of(question.snapshot.node(index), wanted.index) < 0;
  });
  if (!over.empty()) {
    trap(fmt::format("{}: more {} is in use than the node offers, over-committed by {}",
                     name_list(question.snapshot, over), wanted.name,
                     -free_of(question.snapshot.node(over.front()), wanted.index)),
         findings);
  }
}

/// A profile that is asked for by name where the strategy `single` calls every instance nvidia.com/gpu.
/// Source: NVIDIA k8s-device-plugin, MIG strategies; GPU Feature Discovery's label nvidia.com/mig.strategy.
void mig_traps(const Question& question, const Wanted& wanted, std::vector<Finding>& findings) {
  if (wanted.name.starts_with(kMigPrefix)) {
    const std::vector<NodeIndex> single = nodes_where(question.snapshot, [](const objects::Node& node) {
      return label_of(node, "nvidia.com/mig.strategy") == "single";
    });
    if (!single.empty()) {
      trap(
          fmt::format("{}: MIG strategy single publishes instances as {}, not as {}; ask for {} and choose the profile "
                      "by the label nvidia.com/gpu.product={}",
                      name_list(question.snapshot, single), kGpu, wanted.name, kGpu,
                      label_of(*question.snapshot.node(single.front()).object, "nvidia.com/gpu.product")),
          findings);
    }
    return;
  }
  if (wanted.name != kGpu) {
    return;
  }
  const std::vector<NodeIndex> mixed = nodes_where(question.snapshot, [](const objects::Node& node) {
    return amount_in(node.status.allocatable, kGpu) == 0 &&
           std::ranges::any_of(node.status.allocatable,
                               [](const auto& entry) { return entry.first.starts_with(kMigPrefix); });
  });
  if (!mixed.empty()) {
    trap(fmt::format("{}: its GPUs are cut into MIG instances, which are resources of their own ({}...)",
                     name_list(question.snapshot, mixed), kMigPrefix),
         findings);
  }
}

/// Time-slicing with renameByDefault publishes NAME.shared.
void shared_name_trap(const Question& question, const Wanted& wanted, std::vector<Finding>& findings) {
  const std::string shared = wanted.name + ".shared";
  const std::vector<NodeIndex> nodes = nodes_where(
      question.snapshot, [&](const objects::Node& node) { return amount_in(node.status.allocatable, shared) > 0; });
  if (!nodes.empty()) {
    trap(fmt::format("{}: shared GPUs are published as {}", name_list(question.snapshot, nodes), shared), findings);
  }
}

struct VendorKey {
  std::string_view prefix, scheduler;
};

/// Resources that no device plugin publishes as they are asked for: the vendor's own scheduler reads them.
/// Source: the documents of HAMi, of Aliyun's gpushare scheduler extender and of Volcano's vGPU plugin.
constexpr std::array kVendorKeys = {
    VendorKey{"nvidia.com/gpumem", "HAMi's scheduler (hami-scheduler)"},
    VendorKey{"nvidia.com/gpucores", "HAMi's scheduler (hami-scheduler)"},
    VendorKey{"aliyun.com/gpu-mem", "a kube-scheduler with the gpushare extender"},
    VendorKey{"volcano.sh/vgpu-", "Volcano (schedulerName: volcano)"},
};

void vendor_trap(const Wanted& wanted, std::vector<Finding>& findings) {
  const auto known =
      std::ranges::find_if(kVendorKeys, [&](const VendorKey& key) { return wanted.name.starts_with(key.prefix); });
  if (known != kVendorKeys.end() && wanted.largest <= 0) {
    trap(fmt::format("no node publishes {}: pods that ask for it need {}", wanted.name, known->scheduler), findings);
  }
}

}  // namespace

void find_traps(const Question& question, std::vector<Finding>& findings) {
  for (const Wanted& wanted : question.survey.wanted) {
    if (!wanted.extended) {
      continue;
    }
    const auto [known, is_new] = question.facts.traps.try_emplace(wanted.name);
    if (is_new) {
      device_plugin_traps(question, wanted, known->second);
      mig_traps(question, wanted, known->second);
      shared_name_trap(question, wanted, known->second);
      vendor_trap(wanted, known->second);
    }
    findings.insert(findings.end(), known->second.begin(), known->second.end());
  }
}

/// Source: labels of GPU Feature Discovery (gpu.replicas, gpu.sharing-strategy); NVIDIA k8s-device-plugin refuses more
/// than one replica at once under MPS, and under time-slicing when failRequestsGreaterThanOne is set.
void find_sharing(const Snapshot& snapshot, const objects::Pod& pod, const NodeState& node,
                  std::vector<Finding>& findings) {
  const std::int64_t replicas = label_number(*node.object, "nvidia.com/gpu.replicas");
  if (replicas < 2) {
    return;
  }
  const objects::ResourceAmounts amounts = objects::pod_demand(pod, snapshot.request_rules()).requests;
  for (const std::string_view name : {kGpu, std::string_view("nvidia.com/gpu.shared")}) {
    const std::int64_t* const asked = objects::find(amounts.scalars, name);
    if (asked == nullptr || *asked == 0 || node.allocatable_of(snapshot.find_resource(name)) == 0) {
      continue;
    }
    const bool mps = label_of(*node.object, "nvidia.com/gpu.sharing-strategy") == "mps" ||
                     label_of(*node.object, "nvidia.com/mps.capable") == "true";
    const std::string memory = label_of(*node.object, "nvidia.com/gpu.memory");
    trap(fmt::format("{}: each GPU{} is shared by up to {} pods {}, so that {} {} is {}", node.name(),
                     memory.empty() ? "" : fmt::format(" ({} MiB)", memory), replicas,
                     mps ? "with MPS" : "by time-slicing, without limits of memory", *asked, name,
                     mps ? "a share of it" : "not a GPU of its own"),
         findings);
    if (*asked > 1) {
      trap(mps ? fmt::format("{}: the kubelet refuses the pod: under MPS the maximum request size is 1, it asks for {}",
                             node.name(), *asked)
               : fmt::format("{}: its {} replicas may be one physical GPU; with failRequestsGreaterThanOne the kubelet "
                             "refuses the pod",
                             node.name(), *asked),
           findings);
    }
  }
}

bool shares_gpus(const Snapshot& snapshot, const objects::Pod& pod, const NodeState& node) {
  std::vector<Finding> findings;
  find_sharing(snapshot, pod, node, findings);
  return !findings.empty();
}

}  // namespace gpusched::explain
