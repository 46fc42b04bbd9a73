#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "io/dump_model.hpp"
#include "io/dump_remarks.hpp"

// Which GPUs the bound pods of a dump hold: the dump tells how many, so the lowest free ones stand for them.
namespace gpusched::io {

namespace {

/// Which GPUs the exporter saw a pod on, by node and pod; whole GPUs only, an instance id is not a place in a layout.
class SeenGpus {
 public:
  explicit SeenGpus(std::span<const GpuUse> uses) {
    for (const GpuUse& use : uses) {
      if (!use.pod.empty() && use.gpu >= 0 && use.mig_instance < 0) {
        gpus_[fmt::format("{} {}/{}", use.node, use.namespace_name, use.pod)].push_back(
            static_cast<std::uint16_t>(use.gpu));
      }
    }
  }
  [[nodiscard]] std::span<const std::uint16_t> find(std::string_view node, std::string_view pod) const {
    const auto found = gpus_.empty() ? gpus_.end() : gpus_.find(fmt::format("{} {}", node, pod));
    return found == gpus_.end() ? std::span<const std::uint16_t>() : found->second;
  }

 private:
  std::map<std::string, std::vector<std::uint16_t>> gpus_;
};

/// The GPUs that were seen, when there are as many as the pod asks for and all of them are free. MIG instances are not
/// seen.
std::optional<std::vector<GpuShare>> seen_shares(const ClusterUsage& usage, NodeId node, const PodClass& pod,
                                                 std::span<const std::uint16_t> seen) {
  if (!pod.mig.empty()) {
    return std::nullopt;
  }
  const std::span<const std::int32_t> free_milli = usage.free_milli(node);
  std::vector<GpuShare> shares;
  for (const std::uint16_t gpu : seen) {
    if (gpu >= free_milli.size() || free_milli[gpu] < kWholeGpuMilli) {
      return std::nullopt;
    }
    shares.push_back({gpu});
  }
  std::ranges::sort(shares, {}, &GpuShare::gpu);
  const bool twice = std::ranges::adjacent_find(shares, {}, &GpuShare::gpu) != shares.end();
  return twice || std::ssize(shares) != pod.gpus ? std::nullopt : std::optional(std::move(shares));
}

/// GPUs that claims hold; of one in MIG mode the first instance that is free, as a claim names no place in a layout.
std::vector<GpuShare> claimed_shares(const ClusterUsage& usage, NodeId node, std::span<const std::uint16_t> gpus) {
  std::vector<GpuShare> shares;
  const NodeClass& node_class = usage.node_class(node);
  const std::span<const PodId> holders = usage.instance_holders(node);
  std::vector<bool> taken(holders.size());
  for (const std::uint16_t gpu : gpus) {
    if (!node_class.gpus[gpu].mig) {
      if (usage.free_milli(node)[gpu] >= kWholeGpuMilli) {
        shares.push_back({gpu});
      }
      continue;
    }
    for (std::uint16_t i = 0; i < holders.size(); ++i) {
      if (node_class.instances[i].gpu == gpu && !holders[i].valid() && !taken[i]) {
        taken[i] = true;
        shares.push_back({gpu, i, 0, 0});
        break;
      }
    }
  }
  return shares;
}

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

void ModelReader::read_dump(ClusterDump dump) {
  Diagnostics remarks = dump_remarks(dump);
  notes_.insert(notes_.begin(), std::make_move_iterator(remarks.begin()), std::make_move_iterator(remarks.end()));
  DumpModel reader(*this, dump);
  reader.read_bound_pods();
  if (options_.budgets) {
    reader.read_budgets();
  }
  dump.pods.clear();  // read, and in a large cluster half of the memory
  reader.read_nodes();
  reader.read_claims();
  std::ranges::move(dump.warnings, std::back_inserter(notes_));
}

void ModelReader::read_pending(const ClusterDump& dump) {
  read_groups(dump);
  DumpModel(*this, dump).read_pending_pods();
}

void ModelReader::hold_claimed(Model& model) {
  for (const ClaimedGpus& claimed : claimed_) {
    const std::vector<GpuShare> shares = claimed_shares(model.usage, claimed.node, claimed.gpus);
    const PodId pod = model.usage.add_pod(unusable_class_, claimed.name);
    model.usage.bind(pod, claimed.node, shares);
    model.pod_facts.resize(pod.index());
    model.pod_facts.push_back({claimed.name_space, claimed.name, {}, PodControl::kPlaceholder, {}});
  }
}

/// Devices that several pods use are not one pod's to give back.
void ModelReader::share_claims(Model& model, PodId first_holder) {
  for (std::size_t i = 0; i < claimed_.size(); ++i) {
    SharedClaim shared{PodId{first_holder.index() + i}, {}};
    for (const std::size_t user : claimed_[i].users) {
      const PodId pod = bound_[user].id;
      if (pod.valid()) {
        model.pod_facts[pod.index()].shares_claim = true;
      }
      shared.users.push_back(pod);
    }
    if (!shared.users.empty() && std::ranges::all_of(shared.users, &PodId::valid)) {
      model.shared_claims.push_back(std::move(shared));
    }
  }
}

void ModelReader::bind_dump_pods(Model& model) {
  const ClusterShape& shape = model.usage.shape();
  std::map<std::string, std::size_t> strangers;  // nodes that are not in the input
  const SeenGpus seen(options_.gpu_usage);
  std::set<NodeId> open;  // nodes on which it stays open which GPUs are held
  const auto bind_pod = [&](BoundPod& pod) {
    const std::string_view node_name = shape.text(pod.node);
    const NodeId node = shape.find_node(node_name);
    if (!node.valid()) {
      ++strangers[std::string(node_name)];
      return;
    }
    const PodId id = model.usage.add_pod(pod.pod_class, pod.name);
    pod.id = id;
    const PodClass& pod_class = shape.pod_classes[pod.pod_class.index()];
    const std::vector<GpuShare> claimed = claimed_shares(model.usage, node, pod.claimed);
    auto shares = seen_shares(model.usage, node, pod_class, seen.find(node_name, shape.text(pod.name)));
    if (!shares) {
      shares = assumed_shares(model.usage, node, pod_class);
      if (!shares->empty()) {
        open.insert(node);
      }
    }
    shares->insert(shares->end(), claimed.begin(), claimed.end());
    model.usage.bind(id, node, *shares);
    model.pod_facts.resize(id.index());
    model.pod_facts.push_back(pod.facts);
  };
  // Pods whose GPUs are known first, so that an assumption never takes them away.
  model.usage.reserve_pods(bound_.size() + pods_.size());
  model.pod_facts.reserve(bound_.size() + pods_.size());
  for (const bool known : {true, false}) {
    for (BoundPod& pod : bound_) {
      if (known == (!pod.claimed.empty() || !seen.find(shape.text(pod.node), shape.text(pod.name)).empty())) {
        bind_pod(pod);
      }
    }
  }
  for (const NodeId node : open) {
    model.usage.set_assumed(node);
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
      model.usage.set_assumed(unusable.node);
      std::ranges::sort(shares, {}, &GpuShare::gpu);
      const PodId pod = model.usage.add_pod(unusable_class_, unusable_name_);
      model.usage.bind(pod, unusable.node, shares);
      model.pod_facts.resize(pod.index());
      model.pod_facts.push_back({unusable_name_, unusable_name_, {}, PodControl::kPlaceholder, {}});
    }
  }
}

}  // namespace gpusched::io
