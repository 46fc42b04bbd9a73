#include "cli/inputs.hpp"

#include <algorithm>
#include <iostream>
#include <iterator>

namespace gpusched::cli {

namespace {

Result<std::size_t> jobs(const Arguments& arguments) {
  const Result<std::optional<std::int64_t>> jobs = arguments.whole_number("jobs", 1, 1024);
  if (!jobs) {
    return std::unexpected(jobs.error());
  }
  return static_cast<std::size_t>(jobs->value_or(1));
}

}  // namespace

Inputs::Inputs(const Arguments& arguments)
    : arguments_(arguments), reader_({.recursive = arguments.has("recursive")}, std::cin) {}

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

Result<io::ClusterInput> Inputs::cluster_input(std::initializer_list<std::string_view> names) {
  const Result<std::size_t> threads = jobs(arguments_);
  if (!threads) {
    return std::unexpected(threads.error());
  }
  std::vector<std::string> files;
  for (const std::string_view name : names) {
    std::ranges::copy(arguments_.all(name), std::back_inserter(files));
  }
  return io::read_cluster_input(reader_, files, *threads);
}

Result<io::Model> Inputs::model(Pods wanted) {
  const bool pods_given = arguments_.has("PODS") || arguments_.has("pods");
  if (!arguments_.has("CLUSTER") && !arguments_.has("nodes")) {
    return bad_usage("no cluster given", "name a cluster file, or - for standard input; see --help for examples");
  }
  // The cluster comes first, because either may be standard input.
  const Result<io::ClusterInput> cluster = cluster_input({"CLUSTER", "nodes"});
  const Result<io::ClusterInput> pods = cluster_input({"PODS", "pods"});
  Diagnostics errors;
  for (const auto* part : {&cluster, &pods}) {
    if (!*part) {
      std::ranges::copy(part->error(), std::back_inserter(errors));
    }
  }
  if (!errors.empty()) {
    return std::unexpected(std::move(errors));
  }
  io::ModelReader reader;
  bool found = wanted == Pods::kNone;
  if (wanted != Pods::kNone) {
    found = read_wanted_pods(reader, *cluster, *pods, pods_given);
  }
  bool has_nodes = !cluster->dump.nodes.empty();
  for (const io::Document& document : cluster->fixtures) {
    const bool only_pods = document.root.find("nodes") == nullptr && document.root.find("pods") != nullptr;
    if (!only_pods || wanted == Pods::kNone || pods_given) {
      reader.read_cluster(document);
      has_nodes = true;
    }
  }
  reader.read_dump(cluster->dump);
  Result<io::Model> model = std::move(reader).finish();
  if (!model) {
    return model;
  }
  if (!has_nodes) {
    return fail("no-nodes", "the input has no nodes", "kubectl get nodes,pods -A -o json writes what is needed");
  }
  if (!found) {
    return bad_usage("no pods given", cluster->dump.empty()
                                          ? "name a pod file after the cluster, or put \"pods\" into the cluster file"
                                          : "name a pod file after the cluster, or take the dump's own with --pending");
  }
  return model;
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
