#pragma once

#include <string>
#include <string_view>

#include "gpusched/kueue/admission.hpp"

/// Kueue objects of tests, written as YAML documents.
namespace gpusched::test {

[[nodiscard]] objects::KueueObjects kueue_objects(const std::string& yaml);
/// Events, also as YAML documents.
[[nodiscard]] std::vector<objects::KueueEvent> kueue_events(const std::string& yaml);

/// A ClusterQueue with one flavor "a100" of GPUs, and the LocalQueue "lq-<name>" in the namespace "ml". `more` is added
/// to its spec, `limits` to its quota: ", borrowingLimit: 2".
[[nodiscard]] std::string gpu_queue(std::string_view name, int gpus, std::string_view more = {},
                                    std::string_view limits = {});
/// A Workload "ml/<name>" of `count` pods with `gpus` GPUs each; created `age` seconds after the start of 2030.
[[nodiscard]] std::string gpu_workload(std::string_view name, std::string_view queue, int count, int gpus,
                                       int priority = 0, int age = 0, std::string_view more = {});
inline constexpr std::string_view kGpuFlavor = R"(
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: a100}}
)";

/// The answer after all events, which must be possible.
[[nodiscard]] kueue::AdmissionAnswer admit(const objects::KueueObjects& objects,
                                           const objects::KueueConfiguration& configuration = {},
                                           const std::vector<objects::KueueEvent>& events = {});

/// "w1 w2" of the admitted ones, by name and without "ml/".
[[nodiscard]] std::string admitted_names(const kueue::AdmissionAnswer& answer);
/// The message of a pending Workload of "ml"; "not pending" when it is not.
[[nodiscard]] std::string message_of(const kueue::AdmissionAnswer& answer, std::string_view name);

}  // namespace gpusched::test
