#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/io/cluster_dump.hpp"
#include "gpusched/objects/cluster_objects.hpp"
#include "gpusched/objects/pod.hpp"
#include "gpusched/objects/pod_policy.hpp"
#include "gpusched/objects/resource_claim.hpp"

namespace gpusched::io {

/// A cluster as kube-scheduler's informers hold it, and what else stands in a dump.
struct SchedulerInput {
  objects::ClusterObjects cluster;
  std::vector<objects::ResourceClaimTemplate> claim_templates;
  std::vector<objects::LimitRange> limit_ranges;
  std::vector<objects::RuntimeClass> runtime_classes;
  std::vector<objects::ResourceQuota> resource_quotas;  ///< with what pods from files add to their usage
  std::map<std::string, std::size_t> kinds;             ///< how many objects of each kind there were
  std::map<std::string, std::size_t> other_kinds;       ///< those of them that nothing reads
  Diagnostics warnings;                                 ///< about objects that are legal and seldom meant
};

/// Gathers the nodes, the pods that are not finished and all other objects of dumps. Objects without a namespace that
/// belong into one get `default_namespace`, as kubectl apply -n does it.
class SchedulerInputReader {
 public:
  explicit SchedulerInputReader(std::string_view default_namespace) : default_namespace_(default_namespace) {}

  void add(const ClusterDump& dump);
  /// All but nodes and pods: what stands beside a pod that is asked about.
  void add_others(const ClusterDump& dump);
  /// Errors: those of decoding, and a second object of one kind and name ("duplicate-object"); all that there are.
  [[nodiscard]] Result<SchedulerInput> finish() &&;

 private:
  std::string default_namespace_;
  SchedulerInput input_;
  std::map<std::string, std::string> places_;  // source by "Kind ns/name"
  Diagnostics diagnostics_;
};

/// The pod of a record. Of its owners the one that a record knows is kept.
[[nodiscard]] objects::Pod to_pod(const ClusterDump& dump, const PodRecord& record, std::string_view default_namespace);

/// Makes of a pod from a file what the API server would store: defaults, the default admission plugins with the
/// LimitRanges, RuntimeClasses and ResourceQuotas of the input, and a claim in `input` for each template that the pod
/// names, as the claim controller would make it. A pod that was stored before keeps what it has. Errors, in the API
/// server's words ("invalid-pod", "forbidden-pod"): what it would refuse.
[[nodiscard]] Result<objects::Pod> store_pod(objects::Pod pod, SchedulerInput& input);

/// Warnings about kinds that the pod depends on and that are wholly absent, so that they count as empty.
[[nodiscard]] Diagnostics absent_kinds(const SchedulerInput& input, std::span<const objects::Pod> pods);

}  // namespace gpusched::io
