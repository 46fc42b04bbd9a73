#include "cli/dra_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <string>

#include "cli/k8s_options.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/dra/model_devices.hpp"
#include "gpusched/dra/slices.hpp"
#include "gpusched/dra/taint_rules.hpp"
#include "gpusched/io/cluster_input.hpp"
#include "gpusched/io/model_reader.hpp"
#include "gpusched/kubescheduler/rules.hpp"

namespace gpusched::cli {

namespace {

template <class T>
void append(std::vector<T>& all, std::vector<T> more) {
  std::ranges::move(more, std::back_inserter(all));
}

class DraReader {
 public:
  explicit DraReader(const Arguments& arguments)
      : arguments_(arguments), reader_({.recursive = arguments.has("recursive")}, std::cin) {}

  Result<DraCluster> read();

 private:
  Result<io::ClusterInput> input(std::initializer_list<std::string_view> options);
  Result<bool> add_fixtures(const io::ClusterInput& cluster);
  void add_nodes(const io::ClusterDump& dump);
  void note_other_kinds();

  const Arguments& arguments_;
  io::SourceReader reader_;
  DraCluster cluster_;
  std::vector<objects::ResourceSlice> published_;
};

Result<io::ClusterInput> DraReader::input(std::initializer_list<std::string_view> options) {
  constexpr std::int64_t kMaxJobs = 1024;
  const auto jobs = arguments_.whole_number("jobs", 1, kMaxJobs);
  if (!jobs) return std::unexpected(jobs.error());
  std::vector<std::string> files;
  for (const std::string_view option : options) std::ranges::copy(arguments_.all(option), std::back_inserter(files));
  return io::read_cluster_input(reader_, files, static_cast<std::size_t>(jobs->value_or(1)));
}

/// A fixture stands for its nodes, the slices of a driver there, and the devices that its pods hold.
Result<bool> DraReader::add_fixtures(const io::ClusterInput& cluster) {
  if (cluster.fixtures.empty()) return false;
  io::ModelReader reader;
  for (const io::Document& fixture : cluster.fixtures) reader.read_cluster(fixture);
  const Result<io::Model> model = std::move(reader).finish();
  if (!model) return std::unexpected(model.error());
  Result<std::vector<objects::ResourceSlice>> slices = dra::slices_of(model->usage.shape(), {});
  if (!slices) return std::unexpected(std::move(slices.error()));
  published_ = std::move(*slices);
  cluster_.held = dra::held_devices(model->usage, dra::model_devices(model->usage.shape(), published_));
  append(cluster_.nodes, dra::node_facts(model->usage.shape()));
  append(cluster_.notes, model->notes);
  return true;
}

void DraReader::add_nodes(const io::ClusterDump& dump) {
  for (const io::NodeRecord& record : dump.nodes) {
    const objects::Node& node = record.node;
    cluster_.nodes.push_back({node.meta.name, node.meta.labels, node.status.declared_features});
  }
  append(cluster_.notes, dump.warnings);
}

void DraReader::note_other_kinds() {
  if (cluster_.objects.other_kinds.empty()) return;
  std::string kinds;
  for (const auto& [kind, count] : cluster_.objects.other_kinds) {
    kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count, kind);
  }
  Diagnostic note;
  note.severity = Severity::kNote;
  note.code = "kinds-left-alone";
  note.message = "objects that dra does not look at: " + kinds;
  cluster_.notes.push_back(std::move(note));
}

Result<DraCluster> DraReader::read() {
  if (!arguments_.has("cluster") && !arguments_.has("nodes")) {
    return bad_usage("no cluster given", "name a cluster file with --cluster; see --help for examples");
  }
  const Result<io::ClusterInput> cluster = input({"cluster", "nodes"});
  const Result<io::ClusterInput> extra = input({"objects"});
  Diagnostics errors;
  for (const auto* part : {&cluster, &extra}) {
    if (!*part) std::ranges::copy(part->error(), std::back_inserter(errors));
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  if (!extra->fixtures.empty()) {
    return fail(
        "not-an-object",
        fmt::format("{}: --objects takes Kubernetes objects, this is none", extra->fixtures.front().source_name()),
        "a cluster fixture belongs to --cluster");
  }
  if (const Result<bool> added = add_fixtures(*cluster); !added) return std::unexpected(added.error());
  std::vector<io::Document> documents = cluster->dump.others;
  std::ranges::copy(extra->dump.others, std::back_inserter(documents));
  Result<io::DraObjects> objects = io::read_dra_objects(documents);
  if (!objects) return std::unexpected(std::move(objects.error()));
  cluster_.objects = std::move(*objects);
  append(published_, std::move(cluster_.objects.slices));
  cluster_.objects.slices = std::move(published_);
  dra::apply_taint_rules(cluster_.objects.taint_rules, cluster_.objects.slices);
  add_nodes(cluster->dump);
  add_nodes(extra->dump);
  if (cluster_.nodes.empty()) {
    return fail("no-nodes", "the input has no nodes", "kubectl get nodes -o json writes what is needed");
  }
  note_other_kinds();
  return std::move(cluster_);
}

}  // namespace

Result<DraCluster> read_dra_cluster(const Arguments& arguments) {
  return DraReader(arguments).read();
}

Result<dra::Features> dra_features(const Arguments& arguments) {
  dra::Features features;
  if (const std::string_view asked = arguments.get("k8s-version"); !asked.empty()) {
    const auto version = parse_scheduler_version(asked);
    if (!version) {
      return bad_usage(fmt::format("--k8s-version takes a release of Kubernetes, not {}", quote(asked)),
                       "for example 1.37 or 1.34.0");
    }
    // Of 1.37 the range is on here, though a scheduler has it only with that as its compatibility version.
    features = kubescheduler::rules_for(*version).dra;
    features.fractional_capacity_range = version->minor >= 37;
  }
  for (const std::string& word : arguments.list("features")) {
    const std::size_t equals = word.find('=');
    const std::string_view value = equals == std::string::npos ? "" : std::string_view(word).substr(equals + 1);
    if (value != "true" && value != "false") {
      return bad_usage(fmt::format("--features takes NAME=true or NAME=false, not \"{}\"", word));
    }
    if (!dra::set_feature(features, std::string_view(word).substr(0, equals), value == "true")) {
      return bad_usage(fmt::format("--features: no allocator of Kubernetes 1.37 knows \"{}\"", word.substr(0, equals)),
                       "for example DRADeviceTaints, DRAPartitionableDevices, DRAConsumableCapacity");
    }
  }
  return features;
}

}  // namespace gpusched::cli
