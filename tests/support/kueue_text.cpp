#include "support/kueue_text.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "gpusched/base/text.hpp"
#include "gpusched/io/document.hpp"
#include "gpusched/io/kueue_objects.hpp"

namespace gpusched::test {

namespace {
constexpr std::int64_t kYear2030 = 1'893'456'000;
}

objects::KueueObjects kueue_objects(const std::string& yaml) {
  objects::KueueObjects objects;
  const auto documents = io::parse_documents({"test.yaml", yaml});
  REQUIRE(documents);
  for (const io::Document& document : *documents) {
    io::Decoder decoder(document);
    REQUIRE(io::decode_kueue_object(decoder, document.root, objects));
    CHECK(decoder.take_diagnostics().empty());
  }
  return objects;
}

std::vector<objects::KueueEvent> kueue_events(const std::string& yaml) {
  const auto documents = io::parse_documents({"events.yaml", yaml});
  REQUIRE(documents);
  auto events = io::read_kueue_events(*documents, "ml");
  REQUIRE(events);
  return *std::move(events);
}

std::string gpu_queue(std::string_view name, int gpus, std::string_view more, std::string_view limits) {
  return fmt::format(R"(
---
{{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {{name: {0}}}, spec: {{namespaceSelector: {{}}{2},
  resourceGroups: [{{coveredResources: [nvidia.com/gpu], flavors: [{{name: a100, resources: [
  {{name: nvidia.com/gpu, nominalQuota: {1}{3}}}]}}]}}]}}}}
---
{{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {{name: lq-{0}, namespace: ml}},
  spec: {{clusterQueue: {0}}}}}
)",
                     name, gpus, more, limits);
}

std::string gpu_workload(std::string_view name, std::string_view queue, int count, int gpus, int priority, int age,
                         std::string_view more) {
  constexpr int kMinute = 60;
  return fmt::format(R"(
---
{{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {{name: {0}, namespace: ml, uid: uid-{0},
  creationTimestamp: "2030-01-01T00:{5:02}:{6:02}Z"}}, spec: {{queueName: lq-{1}, priority: {4}, podSets: [
  {{name: main, count: {2}{7}, template: {{spec: {{containers: [{{name: c, resources: {{requests: {{nvidia.com/gpu: {3}
  }}}}}}]}}}}}}]}}}}
)",
                     name, queue, count, gpus, priority, age / kMinute, age % kMinute, more);
}

kueue::AdmissionAnswer admit(const objects::KueueObjects& objects, const objects::KueueConfiguration& configuration,
                             const std::vector<objects::KueueEvent>& events) {
  auto answer = kueue::simulate_admission(objects, configuration, kYear2030, events);
  REQUIRE(answer);
  return *std::move(answer);
}

std::string admitted_names(const kueue::AdmissionAnswer& answer) {
  std::vector<std::string> names;
  for (const kueue::AdmittedWorkload& workload : answer.admitted) {
    names.push_back(workload.workload.substr(workload.workload.find('/') + 1));
  }
  return join(names, " ");
}

std::string message_of(const kueue::AdmissionAnswer& answer, std::string_view name) {
  for (const kueue::PendingWorkload& workload : answer.pending) {
    if (workload.workload == fmt::format("ml/{}", name)) {
      return workload.message;
    }
  }
  return "not pending";
}

}  // namespace gpusched::test
