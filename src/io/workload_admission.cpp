#include <fmt/format.h>

#include <utility>
#include <vector>

#include "gpusched/io/workloads.hpp"
#include "gpusched/objects/pod_defaults.hpp"
#include "gpusched/objects/pod_validation.hpp"

namespace gpusched::io {

Diagnostics admit_pods(ClusterDump& dump) {
  Diagnostics errors;
  std::vector<bool> admitted(dump.pod_specs.size());
  for (const PodRecord& record : dump.pods) {
    if (admitted[record.spec]) {
      continue;
    }
    admitted[record.spec] = true;
    objects::Pod pod;
    pod.spec = std::move(dump.pod_specs[record.spec]);
    objects::set_defaults(pod);
    for (std::string& message : objects::extended_resource_errors(pod)) {
      Diagnostic& error = errors.emplace_back();
      error.code = "invalid-pod";
      error.message = std::move(message);
      error.source = dump.sources[record.place.source];
      error.object = fmt::format("pod {}", record.full_name());
    }
    dump.pod_specs[record.spec] = std::move(pod.spec);
  }
  return errors;
}

}  // namespace gpusched::io
