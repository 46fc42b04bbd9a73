#include "cli/dra_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "cli/inputs.hpp"
#include "cli/k8s_options.hpp"
#include "cli/node_templates.hpp"
#include "cli/whatif_options.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/dra/model_devices.hpp"
#include "gpusched/dra/slices.hpp"
#include "gpusched/dra/taint_rules.hpp"
#include "gpusched/io/cluster_input.hpp"
#include "gpusched/io/disruption.hpp"
#include "gpusched/io/model_reader.hpp"
#include "gpusched/io/scheduler_input.hpp"
#include "gpusched/kubescheduler/rules.hpp"
#include "gpusched/whatif/model_edit.hpp"
#include "gpusched/whatif/object_edit.hpp"

namespace gpusched::cli {

namespace {

template <class T>
void append(std::vector<T>& all, std::vector<T> more) {
  std::ranges::move(more, std::back_inserter(all));
}

/// What the files hold: the model of fixtures, the objects of dumps, and DRA objects that stand beside both.
struct DraParts {
  std::optional<io::Model> model;
  objects::ClusterObjects dump;  ///< nodes, pods and disruption budgets
  std::vector<std::int32_t> allowed_disruptions;
  io::DraObjects objects;  ///< as they were read
  Diagnostics notes;
};

class DraReader {
 public:
  explicit DraReader(const Arguments& arguments)
      : arguments_(arguments), reader_({.recursive = arguments.has("recursive")}, std::cin) {}

  Result<DraParts> read();

 private:
  Result<io::ClusterInput> input(std::initializer_list<std::string_view> options);
  Result<bool> add_fixtures(const io::ClusterInput& cluster);
  void add_dump(const io::ClusterDump& dump);
  void note_other_kinds();

  const Arguments& arguments_;
  io::SourceReader reader_;
  DraParts parts_;
};

Result<io::ClusterInput> DraReader::input(std::initializer_list<std::string_view> options) {
  constexpr std::int64_t kMaxJobs = 1024;
  const auto jobs = arguments_.whole_number("jobs", 1, kMaxJobs);
  if (!jobs) return std::unexpected(jobs.error());
  std::vector<std::string> files;
  for (const std::string_view option : options) std::ranges::copy(arguments_.all(option), std::back_inserter(files));
  return io::read_cluster_input(reader_, files, static_cast<std::size_t>(jobs->value_or(1)));
}

Result<bool> DraReader::add_fixtures(const io::ClusterInput& cluster) {
  if (cluster.fixtures.empty()) return false;
  io::ModelReader reader;
  for (const io::Document& fixture : cluster.fixtures) reader.read_cluster(fixture);
  Result<io::Model> model = std::move(reader).finish();
  if (!model) return std::unexpected(model.error());
  parts_.model = std::move(*model);
  append(parts_.notes, parts_.model->notes);
  return true;
}

void DraReader::add_dump(const io::ClusterDump& dump) {
  for (const io::NodeRecord& record : dump.nodes) parts_.dump.nodes.push_back(record.node);
  append(parts_.notes, dump.warnings);
  // Only edits look at pods and their budgets: who leaves a node, and with which claims.
  if (!has_edits(arguments_)) return;
  for (const io::PodRecord& record : dump.pods) {
    if (!record.finished()) parts_.dump.pods.push_back(io::to_pod(dump, record, "default"));
  }
  Diagnostics told;
  const std::vector<objects::DisruptionRule> rules = io::read_disruption_rules(dump, told);
  append(parts_.allowed_disruptions, io::allowed_disruptions(dump, rules));
  for (const objects::DisruptionRule& rule : rules) parts_.dump.disruption_budgets.push_back(rule.budget);
}

void DraReader::note_other_kinds() {
  if (parts_.objects.other_kinds.empty()) return;
  std::string kinds;
  for (const auto& [kind, count] : parts_.objects.other_kinds) {
    kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count, kind);
  }
  Diagnostic note;
  note.severity = Severity::kNote;
  note.code = "kinds-left-alone";
  note.message = "objects that dra does not look at: " + kinds;
  parts_.notes.push_back(std::move(note));
}

Result<DraParts> DraReader::read() {
  if (!arguments_.has("CLUSTER") && !arguments_.has("cluster") && !arguments_.has("nodes")) {
    return bad_usage("no cluster given", "name a cluster file or a kubectl dump; see --help for examples");
  }
  const Result<io::ClusterInput> cluster = input({"CLUSTER", "cluster", "nodes", "pods"});
  const Result<io::ClusterInput> extra = input({"objects"});
  Diagnostics errors;
  for (const auto* part : {&cluster, &extra}) {
    if (!*part) std::ranges::copy(part->error(), std::back_inserter(errors));
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  if (!extra->fixtures.empty()) {
    return not_kubernetes(extra->fixtures.front(),
                          "--objects takes claims, classes and slices; a cluster fixture "
                          "belongs to --cluster");
  }
  if (const Result<bool> added = add_fixtures(*cluster); !added) return std::unexpected(added.error());
  std::vector<io::Document> documents = cluster->dump.others;
  std::ranges::copy(extra->dump.others, std::back_inserter(documents));
  Result<io::DraObjects> objects = io::read_dra_objects(documents);
  if (!objects) return std::unexpected(std::move(objects.error()));
  parts_.objects = std::move(*objects);
  append(parts_.notes, std::exchange(parts_.objects.warnings, {}));
  add_dump(cluster->dump);
  add_dump(extra->dump);
  if (parts_.dump.nodes.empty() && (!parts_.model || parts_.model->usage.shape().nodes.empty())) {
    return fail("no-nodes", "the input has no nodes", "kubectl get nodes -o json writes what is needed");
  }
  note_other_kinds();
  return std::move(parts_);
}

/// A fixture stands for its nodes, the slices of a driver there, and the devices that its pods hold. Nodes that edits
/// cordoned take no claim's pod.
Result<bool> add_model(const Cluster& model, std::vector<objects::ResourceSlice>& published, DraCluster& cluster) {
  const ClusterUsage& usage = model.usage;
  Result<std::vector<objects::ResourceSlice>> slices = dra::slices_of(usage.shape(), {});
  if (!slices) return std::unexpected(std::move(slices.error()));
  published = std::move(*slices);
  cluster.held = dra::held_devices(usage, dra::model_devices(usage.shape(), published));
  std::vector<dra::NodeFacts> facts = dra::node_facts(usage.shape());
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const bool by_edit = usage.cordoned(NodeId{i}) && !usage.node_class(NodeId{i}).unschedulable;
    if (!by_edit) cluster.nodes.push_back(std::move(facts[i]));
  }
  return true;
}

Result<DraCluster> build(const Cluster* model, const std::vector<objects::Node>& nodes, io::DraObjects objects) {
  DraCluster cluster;
  std::vector<objects::ResourceSlice> published;
  if (model != nullptr) {
    if (const Result<bool> added = add_model(*model, published, cluster); !added) return std::unexpected(added.error());
  }
  cluster.objects = std::move(objects);
  append(published, std::move(cluster.objects.slices));
  cluster.objects.slices = std::move(published);
  dra::apply_taint_rules(cluster.objects.taint_rules, cluster.objects.slices);
  for (const objects::Node& node : nodes) {
    cluster.nodes.push_back({node.meta.name, node.meta.labels, node.status.declared_features});
  }
  return cluster;
}

/// The objects of a dump after the edits: nodes, claims and slices.
Result<DraCluster> edit_dump(const DraParts& parts, std::span<const whatif::ClusterEdit> edits,
                             const dra::Features& features, std::vector<whatif::EditEffect>& effects) {
  objects::ClusterObjects cluster = parts.dump;
  cluster.resource_claims = parts.objects.claims;
  for (objects::ResourceClaim& claim : cluster.resource_claims) io::set_defaults(claim.devices);
  cluster.resource_slices = parts.objects.slices;
  cluster.device_classes = parts.objects.classes;
  cluster.device_taint_rules = parts.objects.taint_rules;
  whatif::ObjectEditOptions options;
  options.predict.rules.dra = features;
  options.allowed_disruptions = parts.allowed_disruptions;
  options.model_of = [](const objects::Node& node) { return model_of(node); };
  Result<whatif::EditedObjects> edited = whatif::apply(edits, std::move(cluster), options);
  if (!edited) return std::unexpected(std::move(edited.error()));
  effects = std::move(edited->effects);
  io::DraObjects objects = parts.objects;
  objects.claims = std::move(edited->cluster.resource_claims);
  objects.slices = std::move(edited->cluster.resource_slices);
  std::erase_if(edited->cluster.nodes, [&](const objects::Node& node) {
    return std::ranges::find(edited->cordoned, node.meta.name) != edited->cordoned.end();
  });
  return build(nullptr, edited->cluster.nodes, std::move(objects));
}

}  // namespace

Result<DraQuestion> read_dra_question(const Arguments& arguments, std::span<const whatif::ClusterEdit> edits,
                                      const dra::Features& features) {
  Result<DraParts> parts = DraReader(arguments).read();
  if (!parts) return std::unexpected(std::move(parts.error()));
  Result<DraCluster> cluster = build(parts->model ? &*parts->model : nullptr, parts->dump.nodes, parts->objects);
  if (!cluster) return std::unexpected(std::move(cluster.error()));
  DraQuestion question{std::move(*cluster), std::nullopt, {}};
  question.cluster.notes = parts->notes;
  if (edits.empty()) return question;
  if (parts->model && !parts->dump.nodes.empty()) {
    return bad_usage("what-if flags take the nodes of fixtures or those of dumps, not both");
  }
  Result<DraCluster> edited;
  if (parts->model) {
    const Result<whatif::EditedCluster> changed = whatif::apply(edits, *parts->model, {});
    if (!changed) return std::unexpected(naming_flags(changed.error(), edits, arguments));
    question.effects = changed->effects;
    edited = build(&changed->cluster, {}, parts->objects);
  } else {
    edited = edit_dump(*parts, edits, features, question.effects);
  }
  if (!edited) return std::unexpected(naming_flags(std::move(edited.error()), edits, arguments));
  question.edited = std::move(*edited);
  return question;
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
    const std::string_view gate = std::string_view(word).substr(0, equals);
    kubescheduler::SchedulerRules elsewhere;  // gates of a suite's pins are for all of its questions
    if (!dra::set_feature(features, gate, value == "true") &&
        !kubescheduler::set_feature_gate(elsewhere, gate, value == "true")) {
      return bad_usage(fmt::format("--features: no allocator of Kubernetes 1.37 knows \"{}\"", gate),
                       "for example DRADeviceTaints, DRAPartitionableDevices, DRAConsumableCapacity");
    }
  }
  return features;
}

}  // namespace gpusched::cli
