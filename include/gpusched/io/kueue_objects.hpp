#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpusched/io/cluster_dump.hpp"
#include "gpusched/io/decode.hpp"
#include "gpusched/objects/kueue_input.hpp"

/// Kueue's objects as `kubectl get -o json|yaml` prints them, v1beta1 and v1beta2. Keys that admission does not read
/// are skipped; wrong types, unreadable quantities and words that the API does not know are errors of the decoder.
/// Absent members stay absent: nothing is defaulted.
namespace gpusched::io {

[[nodiscard]] objects::ResourceFlavor decode_resource_flavor(Decoder& decoder, const Value& value);
[[nodiscard]] objects::ClusterQueue decode_cluster_queue(Decoder& decoder, const Value& value);
[[nodiscard]] objects::Cohort decode_cohort(Decoder& decoder, const Value& value);
[[nodiscard]] objects::LocalQueue decode_local_queue(Decoder& decoder, const Value& value);
[[nodiscard]] objects::Topology decode_topology(Decoder& decoder, const Value& value);
[[nodiscard]] objects::AdmissionCheck decode_admission_check(Decoder& decoder, const Value& value);
[[nodiscard]] objects::WorkloadPriorityClass decode_workload_priority_class(Decoder& decoder, const Value& value);
[[nodiscard]] objects::Workload decode_workload(Decoder& decoder, const Value& value);

/// Puts one object into the lists by its kind and group; whether anything of Kueue's reads it.
bool decode_kueue_object(Decoder& decoder, const Value& value, objects::KueueObjects& objects);

/// Gathers what Kueue watches from dumps. Objects without a namespace that belong into one get `default_namespace`.
class KueueInputReader {
 public:
  explicit KueueInputReader(std::string_view default_namespace) : default_namespace_(default_namespace) {}

  void add(const ClusterDump& dump);
  /// Workloads for the dump's jobs, pods and pod groups with a queue label that have none (kueue v0.17.0,
  /// pkg/controller/jobs): what Kueue would make of a file that is not applied yet. Their names are "job-train",
  /// without the hash of the job's uid.
  void add_jobs(const ClusterDump& dump);
  /// Errors: those of decoding, and a second object of one kind and name ("duplicate-object"); all that there are.
  [[nodiscard]] Result<objects::KueueObjects> finish() &&;
  /// After finish: about objects that are legal and do not do what they seem to.
  [[nodiscard]] Diagnostics take_warnings() { return std::exchange(diagnostics_, {}); }

 private:
  std::string default_namespace_;
  objects::KueueObjects objects_;
  std::vector<objects::Workload> of_jobs_;
  std::map<std::string, std::string> seen_;  // source by "Kind ns/name"
  Diagnostics diagnostics_;
};

/// Kueue's Configuration (config.kueue.x-k8s.io/v1beta1 or v1beta2, alone or in a ConfigMap's
/// controller_manager_config.yaml). What admission does not read is skipped.
[[nodiscard]] Result<objects::KueueConfiguration> read_kueue_configuration(const Document& document);

/// Events of `--events`: every document is one event, a list of events, or an object with a list `events` (`steps`).
[[nodiscard]] Result<std::vector<objects::KueueEvent>> read_kueue_events(const std::vector<Document>& documents,
                                                                         std::string_view default_namespace);

}  // namespace gpusched::io
