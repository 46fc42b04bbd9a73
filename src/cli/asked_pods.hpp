#pragma once

#include <map>
#include <string>

#include "cli/inputs.hpp"
#include "gpusched/explain/workload.hpp"
#include "gpusched/io/scheduler_input.hpp"

namespace gpusched::cli {

/// A cluster as the scheduler sees it, and the pods that are asked about.
struct Question {
  io::SchedulerInput input;
  std::vector<objects::Pod> pods;
  /// By pod: the first one that the scheduler cannot tell from it, which may be itself.
  std::vector<std::size_t> same_as;
  std::map<std::string, std::string> groups;        ///< the PodGroup of "namespace/name", where a pod is of one
  bool several = false;                             ///< the answer is a list, be it of one
  std::vector<explain::Finding> start;              ///< of one pod that has its node: why it does not run there
  std::vector<explain::Finding> missing_pods;       ///< with all Pending pods: workloads that have too few
  std::optional<explain::WorkloadAnswer> workload;  ///< with --workload, whose Pending pods are asked about
  std::vector<std::int32_t> allowed_disruptions;    ///< by PodDisruptionBudget of the cluster
  Diagnostics notes;
};

/// Whether the question is about the dump's own Pending pods: --all-pending, --verify.
[[nodiscard]] bool asks_all_pending(const Arguments& arguments);

/// Reads CLUSTER, --nodes, --pods and --objects, and finds what --pod or --all-pending names. --pod is a file when it
/// is "-", ends like one or exists; else a name in the dump: "namespace/name", or a name in the namespace of -n.
[[nodiscard]] Result<Question> read_question(const Arguments& arguments, Inputs& inputs);

}  // namespace gpusched::cli
