#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "cli/answer.hpp"
#include "cli/command.hpp"
#include "cli/gang_kueue.hpp"
#include "cli/gang_options.hpp"
#include "cli/inputs.hpp"
#include "cli/progress.hpp"
#include "cli/whatif_model.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/report/gang.hpp"

namespace gpusched::cli {

namespace {

constexpr std::array kPositionals = {
    PositionalSpec{"CLUSTER", "cluster file, folder, or - for standard input; left out with --gpus"},
    PositionalSpec{"JOBS", "job file, trace (CSV, SWF), workloads, or -; without it the jobs of the cluster file",
                   true},
};

constexpr std::array kExamples = {
    Example{"the default scheduler: two jobs hold half of the GPUs each, and neither runs",
            "gpusched gang fixtures/gang-cluster.json fixtures/jobs.json --mode pod"},
    Example{"all pods of a job or none", "gpusched gang fixtures/gang-cluster.json fixtures/jobs.json --mode gang"},
    Example{"what partial reservations cost",
            "gpusched gang fixtures/gang-cluster.json fixtures/jobs.json --mode gang --timeout 300"},
    Example{"what Kueue's queues admit, and why the others wait",
            "gpusched gang fixtures/kueue/queues.yaml fixtures/kueue/workloads.yaml --mode kueue"},
    Example{"a trace on 16 nodes with 8 GPUs each, by EASY backfill",
            "gpusched gang --gpus 16x8 fixtures/traces/60_job.csv --mode easy"},
    Example{"what if another node joined",
            "gpusched gang fixtures/gang-cluster.json fixtures/jobs.json --mode pod --add p4d.24xlarge=1"},
};

/// The jobs of a cluster that is large enough; those that are not are dropped or refused.
Result<std::vector<Job>> sized_jobs(const io::Model& model, const Arguments& arguments, const gang::Options& options,
                                    Diagnostics& notes) {
  if (arguments.get("oversized") == "wait") {
    return model.jobs;
  }
  const std::vector<JobId> large = gang::oversized(model.usage, model.jobs, options.placement);
  const ClusterShape& shape = model.usage.shape();
  Diagnostics errors;
  std::vector<Job> jobs;
  std::vector<JobId> new_id(model.jobs.size());
  for (std::size_t i = 0; i < model.jobs.size(); ++i) {
    if (!std::ranges::binary_search(large, JobId{i})) {
      new_id[i] = JobId{jobs.size()};
      jobs.push_back(model.jobs[i]);
      continue;
    }
    const double gpus = static_cast<double>(gang::gpu_milli(shape, model.jobs[i])) / kWholeGpuMilli;
    Diagnostic& error = errors.emplace_back();
    error.code = "oversized-job";
    const auto pods = gang::pod_count(model.jobs[i]);
    error.message = fmt::format("its {} pod{} with {:g} GPU{} in all would not fit the empty cluster", pods,
                                pods == 1 ? "" : "s", gpus, gpus == 1 ? "" : "s");
    error.object = fmt::format("job {}", shape.text(model.jobs[i].name));
    error.hint = "--oversized drop leaves such jobs out, wait keeps them in the queue";
  }
  for (Job& job : jobs) {
    std::vector<JobId> after;
    for (const JobId before : job.after) {
      if (new_id[before.index()].valid()) {
        after.push_back(new_id[before.index()]);
      }
    }
    job.after = std::move(after);
  }
  if (errors.empty()) {
    return jobs;
  }
  if (arguments.get("oversized") == "error") {
    return std::unexpected(std::move(errors));
  }
  Diagnostic& note = notes.emplace_back();
  note.severity = Severity::kWarning;
  note.code = "jobs-left-out";
  note.message = fmt::format("left out {} jobs that would not fit the empty cluster", errors.size());
  return jobs;
}

/// The same jobs without partial holds, when that lets all of them end.
std::optional<report::DeadlockAvoided> avoid(const io::Model& model, std::span<const Job> jobs,
                                             const gang::Options& options, const gang::SimulationResult& stuck) {
  if (!stuck.deadlock && !stuck.livelock) {
    return std::nullopt;
  }
  gang::Options other = options;
  other.mode = gang::Mode::kGang;
  other.timeout_ms = 0;
  other.stays = false;
  other.progress = {};
  const Result<gang::SimulationResult> result = gang::simulate(model.usage, jobs, other);
  if (!result || result->deadlock) {
    return std::nullopt;
  }
  report::DeadlockAvoided avoided;
  avoided.mode = other.mode;
  avoided.makespan_ms = result->makespan_ms();
  avoided.held_gpu_seconds = result->held_gpu_seconds;
  avoided.finished =
      static_cast<std::size_t>(std::ranges::count(result->jobs, gang::JobState::kFinished, &gang::JobOutcome::state));
  return avoided;
}

/// Plays the jobs of the model; `notes` gets what there is to say about them.
Result<Answer> play(const Arguments& arguments, gang::Options options, const io::Model& model, Diagnostics& notes) {
  notes.clear();
  const Result<std::vector<Job>> jobs = sized_jobs(model, arguments, options, notes);
  if (!jobs) {
    return std::unexpected(jobs.error());
  }
  const report::Cluster cluster = cluster_for(arguments);
  options.stays = cluster == report::Cluster::kShown;
  ProgressBar progress("jobs", jobs->size(), arguments.get("progress") == "auto" && !arguments.has("quiet"));
  options.progress = [&](std::size_t ended) { progress.show(ended); };
  const Result<gang::SimulationResult> result = gang::simulate(model.usage, *jobs, options);
  if (!result) {
    return std::unexpected(result.error());
  }
  const bool all = std::ranges::all_of(
      result->jobs, [](const gang::JobOutcome& job) { return job.state == gang::JobState::kFinished; });
  const topology::JobAllReduce network(model.usage, model.network, model.nvlink_domains);
  return Answer{report::gang_report(model.usage, *jobs, options, *result, avoid(model, *jobs, options, *result),
                                    gang::all_reduce_bounds(model.usage.shape(), *jobs, *result, network), cluster),
                all ? kYes : kNo};
}

int run(const Arguments& arguments, Terminal& terminal) {
  if (arguments.get("mode") == "kueue") {
    return has_edits(arguments) ? cannot_answer(bad_usage("what-if flags do not go with --mode kueue",
                                                          "edit the objects, or use another mode")
                                                    .error(),
                                                terminal)
                                : run_kueue(arguments, terminal);
  }
  const Result<gang::Options> options = gang_options(arguments);
  if (!options) {
    return cannot_answer(options.error(), terminal);
  }
  Inputs inputs(arguments);
  const auto edits = read_edits(arguments, inputs);
  if (!edits) {
    return cannot_answer(edits.error(), terminal);
  }
  Result<io::Model> model = inputs.jobs();
  if (!model) {
    return cannot_answer(model.error(), terminal);
  }
  const Diagnostics read_notes = model->notes;
  Diagnostics notes;
  const auto ask = [&](io::Model& asked) { return play(arguments, *options, asked, notes); };
  const Result<Answer> result = ask_what_if(arguments, *edits, std::move(*model), options->placement, ask);
  report_notes(read_notes, arguments, terminal);
  report_notes(notes, arguments, terminal);
  return result ? answer(result->document, arguments, terminal, result->code) : cannot_answer(result.error(), terminal);
}

}  // namespace

const CommandSpec kGangCommand{
    .name = "gang",
    .summary = "run jobs of several pods on a virtual clock: waiting times, idle GPUs, deadlocks",
    .description =
        "Plays the jobs on the cluster and prints when each one starts and ends, how long it waits, and what GPUs that "
        "are held by parts of waiting jobs cost. A mode decides who starts when. Exit code 1 when a job never ends: in "
        "a deadlock, after its last restart, or because nothing makes room for it.",
    .positionals = kPositionals,
    .options = kGangOptions,
    .examples = kExamples,
    .run = &run,
    .edits = kEditOptions,
};

}  // namespace gpusched::cli
