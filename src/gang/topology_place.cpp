#include "gang/topology_place.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace gpusched::gang {

namespace {

/// The nodes of each domain, by the label's value and then by name.
using Domains = std::map<std::string_view, std::vector<NodeId>>;

Domains domains_of(const ClusterShape& shape, StringId key) {
  Domains domains;
  for (const NodeId node : shape.nodes_by_name) {
    const NodeClass& node_class = shape.node_classes[shape.nodes[node.index()].node_class.index()];
    for (const auto& [label, value] : shape.label_sets[node_class.labels.index()]) {
      if (label == key) {
        domains[shape.text(value)].push_back(node);
      }
    }
  }
  return domains;
}

class DomainPlacer {
 public:
  DomainPlacer(placement::Placer& placer, const Job& job, std::span<const Job> jobs, std::span<const JobId> job_of_pod)
      : placer_(placer), job_(job), jobs_(jobs), job_of_pod_(job_of_pod) {}

  bool place(PodId first_pod) {
    ClusterUsage& usage = placer_.usage();
    const ClusterUsage::Mark mark = usage.mark();
    const Domains domains = domains_of(usage.shape(), job_.topology.key);
    std::size_t pod = first_pod.index();
    if (!job_.topology.exclusive) {
      std::size_t count = 0;
      for (const PodSet& set : job_.pod_sets) {
        count += static_cast<std::size_t>(set.count);
      }
      return place_group(domains, pod, count, mark);
    }
    for (const PodSet& set : job_.pod_sets) {
      if (!place_group(domains, pod, static_cast<std::size_t>(set.count), usage.mark())) {
        usage.revert(mark);
        return false;
      }
      pod += static_cast<std::size_t>(set.count);
    }
    return true;
  }

 private:
  bool place_group(const Domains& domains, std::size_t first, std::size_t count, ClusterUsage::Mark mark) {
    ClusterUsage& usage = placer_.usage();
    for (const auto& [value, nodes] : domains) {
      if (taken_.contains(value) || (job_.topology.exclusive && has_exclusive_pods(nodes))) {
        continue;
      }
      std::size_t placed = 0;
      while (placed < count && place_on_one_of(PodId{first + placed}, nodes)) {
        ++placed;
      }
      if (placed == count) {
        if (job_.topology.exclusive) {
          taken_.insert(value);
        }
        return true;
      }
      usage.revert(mark);
    }
    return false;
  }

  bool place_on_one_of(PodId pod, std::span<const NodeId> nodes) {
    const ClusterUsage& usage = placer_.usage();
    const placement::NodeFilter& filter = placer_.filter(usage.pod_class_id(pod));
    NodeId best;
    std::uint64_t best_key = 0;
    for (const NodeId node : nodes) {
      const placement::Verdict verdict = filter.evaluate(usage, node);
      if (verdict.reason.kind == placement::ReasonKind::kFits && (!best.valid() || verdict.key < best_key)) {
        best = node;
        best_key = verdict.key;
      }
    }
    if (best.valid()) {
      placer_.place_on(pod, best);
    }
    return best.valid();
  }

  /// Whether a pod of another exclusive job with the same key is in the domain.
  bool has_exclusive_pods(std::span<const NodeId> nodes) const {
    const ClusterUsage& usage = placer_.usage();
    return std::ranges::any_of(nodes, [&](NodeId node) {
      for (PodId pod = usage.first_pod(node); pod.valid(); pod = usage.next_pod(pod)) {
        const JobId owner = job_of_pod_[pod.index()];
        if (owner.valid() && &jobs_[owner.index()] != &job_ && jobs_[owner.index()].topology == job_.topology) {
          return true;
        }
      }
      return false;
    });
  }

  placement::Placer& placer_;
  const Job& job_;
  std::span<const Job> jobs_;
  std::span<const JobId> job_of_pod_;
  std::set<std::string_view> taken_;  // by earlier pod sets of this job
};

}  // namespace

bool place_in_domains(placement::Placer& placer, const Job& job, PodId first_pod, std::span<const Job> jobs,
                      std::span<const JobId> job_of_pod) {
  return DomainPlacer(placer, job, jobs, job_of_pod).place(first_pod);
}

}  // namespace gpusched::gang
