#include "cli/job_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "gpusched/base/text.hpp"
#include "gpusched/io/trace.hpp"
#include "gpusched/io/workloads.hpp"

namespace gpusched::cli {

namespace {

constexpr std::int64_t kMaxNodes = 100'000;
constexpr std::int64_t kMaxPool = 100'000'000;

bool has_list(const io::Document& document, std::string_view key) {
  return document.root.find(key) != nullptr;
}

Diagnostic trace_note(const io::Trace& trace, std::string message) {
  Diagnostic note;
  note.severity = Severity::kWarning;
  note.code = "jobs-left-out";
  note.message = std::move(message);
  note.source = trace.source;
  return note;
}

void trace_notes(const io::Trace& trace, Diagnostics& notes) {
  if (trace.without_run > 0) {
    notes.push_back(trace_note(
        trace, fmt::format("left out {} jobs that never ran or whose run time is unknown", trace.without_run)));
  }
  if (trace.without_gpus > 0) {
    notes.push_back(trace_note(trace, fmt::format("left out {} jobs without a GPU", trace.without_gpus)));
  }
}

}  // namespace

Result<EqualNodes> equal_nodes(const Arguments& arguments) {
  EqualNodes result;
  if (!arguments.has("gpus")) {
    return result;
  }
  const std::string_view text = arguments.get("gpus");
  const std::size_t times = text.find('x');
  const std::optional<std::int64_t> nodes =
      times == std::string_view::npos ? 1 : parse_whole_number(text.substr(0, times));
  const std::optional<std::int64_t> gpus =
      parse_whole_number(times == std::string_view::npos ? text : text.substr(times + 1));
  const std::int64_t limit = times == std::string_view::npos ? kMaxPool : std::int64_t{kMaxGpusPerNode};
  if (!nodes || !gpus || *nodes < 1 || *nodes > kMaxNodes || *gpus < 1 || *gpus > limit) {
    return bad_usage(fmt::format("--gpus takes a number of GPUs, or NODESxGPUS (at most {} nodes of {} GPUs), not {}",
                                 kMaxNodes, kMaxGpusPerNode, quote(text)),
                     "for example --gpus 128, or --gpus 16x8");
  }
  result.pool = times == std::string_view::npos;
  result.nodes = static_cast<std::size_t>(*nodes);
  result.gpus = static_cast<std::size_t>(*gpus);
  return result;
}

Result<bool> Inputs::read_jobs(io::ModelReader& reader, const io::ClusterInput& cluster, const io::ClusterInput& jobs,
                               Diagnostics& notes) const {
  bool found = false;
  Diagnostics errors;
  const auto read_fixture = [&](const io::Document& document) {
    if (has_list(document, "jobs") || !has_list(document, "pods")) {
      reader.read_jobs(document);
    } else {
      reader.read_pods(document);
    }
    found = true;
  };
  std::ranges::for_each(jobs.fixtures, read_fixture);
  reader.read_pending(jobs.dump);
  found = found || !jobs.dump.pods.empty();
  for (const io::Source& source : jobs.traces) {
    const Result<io::Trace> trace = io::read_trace(source, arguments_.get("queue"));
    if (!trace) {
      std::ranges::copy(trace.error(), std::back_inserter(errors));
      continue;
    }
    trace_notes(*trace, notes);
    reader.read_trace(*trace);
    found = true;
  }
  if (arguments_.has("pending")) {
    reader.read_pending(cluster.dump);
    found = true;
  }
  if (!found) {
    for (const io::Document& document : cluster.fixtures) {
      if (has_list(document, "jobs") || has_list(document, "pods")) {
        read_fixture(document);
      }
    }
  }
  if (!errors.empty()) {
    return std::unexpected(std::move(errors));
  }
  return found;
}

Result<io::Model> Inputs::jobs() {
  const Result<EqualNodes> equal = equal_nodes(arguments_);
  if (!equal) {
    return std::unexpected(equal.error());
  }
  const bool from_files = equal->nodes == 0;
  if (from_files && !arguments_.has("CLUSTER") && !arguments_.has("nodes")) {
    return bad_usage("no cluster given", "name a cluster file, or give --gpus NODESxGPUS; see --help for examples");
  }
  if (!from_files && arguments_.has("nodes")) {
    return bad_usage("--gpus and --nodes exclude each other");
  }
  const std::optional<std::int64_t> duration = io::parse_seconds(arguments_.get("duration"));
  if (!duration || *duration < 0) {
    return bad_usage(fmt::format("--duration takes seconds from 0 to {}, not {}", io::kMaxTraceSeconds,
                                 quote(arguments_.get("duration"))));
  }
  Result<io::DumpOptions> options = dump_options();
  if (!options) {
    return std::unexpected(std::move(options.error()));
  }
  io::ModelReader reader(std::move(*options));
  reader.take_pods_as_jobs(*duration);
  if (equal->pool) {
    reader.add_pool(equal->gpus);
  } else if (!from_files) {
    reader.add_equal_nodes(equal->nodes, equal->gpus);
  }
  Result<Diagnostics> notes = read_cluster_and_jobs(reader, from_files);
  if (!notes) {
    return std::unexpected(std::move(notes.error()));
  }
  Result<io::Model> model = std::move(reader).finish();
  if (!model) {
    return model;
  }
  std::ranges::move(*notes, std::back_inserter(model->notes));
  std::ranges::copy(config_warnings_, std::back_inserter(model->notes));
  if (model->usage.shape().nodes.empty()) {
    return fail("no-nodes", "the cluster has no nodes");
  }
  return model;
}

Result<Diagnostics> Inputs::read_cluster_and_jobs(io::ModelReader& reader, bool from_files) {
  Result<io::ClusterInput> cluster = from_files ? cluster_input({"CLUSTER", "nodes"}) : io::ClusterInput{};
  Result<io::ClusterInput> jobs =
      from_files ? cluster_input({"JOBS", "pods"}, true) : cluster_input({"CLUSTER", "JOBS", "pods"}, true);
  Diagnostics errors;
  for (const Result<io::ClusterInput>* const part : {&cluster, &jobs}) {
    if (!*part) {
      std::ranges::copy(part->error(), std::back_inserter(errors));
    }
  }
  if (!errors.empty()) {
    return std::unexpected(std::move(errors));
  }
  if (Result<bool> good = check_order(*cluster, *jobs); !good) {
    return std::unexpected(std::move(good.error()));
  }
  Result<Diagnostics> notes = admit(*jobs);
  if (!notes) {
    return notes;
  }
  const Result<bool> found = read_jobs(reader, *cluster, *jobs, *notes);
  if (!found) {
    return std::unexpected(found.error());
  }
  if (!*found) {
    return bad_usage("no jobs given",
                     "name a job file or a trace after the cluster, or put \"jobs\" into the cluster file");
  }
  for (const io::Document& document : cluster->fixtures) {
    reader.read_cluster(document);
  }
  reader.read_dump(std::move(cluster->dump));
  return notes;
}

}  // namespace gpusched::cli
