#include "cli/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <utility>

#include "cli/whatif_options.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/io/document_kind.hpp"
#include "gpusched/io/workloads.hpp"
#include "gpusched/objects/selector_text.hpp"

namespace gpusched::cli {

namespace {

Result<std::size_t> thread_count(const Arguments& arguments) {
  const Result<std::optional<std::int64_t>> jobs = arguments.whole_number("jobs", 1, 1024);
  if (!jobs) {
    return std::unexpected(jobs.error());
  }
  return static_cast<std::size_t>(jobs->value_or(1));
}

/// "; it holds 2 Pod, 1 Service".
std::string kinds_found(const io::ClusterDump& dump) {
  std::vector<std::string> kinds;
  for (const auto& [kind, count] : dump.kinds) {
    kinds.push_back(fmt::format("{} {}", count, shorten(kind)));
  }
  return kinds.empty() ? std::string() : fmt::format("; it holds {}", shorten(join(kinds, ", "), 200));
}

/// What of a question some files hold.
struct Content {
  bool nodes = false, work = false;
};

Content content_of(const io::ClusterInput& input) {
  Content content{!input.dump.nodes.empty(), !input.dump.pods.empty() || !input.traces.empty()};
  for (const io::Document& document : input.fixtures) {
    content.nodes |= document.root.find("nodes") != nullptr;
    content.work |= document.root.find("pods") != nullptr || document.root.find("jobs") != nullptr;
  }
  return content;
}

/// Whether pods of a fixture are to be placed.
bool has_pods(const io::ClusterInput& cluster, const io::ClusterInput& pods, bool given) {
  const std::vector<io::Document>& documents = given ? pods.fixtures : cluster.fixtures;
  return std::ranges::any_of(documents, [](const io::Document& document) { return document.root.find("pods"); });
}

bool nobody_waits(const io::ClusterDump& dump) {
  return std::ranges::none_of(
      dump.pods, [](const io::PodRecord& pod) { return pod.node_name.empty() && !pod.finished() && !pod.deleted; });
}

}  // namespace

std::unexpected<Diagnostics> not_kubernetes(const io::Document& found, std::string hint) {
  auto error =
      fail("not-kubernetes", fmt::format("expected Kubernetes objects, found {}", io::describe_document(found.root)),
           std::move(hint));
  error.error().front().source = found.source_name();
  return error;
}

Inputs::Inputs(const Arguments& arguments)
    : arguments_(arguments), reader_({.recursive = arguments.has("recursive")}, std::cin) {}

Result<std::string> Inputs::text(std::string_view option) {
  const std::string_view value = arguments_.get(option);
  if (value != "-") {
    return std::string(value);
  }
  Result<std::vector<io::Source>> sources = reader_.read(value);
  if (!sources) {
    return std::unexpected(std::move(sources.error()));
  }
  return std::move(sources->front().bytes);
}

Result<std::vector<io::Document>> Inputs::documents(std::string_view option) {
  Result<std::vector<io::Source>> sources = reader_.read_all(arguments_.all(option));
  if (!sources) {
    return std::unexpected(std::move(sources.error()));
  }
  std::vector<io::Document> documents;
  Diagnostics errors;
  for (io::Source& source : *sources) {
    if (Result<std::vector<io::Document>> parsed = io::parse_documents(std::move(source))) {
      std::ranges::move(*parsed, std::back_inserter(documents));
    } else {
      std::ranges::move(parsed.error(), std::back_inserter(errors));
    }
  }
  if (!errors.empty()) {
    return std::unexpected(std::move(errors));
  }
  return documents;
}

Result<io::ClusterInput> Inputs::cluster_input(std::initializer_list<std::string_view> names, bool traces) {
  const Result<std::size_t> threads = thread_count(arguments_);
  if (!threads) {
    return std::unexpected(threads.error());
  }
  std::vector<std::string> files;
  for (const std::string_view name : names) {
    std::ranges::copy(arguments_.all(name), std::back_inserter(files));
  }
  return io::read_cluster_input(reader_, files, *threads, traces);
}

Result<io::ClusterInput> Inputs::file(const std::string& path) {
  const Result<std::size_t> threads = thread_count(arguments_);
  if (!threads) {
    return std::unexpected(threads.error());
  }
  return io::read_cluster_input(reader_, std::span(&path, 1), *threads);
}

Result<io::Model> Inputs::model(Pods wanted) {
  const bool pods_given = arguments_.has("PODS") || arguments_.has("pods");
  if (!arguments_.has("CLUSTER") && !arguments_.has("nodes")) {
    return bad_usage("no cluster given", "name a cluster file, or - for standard input; see --help for examples");
  }
  if (const Result<std::size_t> threads = thread_count(arguments_); !threads) {
    return std::unexpected(threads.error());
  }
  // The cluster comes first, because either may be standard input.
  const bool places = wanted != Pods::kNone;
  Result<io::ClusterInput> cluster =
      places ? cluster_input({"CLUSTER", "nodes", "objects"}) : cluster_input({"CLUSTER", "nodes", "pods", "objects"});
  Result<io::ClusterInput> pods = places ? cluster_input({"PODS", "pods"}) : io::ClusterInput();
  Diagnostics errors;
  for (const Result<io::ClusterInput>* const part : {&cluster, &pods}) {
    if (!*part) {
      std::ranges::copy(part->error(), std::back_inserter(errors));
    }
  }
  if (!errors.empty()) {
    return std::unexpected(std::move(errors));
  }
  if (Result<bool> good = check_order(*cluster, *pods); !good) {
    return std::unexpected(std::move(good.error()));
  }
  const Result<Diagnostics> workload_notes = admit(*pods);
  if (!workload_notes) {
    return std::unexpected(workload_notes.error());
  }
  Result<io::DumpOptions> options = dump_options();
  if (!options) {
    return std::unexpected(options.error());
  }
  if (arguments_.has("all-namespaces") && !arguments_.get("namespace").empty()) {
    return bad_usage("-n and -A exclude each other");
  }
  options->name_space = arguments_.get("namespace");
  Result<objects::LabelSelector> selector = objects::parse_label_selector(arguments_.get("selector"));
  if (!selector) {
    return std::unexpected(std::move(selector.error()));
  }
  options->selector = std::move(*selector);
  if (places && asks_some_pods(arguments_) && has_pods(*cluster, *pods, pods_given)) {
    return bad_usage("-n and -l choose pods of Kubernetes; those of a fixture have neither namespace nor labels");
  }
  io::ModelReader reader(std::move(*options));
  const bool found =
      wanted == Pods::kNone || read_wanted_pods(reader, *cluster, *pods, pods_given) || wanted == Pods::kIfAny;
  bool has_nodes = !cluster->dump.nodes.empty();
  for (const io::Document& document : cluster->fixtures) {
    const bool only_pods = document.root.find("nodes") == nullptr && document.root.find("pods") != nullptr;
    if (!only_pods || wanted == Pods::kNone || pods_given) {
      reader.read_cluster(document);
      has_nodes = true;
    }
  }
  const bool no_dump = cluster->dump.empty();
  const std::string kinds = kinds_found(cluster->dump);
  reader.read_dump(std::move(cluster->dump));
  Result<io::Model> model = std::move(reader).finish();
  if (!model) {
    return model;
  }
  std::ranges::copy(*workload_notes, std::back_inserter(model->notes));
  std::ranges::copy(config_warnings_, std::back_inserter(model->notes));
  if (!has_nodes) {
    return fail("no-nodes", fmt::format("the input has no nodes{}", kinds),
                !cluster->fixtures.empty() ? "a pod list goes behind its cluster: CLUSTER PODS"
                                           : "kubectl get nodes,pods -A -o json writes what is needed");
  }
  if (pods->fixtures.empty() && !pods->dump.empty() && nobody_waits(pods->dump)) {
    Result<io::Model> failed = fail("no-pods", "the pod files hold no pod that waits for a place",
                                    pods->dump.pods.empty() ? "" : "pods that are bound or finished are left alone");
    failed.error().insert(failed.error().begin(), workload_notes->begin(), workload_notes->end());
    return failed;
  }
  if (places && asks_some_pods(arguments_) && model->pods.empty()) {
    Diagnostic& warning = model->notes.emplace_back();
    warning.severity = Severity::kWarning;
    warning.code = "no-pending-pods";
    warning.message = "no pod that waits for a place is of the namespace and has the labels that were asked for";
  }
  if (!found) {
    return bad_usage("no pods given", no_dump
                                          ? "name a pod file after the cluster, or put \"pods\" into the cluster file"
                                          : "name a pod file after the cluster, or take the dump's own with --pending");
  }
  return model;
}

Result<io::Model> Inputs::pods_alone(std::string_view option) {
  Result<io::ClusterInput> pods = cluster_input({option});
  if (!pods) {
    return std::unexpected(pods.error());
  }
  if (Result<Diagnostics> admitted = admit(*pods); !admitted) {
    return std::unexpected(std::move(admitted.error()));
  }
  io::ModelReader reader;
  for (const io::Document& document : pods->fixtures) {
    reader.read_pods(document);
  }
  reader.read_pending(pods->dump);
  return std::move(reader).finish();
}

Result<io::PriceList> Inputs::prices() {
  Result<std::vector<io::Source>> sources = reader_.read_all(arguments_.all("prices"));
  if (!sources) {
    return std::unexpected(std::move(sources.error()));
  }
  io::PriceList prices;
  for (io::Source& source : *sources) {
    Result<io::PriceList> list = io::read_prices(std::move(source));
    if (!list) {
      return list;
    }
    prices.merge(*list);
  }
  return prices;
}

Result<io::Model> Inputs::baseline() {
  Result<io::ClusterInput> cluster = cluster_input({"baseline"});
  if (!cluster) {
    return std::unexpected(cluster.error());
  }
  Result<io::DumpOptions> options = dump_options();
  if (!options) {
    return std::unexpected(options.error());
  }
  options->topologies.clear();  // the older cluster may lack the nodes, and only numbers of GPUs are compared
  io::ModelReader reader(std::move(*options));
  for (const io::Document& document : cluster->fixtures) {
    reader.read_cluster(document);
  }
  reader.read_dump(std::move(cluster->dump));
  return std::move(reader).finish();
}

bool asks_some_pods(const Arguments& arguments) {
  return !arguments.get("namespace").empty() || !arguments.get("selector").empty();
}

Result<Diagnostics> Inputs::admit(io::ClusterInput& pods) {
  Diagnostics errors;
  Diagnostics notes;
  for (Diagnostics found : {io::expand_workloads(pods.dump), io::admit_pods(pods.dump)}) {
    for (Diagnostic& diagnostic : found) {
      (diagnostic.severity == Severity::kError ? errors : notes).push_back(std::move(diagnostic));
    }
  }
  if (!errors.empty()) {
    return std::unexpected(std::move(errors));
  }
  return notes;
}

Result<io::DumpOptions> Inputs::dump_options() {
  io::DumpOptions options;
  options.gpu_drivers = arguments_.list("gpu-drivers");
  options.budgets = arguments_.has("drain") || arguments_.has("drainable") || arguments_.has("defrag");
  options.labels = edited_labels(arguments_);
  const Result<std::vector<io::Document>> hardware = documents("hardware");
  if (!hardware) {
    return std::unexpected(hardware.error());
  }
  for (const io::Document& document : *hardware) {
    Result<io::HardwareFile> file = io::read_hardware(document);
    if (!file) {
      return std::unexpected(std::move(file.error()));
    }
    io::add_hardware(options.hardware, *std::move(file));
  }
  const Result<std::vector<io::Source>> metrics = reader_.read_all(arguments_.all("gpu-usage"));
  if (!metrics) {
    return std::unexpected(metrics.error());
  }
  for (const io::Source& source : *metrics) {
    Result<std::vector<io::GpuUse>> uses = io::parse_gpu_usage(source);
    if (!uses) {
      return std::unexpected(std::move(uses.error()));
    }
    std::ranges::move(*uses, std::back_inserter(options.gpu_usage));
  }
  for (const std::string& word : arguments_.all("topo")) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      return bad_usage(fmt::format("--topo takes NODE=FILE, not {}", quote(word)),
                       "nvidia-smi topo -m > FILE on the node writes it");
    }
    const Result<std::vector<io::Source>> sources = reader_.read(word.substr(equals + 1));
    if (!sources) {
      return std::unexpected(sources.error());
    }
    for (const io::Source& source : *sources) {
      Result<io::TopologyMatrix> matrix = io::parse_topology_matrix(source);
      if (!matrix) {
        return std::unexpected(std::move(matrix.error()));
      }
      options.topologies.emplace_back(word.substr(0, equals), *std::move(matrix));
    }
  }
  const Result<std::vector<io::Document>> plugins = documents("device-plugin-config");
  if (!plugins) {
    return std::unexpected(plugins.error());
  }
  for (const io::Document& document : *plugins) {
    Result<std::vector<io::DevicePluginConfig>> configs = io::read_device_plugin_configs(document, config_warnings_);
    if (!configs) {
      return std::unexpected(std::move(configs.error()));
    }
    std::ranges::move(*configs, std::back_inserter(options.device_plugin));
  }
  return options;
}

Result<bool> Inputs::check_order(const io::ClusterInput& cluster, const io::ClusterInput& work) const {
  const Content first = content_of(cluster);
  const Content second = content_of(work);
  if (first.nodes || !first.work || !second.nodes || second.work) {
    return true;
  }
  const std::string_view name = arguments_.has("JOBS") ? "JOBS" : "PODS";
  const std::string order = arguments_.has(name) && arguments_.has("CLUSTER")
                                ? fmt::format(": {} {}", arguments_.get(name), arguments_.get("CLUSTER"))
                                : std::string();
  return bad_usage(fmt::format("{} holds nodes, and CLUSTER holds none but work for them: they look swapped", name),
                   fmt::format("the cluster comes first{}", order));
}

bool Inputs::read_wanted_pods(io::ModelReader& reader, const io::ClusterInput& cluster, const io::ClusterInput& pods,
                              bool given) const {
  bool found = given;
  for (const io::Document& document : pods.fixtures) {
    reader.read_pods(document);
  }
  reader.read_pending(pods.dump);
  if (arguments_.has("pending")) {
    reader.read_pending(cluster.dump);
    found = true;
  }
  if (!found) {
    for (const io::Document& document : cluster.fixtures) {
      if (document.root.find("pods") != nullptr) {
        reader.read_pods(document);
        found = true;
      }
    }
  }
  return found;
}

}  // namespace gpusched::cli
