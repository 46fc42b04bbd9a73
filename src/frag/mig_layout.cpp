#include "gpusched/frag/mig_layout.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "gpusched/model/gpu_content.hpp"

namespace gpusched::frag {

namespace {

std::vector<CreationAnswer> creations(const mig::Board& board, std::span<const mig::LayoutEntry> entries) {
  std::vector<mig::ProfileIndex> list;
  for (const mig::LayoutEntry& entry : entries) {
    if (entry.start) {
      return {};
    }
    list.push_back(entry.profile);
  }
  std::vector<CreationAnswer> answers;
  if (list.size() > 1) {
    for (const mig::StartRule rule : {mig::StartRule::kLowest, mig::StartRule::kKeepLargest}) {
      answers.push_back({rule, create_in_order(board, list, rule), creation_orders(board, list, rule)});
    }
  }
  return answers;
}

}  // namespace

MigLayoutAnswer mig_layout(const mig::Board& board, mig::WantedLayout wanted) {
  MigLayoutAnswer answer;
  answer.board = &board;
  answer.wanted = std::move(wanted);
  auto layout = mig::place_layout(board, answer.wanted.entries);
  if (!layout) {
    answer.refused = std::move(layout.error());
    return answer;
  }
  answer.layout = *std::move(layout);
  const mig::Occupancy occupancy(board, answer.layout);
  answer.compute_slices = occupancy.compute_slices();
  answer.memory_slices = static_cast<std::uint32_t>(std::popcount(occupancy.memory_mask()));
  if (answer.wanted.mig_enabled) {
    answer.could_add = mig::could_add(board, answer.layout);
  }
  answer.created = creations(board, answer.wanted.entries);
  mig::PluginGpu gpu{&board, answer.wanted.mig_enabled, {}};
  for (const mig::Instance& instance : answer.layout) {
    gpu.instances.push_back(instance.profile);
  }
  answer.mixed = mig::advertised({&gpu, 1}, mig::Strategy::kMixed).value_or(mig::PluginResources{});
  answer.single = mig::advertised({&gpu, 1}, mig::Strategy::kSingle);
  return answer;
}

void add_gpu(MigLayoutAnswer& answer, const ClusterUsage& usage, NodeId node, std::uint16_t gpu) {
  const NodeClass& node_class = usage.node_class(node);
  const std::span<const PodId> instance_holders = usage.instance_holders(node);
  GpuRepartition result;
  result.node = node;
  result.gpu = gpu;
  result.mode_changes = node_class.gpus[gpu].mig != answer.wanted.mig_enabled;
  std::vector<mig::HeldInstance> held;
  result.current = instances_of(node_class, gpu);
  for (const std::uint16_t i : result.current) {
    const MigInstance& instance = node_class.instances[i];
    held.push_back({{instance.mig_profile, instance.start}, instance_holders[i].valid()});
  }
  auto plan = mig::plan_repartition(*answer.board, held, answer.wanted.entries);
  if (!plan) {
    return;
  }
  result.plan = *std::move(plan);
  const std::vector<PodId> all = holders_of(usage, node, gpu);
  if (result.mode_changes) {
    result.drain = all;
    result.manager_drain = all;
  } else {
    for (const std::size_t i : result.plan.drained) {
      result.drain.push_back(instance_holders[result.current[i]]);
    }
    std::ranges::sort(result.drain);
    result.drain.erase(std::ranges::unique(result.drain).begin(), result.drain.end());
    if (!mig::same_profiles(held, result.plan.layout)) {
      result.manager_drain = all;
    }
  }
  answer.gpus.push_back(std::move(result));
}

}  // namespace gpusched::frag
