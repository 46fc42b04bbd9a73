#include "cli/gang_kueue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/answer.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/io/kueue_objects.hpp"
#include "gpusched/kueue/admission.hpp"
#include "gpusched/objects/meta.hpp"
#include "gpusched/report/admission.hpp"

namespace gpusched::cli {

namespace {

struct Question {
  objects::KueueObjects objects;
  objects::KueueConfiguration configuration;
  std::vector<objects::KueueEvent> events;
  std::int64_t start = 0;
  Diagnostics notes;
};

Result<objects::KueueObjects> read_objects(Inputs& inputs, const std::string& name_space, Diagnostics& notes) {
  Result<io::ClusterInput> input = inputs.cluster_input({"CLUSTER", "JOBS", "nodes", "pods", "objects"});
  if (!input) {
    return std::unexpected(std::move(input.error()));
  }
  if (!input->fixtures.empty()) {
    return not_kubernetes(
        input->fixtures.front(),
        "mode kueue: kubectl get clusterqueues,localqueues,resourceflavors,workloads -A -o json writes what is needed");
  }
  io::KueueInputReader reader(name_space);
  reader.add(input->dump);
  reader.add_jobs(input->dump);
  Result<objects::KueueObjects> objects = std::move(reader).finish();
  std::ranges::move(reader.take_warnings(), std::back_inserter(notes));
  if (objects && objects->workloads.empty() && objects->cluster_queues.empty() && objects->cohorts.empty() &&
      objects->local_queues.empty() && objects->flavors.empty() && objects->topologies.empty() &&
      objects->admission_checks.empty()) {
    return bad_usage("no object of Kueue in the input",
                     "kubectl get clusterqueues,localqueues,resourceflavors,workloads -A -o json writes them");
  }
  return objects;
}

/// The newest time that a Workload knows of.
std::int64_t newest_time(const objects::KueueObjects& objects) {
  std::optional<objects::Timestamp> newest;
  for (const objects::Workload& workload : objects.workloads) {
    newest = std::max(newest, workload.meta.creation_timestamp);
    for (const objects::Condition& condition : workload.conditions) {
      newest = std::max(newest, condition.last_transition);
    }
  }
  constexpr std::int64_t kYear2030 = 1'893'456'000;
  return newest ? newest->seconds : kYear2030;
}

Result<Question> read_question(const Arguments& arguments, Inputs& inputs) {
  const std::string name_space = arguments.has("namespace") ? std::string(arguments.get("namespace")) : "default";
  Question question;
  Result<objects::KueueObjects> objects = read_objects(inputs, name_space, question.notes);
  if (!objects) {
    return std::unexpected(std::move(objects.error()));
  }
  question.objects = *std::move(objects);
  if (arguments.has("kueue-config")) {
    const Result<std::vector<io::Document>> documents = inputs.documents("kueue-config");
    if (!documents) {
      return std::unexpected(documents.error());
    }
    Result<objects::KueueConfiguration> configuration = io::read_kueue_configuration(documents->front());
    if (!configuration) {
      return std::unexpected(std::move(configuration.error()));
    }
    question.configuration = *std::move(configuration);
  }
  if (arguments.has("events")) {
    const Result<std::vector<io::Document>> documents = inputs.documents("events");
    if (!documents) {
      return std::unexpected(documents.error());
    }
    Result<std::vector<objects::KueueEvent>> events = io::read_kueue_events(*documents, name_space);
    if (!events) {
      return std::unexpected(std::move(events.error()));
    }
    question.events = *std::move(events);
  }
  question.start = newest_time(question.objects);
  if (arguments.has("clock")) {
    const auto clock = objects::parse_timestamp(arguments.get("clock"));
    if (!clock) {
      return bad_usage(fmt::format("--clock takes a time, not {}", quote(arguments.get("clock"))),
                       "for example 2030-01-01T00:00:00Z");
    }
    question.start = clock->seconds;
  }
  return question;
}

}  // namespace

int run_kueue(const Arguments& arguments, Terminal& terminal) {
  Inputs inputs(arguments);
  const Result<Question> question = read_question(arguments, inputs);
  if (!question) {
    return cannot_answer(question.error(), terminal);
  }
  report_notes(question->notes, arguments, terminal);
  const Result<kueue::AdmissionAnswer> admission =
      kueue::simulate_admission(question->objects, question->configuration, question->start, question->events);
  if (!admission) {
    return cannot_answer(admission.error(), terminal);
  }
  return answer(report::admission_report(*admission), arguments, terminal, admission->pending.empty() ? kYes : kNo);
}

}  // namespace gpusched::cli
