#include "cli/inputs.hpp"

#include <algorithm>
#include <iostream>
#include <iterator>

#include "gpusched/io/documents.hpp"

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

Result<std::vector<io::Document>> Inputs::documents(std::string_view positional, std::string_view option) {
  std::vector<std::string> names = arguments_.all(positional);
  std::ranges::copy(arguments_.all(option), std::back_inserter(names));
  Result<std::vector<io::Source>> sources = reader_.read_all(names);
  if (!sources) {
    return std::unexpected(std::move(sources.error()));
  }
  const Result<std::size_t> threads = jobs(arguments_);
  if (!threads) {
    return std::unexpected(threads.error());
  }
  return io::parse_sources(std::move(*sources), *threads);
}

Result<io::Model> Inputs::model(bool want_pods) {
  if (!arguments_.has("CLUSTER") && !arguments_.has("nodes")) {
    return bad_usage("no cluster given", "name a cluster file, or - for standard input; see --help for examples");
  }
  const Result<std::vector<io::Document>> cluster = documents("CLUSTER", "nodes");
  const bool own_pods = !arguments_.has("PODS") && !arguments_.has("pods");
  const Result<std::vector<io::Document>> pods =
      want_pods ? documents("PODS", "pods") : Result<std::vector<io::Document>>{};
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
  bool found_pods = !own_pods;
  for (const io::Document& document : *cluster) {
    reader.read_cluster(document);
  }
  for (const io::Document& document : *pods) {
    reader.read_pods(document);
  }
  if (want_pods && own_pods) {
    for (const io::Document& document : *cluster) {
      if (document.root.find("pods") != nullptr) {
        reader.read_pods(document);
        found_pods = true;
      }
    }
  }
  Result<io::Model> model = std::move(reader).finish();
  if (model && want_pods && !found_pods) {
    return bad_usage("no pods given", "name a pod file after the cluster, or put \"pods\" into the cluster file");
  }
  return model;
}

}  // namespace gpusched::cli
