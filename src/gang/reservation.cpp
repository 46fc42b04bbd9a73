#include "gang/reservation.hpp"

#include <algorithm>
#include <numeric>

#include "gang/simulation.hpp"
#include "gpusched/model/instance_units.hpp"

namespace gpusched::gang {

Reservation::Reservation(Simulation& simulation) : simulation_(simulation) {
  const std::size_t nodes = simulation.usage().shape().nodes.size();
  for (std::size_t i = 0; i < nodes; ++i) {
    free_.push_back(free_on(NodeId{i}));
  }
  eligible_.resize(nodes);
  read_ = simulation.usage().touched().size();
}

std::int64_t Reservation::free_on(NodeId node) const {
  const ClusterUsage& usage = simulation_.usage();
  const NodeClass& node_class = usage.node_class(node);
  if (node_class.gpus.empty()) {
    const std::int64_t units = node_class.allocatable[kNvidiaGpu.index()] - usage.used(node, kNvidiaGpu);
    return std::max<std::int64_t>(0, units) * kWholeGpuMilli;
  }
  std::int64_t milli = std::int64_t{free_instances(usage, node, kNvidiaGpu)} * kWholeGpuMilli;
  const std::span<const std::int32_t> free_milli = usage.free_milli(node);
  for (std::size_t i = 0; i < free_milli.size(); ++i) {
    milli += node_class.gpus[i].mig ? 0 : std::max(free_milli[i], 0);
  }
  return milli;
}

void Reservation::read_changes() {
  const std::span<const NodeId> touched = simulation_.usage().touched();
  for (const NodeId node : touched.subspan(read_)) {
    free_[node.index()] = free_on(node);
  }
  read_ = touched.size();
}

void Reservation::change(NodeId node, std::int64_t milli) {
  std::int64_t& spare = spare_[node.index()];
  if (pod_milli_ > 0 && eligible_[node.index()]) {
    pods_that_fit_ += (spare + milli) / pod_milli_ - spare / pod_milli_;
  }
  spare += milli;
}

bool Reservation::fits(const Job& job) {
  if (pod_milli_ > 0) {
    return pods_that_fit_ >= (job.min_pods > 0 ? job.min_pods : job.pod_sets.front().count);
  }
  std::vector<std::int64_t> before = spare_;
  const bool placed = place_on_spare(job);
  spare_ = std::move(before);
  return placed;
}

// Each pod on the node that it leaves the least of.
bool Reservation::place_on_spare(const Job& job) {
  const ClusterShape& shape = simulation_.usage().shape();
  for (const PodSet& set : job.pod_sets) {
    const std::int64_t milli = gpu_milli(shape.pod_classes[set.pod_class.index()]);
    for (std::int32_t n = 0; n < set.count; ++n) {
      std::size_t best = spare_.size();
      for (std::size_t i = 0; i < spare_.size(); ++i) {
        if (eligible_[i] && spare_[i] >= milli && (best == spare_.size() || spare_[i] < spare_[best])) {
          best = i;
        }
      }
      if (best == spare_.size()) {
        return false;
      }
      spare_[best] -= milli;
    }
  }
  return true;
}

void Reservation::make(JobId head) {
  read_changes();
  const ClusterUsage& usage = simulation_.usage();
  const Job& job = simulation_.job(head);
  const PodSet& first = job.pod_sets.front();
  const placement::NodeFilter& filter = simulation_.placer().filter(first.pod_class);
  spare_ = free_;
  pod_milli_ = job.pod_sets.size() == 1 ? gpu_milli(usage.shape().pod_classes[first.pod_class.index()]) : 0;
  pods_that_fit_ = 0;
  for (std::size_t i = 0; i < spare_.size(); ++i) {
    const NodeId node{i};
    eligible_[i] = filter.class_reason(usage.node_class_id(node)).kind == placement::ReasonKind::kFits;
    pods_that_fit_ += pod_milli_ > 0 && eligible_[i] ? spare_[i] / pod_milli_ : 0;
  }
  start_ms_.reset();
  for (const auto& [end, running] : simulation_.running()) {
    if (start_ms_ && end > *start_ms_) {
      break;  // everything that ends at that time is free then
    }
    for (const auto& [node, milli] : simulation_.milli_by_node(running)) {
      change(node, milli);
    }
    if (!start_ms_ && fits(job)) {
      start_ms_ = end;
    }
  }
  if (start_ms_) {
    static_cast<void>(place_on_spare(job));
  }
  spare_total_ = std::accumulate(spare_.begin(), spare_.end(), std::int64_t{0});
}

bool Reservation::take(std::span<const std::pair<NodeId, std::int64_t>> milli_by_node) {
  if (std::ranges::any_of(milli_by_node, [&](const auto& part) { return part.second > spare_[part.first.index()]; })) {
    return false;
  }
  for (const auto& [node, milli] : milli_by_node) {
    spare_[node.index()] -= milli;
    spare_total_ -= milli;
  }
  return true;
}

}  // namespace gpusched::gang
