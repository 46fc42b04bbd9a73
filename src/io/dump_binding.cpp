#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "io/dump_model.hpp"

// Which GPUs the bound pods of a dump hold: the dump tells how many, so the lowest free ones stand for them.
namespace gpusched::io {

namespace {

std::vector<GpuShare> assumed_shares(const ClusterUsage& usage, NodeId node, const PodClass& pod) {
  std::vector<GpuShare> shares;
  const NodeClass& node_class = usage.node_class(node);
  const std::span<const std::int32_t> free_milli = usage.free_milli(node);
  std::int32_t missing = pod.gpus;
  for (std::uint16_t gpu = 0; gpu < free_milli.size() && missing > 0; ++gpu) {
    for (int units = node_class.gpus[gpu].mig ? 0 : free_milli[gpu] / kWholeGpuMilli; units > 0 && missing > 0;
         --units) {
      shares.push_back({gpu});
      --missing;
    }
  }
  const std::span<const PodId> holders = usage.instance_holders(node);
  std::vector<bool> taken(holders.size());
  const auto take_instances = [&](ResourceId resource, std::int32_t count) {
    for (std::uint16_t i = 0; i < holders.size() && count > 0; ++i) {
      if (!holders[i].valid() && !taken[i] && node_class.instances[i].resource == resource) {
        taken[i] = true;
        shares.push_back({node_class.instances[i].gpu, i, 0, 0});
        --count;
      }
    }
  };
  if (pod.gpus > 0) {
    take_instances(pod.gpu_resource, missing);  // the single strategy counts instances under the GPU's name
  }
  for (const MigRequest& request : pod.mig) {
    take_instances(request.resource, request.count);
  }
  return shares;
}

}  // namespace

void ModelReader::read_dump(const ClusterDump& dump) {
  DumpModel reader(*this, dump);
  reader.read_bound_pods();
  reader.read_nodes();
  std::ranges::copy(dump.warnings, std::back_inserter(notes_));
}

void ModelReader::read_pending(const ClusterDump& dump) {
  DumpModel(*this, dump).read_pending_pods();
}

void ModelReader::bind_dump_pods(Model& model) {
  const ClusterShape& shape = model.usage.shape();
  std::map<std::string, std::size_t> strangers;  // nodes that are not in the input
  for (BoundPod& pod : bound_) {
    const NodeId node = shape.find_node(pod.node);
    if (!node.valid()) {
      ++strangers[pod.node];
      continue;
    }
    const PodId id = model.usage.add_pod(pod.pod_class, pod.name);
    model.usage.bind(id, node, assumed_shares(model.usage, node, shape.pod_classes[pod.pod_class.index()]));
    model.pod_facts.resize(id.index());
    model.pod_facts.push_back(pod.facts);
  }
  if (!strangers.empty()) {
    Diagnostic& warning = model.notes.emplace_back();
    warning.severity = Severity::kWarning;
    warning.code = "unknown-node";
    warning.message = fmt::format("pods are bound to {} nodes that are not in the input, for example {}",
                                  strangers.size(), strangers.begin()->first);
    warning.hint = "give the nodes of the whole cluster: kubectl get nodes,pods -A -o json";
  }
}

// What is unhealthy or not advertised is taken by nobody, after the pods have what they hold.
void ModelReader::hold_unusable(Model& model) {
  for (const UnusableGpus& unusable : unusable_) {
    std::vector<GpuShare> shares;
    const NodeClass& node_class = model.usage.node_class(unusable.node);
    const std::span<const std::int32_t> free_milli = model.usage.free_milli(unusable.node);
    std::int64_t left = unusable.units;
    for (std::size_t i = node_class.gpus.size(); i-- > 0 && left > 0;) {
      for (int units = node_class.gpus[i].mig ? 0 : free_milli[i] / kWholeGpuMilli; units > 0 && left > 0;
           --units, --left) {
        shares.push_back({static_cast<std::uint16_t>(i)});
      }
    }
    if (!shares.empty()) {
      std::ranges::sort(shares, {}, &GpuShare::gpu);
      model.usage.bind(model.usage.add_pod(unusable_class_, unusable_name_), unusable.node, shares);
    }
  }
}

}  // namespace gpusched::io
