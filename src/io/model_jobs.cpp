#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "gpusched/base/text.hpp"
#include "gpusched/io/model_reader.hpp"
#include "io/fixture_job.hpp"

// Jobs of fixtures and of traces.
namespace gpusched::io {

void ModelReader::read_jobs(const Document& document) {
  if (!check_fixture(document, "jobs")) {
    return;
  }
  Decoder decoder(document);
  {
    ObjectReader root(decoder, document.root, "job list");
    static_cast<void>(root.find("nodes"));
    static_cast<void>(root.find("pods"));
    static_cast<void>(root.require("jobs"));
    root.array("jobs", [&](const Value& job, std::size_t) { JobFixture(*this, decoder, job).read(); });
  }
  std::ranges::move(decoder.take_diagnostics(), std::back_inserter(pod_diagnostics_));
}

void ModelReader::read_trace(const Trace& trace) {
  traces_.push_back(trace);
}

void ModelReader::add_pool(std::size_t gpus) {
  any_model_ = true;
  NodeClass node_class;
  node_class.allocatable = {kNotModelled, kNotModelled, kNotModelled, kNotModelled, static_cast<std::int64_t>(gpus)};
  builder_.node("pool", builder_.node_class_as_given(std::move(node_class)));
}

void ModelReader::add_equal_nodes(std::size_t nodes, std::size_t gpus) {
  any_model_ = true;
  Gpu gpu;
  gpu.board = builder_.board({});
  NodeClass node_class;
  node_class.gpus.assign(gpus, gpu);
  node_class.islands = 1;
  node_class.islands_known = false;
  const NodeClassId id = builder_.node_class(std::move(node_class));
  const std::size_t digits = std::to_string(nodes - 1).size();
  for (std::size_t i = 0; i < nodes; ++i) {
    builder_.node(fmt::format("node-{:0{}}", i, digits), id);
  }
}

void ModelReader::add_trace_jobs(const Trace& trace) {
  std::int64_t largest = 1;
  for (const NodeClass& node_class : builder_.shape().node_classes) {
    if (node_class.allocatable.size() > kNvidiaGpu.index()) {
      largest = std::max(largest, node_class.allocatable[kNvidiaGpu.index()]);
    }
  }
  const std::size_t first = jobs_.size();
  for (const TraceJob& record : trace.jobs) {
    Job job;
    const auto text = [&](const std::string& value) { return value.empty() ? StringId{} : builder_.text(value); };
    job.name = text(record.name);
    job.queue = text(record.queue);
    job.user = text(record.user);
    job.submission_ms = record.submission_ms;
    job.duration_ms = record.duration_ms;
    job.priority = record.priority;
    job.think_ms = record.think_ms;
    const std::int64_t per_pod = record.pods > 0          ? record.gpus / record.pods
                                 : record.gpus <= largest ? record.gpus
                                                          : std::gcd(record.gpus, largest);
    PodClass pod;
    pod.gpus = static_cast<std::int32_t>(per_pod);
    pod.gpu_milli = record.gpu_milli;
    pod.model = any_model_ ? StringId{} : text(record.model);
    pod.priority = record.priority;
    if (record.cpu_milli > 0) {
      pod.requests.emplace_back(kCpu, record.cpu_milli);
    }
    if (record.memory_mib > 0) {
      pod.requests.emplace_back(kMemory, record.memory_mib * 1024 * 1024);
    }
    const std::int64_t pods = record.pods > 0 ? record.pods : record.gpus / per_pod;
    job.pod_sets.push_back({{}, builder_.pod_class(std::move(pod)), static_cast<std::int32_t>(pods)});
    if (record.after >= 0) {
      job.after.emplace_back(first + static_cast<std::size_t>(record.after));
    }
    jobs_.push_back({std::move(job), {}, trace.source});
  }
}

// Names of "after" become ids when all jobs are known.
void ModelReader::resolve_jobs() {
  std::map<std::string_view, JobId> by_name;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    const std::string_view name = builder_.shape().text(jobs_[i].job.name);
    by_name.emplace(name, JobId{i});
    names.push_back(name);
  }
  for (WantedJob& wanted : jobs_) {
    for (const std::string& before : wanted.after) {
      const auto found = by_name.find(before);
      if (found != by_name.end()) {
        wanted.job.after.push_back(found->second);
        continue;
      }
      Diagnostic& error = pod_diagnostics_.emplace_back();
      error.code = "unknown-job";
      error.message = fmt::format("it waits for {}, and there is no such job", quote(before));
      error.source = wanted.source;
      error.object = fmt::format("job {}", builder_.shape().text(wanted.job.name));
      if (const std::string nearest = suggest(before, names); !nearest.empty()) {
        error.hint = fmt::format("did you mean {}?", nearest);
      }
    }
  }
  for (const Trace& trace : traces_) {
    add_trace_jobs(trace);
  }
}

}  // namespace gpusched::io
