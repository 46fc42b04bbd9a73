#include "gpusched/frag/holders.hpp"

#include <algorithm>
#include <tuple>

namespace gpusched::frag {

namespace {

void add_shares(const ClusterUsage& usage, PodId pod, Holder& holder) {
  const ClusterShape& shape = usage.shape();
  const NodeClass& node_class = usage.node_class(usage.node_of(pod));
  for (const GpuShare& share : usage.shares(pod)) {
    if (share.instance != GpuShare::kNoInstance) {
      ++holder.mig[std::string(shape.text(node_class.instances[share.instance].profile))];
    } else if (node_class.gpus[share.gpu].replicas > 1) {
      ++holder.replicas;
    } else {
      holder.gpu_milli += share.milli;
    }
  }
}

std::int64_t instances(const Holder& holder) {
  std::int64_t sum = 0;
  for (const auto& [profile, count] : holder.mig) {
    sum += count;
  }
  return sum;
}

}  // namespace

std::vector<Holder> holders_by(const ClusterUsage& usage, std::span<const PodOwner> owners) {
  const ClusterShape& shape = usage.shape();
  std::map<std::string, Holder, std::less<>> groups;
  for (std::size_t i = 0; i < usage.pod_count(); ++i) {
    const PodId pod{i};
    if (!usage.node_of(pod).valid() || usage.shares(pod).empty()) {
      continue;
    }
    const PodOwner owner = i < owners.size() ? owners[i] : PodOwner{};
    if (!owner.asked) {
      continue;
    }
    const std::string name(owner.group.valid() ? shape.text(owner.group) : std::string_view("(none)"));
    Holder& holder = groups.try_emplace(name).first->second;
    ++holder.pods;
    add_shares(usage, pod, holder);
    if (owner.since.valid() && (holder.since.empty() || shape.text(owner.since) < holder.since)) {
      holder.since = shape.text(owner.since);
    }
  }
  std::vector<Holder> result;
  for (auto& [name, holder] : groups) {
    holder.name = name;
    result.push_back(std::move(holder));
  }
  std::ranges::stable_sort(result, std::greater{}, [](const Holder& holder) {
    return std::tuple(holder.gpu_milli, holder.replicas, instances(holder));
  });
  return result;
}

}  // namespace gpusched::frag
