#pragma once

#include "cli/inputs.hpp"
#include "gpusched/io/scheduler_input.hpp"

namespace gpusched::cli {

/// A cluster as the scheduler sees it, and the pods that are asked about.
struct Question {
  io::SchedulerInput input;
  std::vector<objects::Pod> pods;
  bool several = false;  ///< the answer is a list, be it of one
  Diagnostics notes;
};

/// Reads CLUSTER, --nodes, --pods and --objects, and finds what --pod or --all-pending names. --pod is a file when it
/// is "-", ends like one or exists; else a name in the dump: "namespace/name", or a name in the namespace of -n.
[[nodiscard]] Result<Question> read_question(const Arguments& arguments, Inputs& inputs);

}  // namespace gpusched::cli
