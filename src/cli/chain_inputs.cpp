#include "cli/chain_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "gpusched/base/text.hpp"
#include "gpusched/chain/derive.hpp"
#include "gpusched/io/gpustack_objects.hpp"
#include "gpusched/io/kueue_objects.hpp"
#include "gpusched/io/model_reader.hpp"
#include "gpusched/objects/meta.hpp"

namespace gpusched::cli {

namespace {

Result<io::ClusterInput> read_dumps(const Arguments& arguments, Inputs& inputs) {
  if (!arguments.has("CLUSTER") && !arguments.has("nodes") && !arguments.has("objects")) {
    return bad_usage("no cluster given", "name a dump, or - for standard input; see --help for examples");
  }
  Result<io::ClusterInput> input = inputs.cluster_input({"CLUSTER", "nodes", "pods", "objects"});
  if (input && !input->fixtures.empty() && !arguments.has("derive-devices")) {
    return not_kubernetes(input->fixtures.front(),
                          "kubectl get nodes,devices.worker.gpustack.ai -o json writes what is needed; of a cluster "
                          "fixture --derive-devices makes Nodes and Devices");
  }
  return input;
}

/// Clusters of the simulator's own as the Nodes and Devices that they would be.
Result<bool> add_fixtures(const std::vector<io::Document>& fixtures, ChainQuestion& question) {
  if (fixtures.empty()) return true;
  io::ModelReader reader;
  for (const io::Document& fixture : fixtures) reader.read_cluster(fixture);
  const Result<io::Model> model = std::move(reader).finish();
  if (!model) return std::unexpected(model.error());
  std::ranges::copy(model->notes, std::back_inserter(question.notes));
  std::ranges::move(chain::add_model(question.input, model->usage), std::back_inserter(question.notes));
  return true;
}

/// A name that one source has set is not set again by a later one.
class SettingsReader {
 public:
  SettingsReader(chain::Settings& settings, Diagnostics& notes) : settings_(settings), notes_(notes) {}

  Result<bool> flags(const Arguments& arguments) {
    for (const std::string& word : arguments.all("set")) {
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos) {
        return bad_usage(fmt::format("--set takes NAME=VALUE, not {}", quote(word)),
                         "for example instance-type-aware-cpu-manufacturer=true");
      }
      const std::string name = word.substr(0, equals);
      if (const Result<bool> good = chain::set(settings_, name, word.substr(equals + 1)); !good) {
        Diagnostics errors = good.error();
        errors.front().message = "--set: " + errors.front().message;
        return std::unexpected(std::move(errors));
      }
      set_.insert(name);
    }
    return true;
  }

  void objects(const std::vector<objects::GpustackSetting>& settings, std::string_view source) {
    std::set<std::string> now;
    for (const objects::GpustackSetting& setting : settings) {
      if (!chain::is_setting(setting.name) || set_.contains(setting.name)) continue;
      if (const Result<bool> good = chain::set(settings_, setting.name, setting.value); !good) {
        Diagnostic note = good.error().front();
        note.severity = Severity::kWarning;
        note.message = fmt::format("{}: {}; the default is used", source, note.message);
        notes_.push_back(std::move(note));
        continue;
      }
      now.insert(setting.name);
    }
    set_.merge(now);
  }

 private:
  chain::Settings& settings_;
  Diagnostics& notes_;
  std::set<std::string> set_;
};

void move_objects(io::GpustackObjects&& objects, chain::ChainInput& input) {
  std::ranges::move(objects.devices, std::back_inserter(input.devices));
  input.types = std::move(objects.types);
  input.topology_sources = std::move(objects.topology_sources);
  for (const objects::OperatorQueue& queue : objects.queues) {
    const std::string* const type = objects::find(queue.meta.labels, "resource.gpustack.ai/type");
    if (type != nullptr && *type == "instancetypes") input.queues.push_back(chain::live_queue(queue));
  }
  for (const objects::OperatorCheck& check : objects.checks) {
    input.checks.push_back({check.meta.name, check.controller, check.active});
  }
  for (objects::OperatorTopology& topology : objects.topologies) {
    input.topologies[topology.meta.name] = std::move(topology.levels);
  }
  for (const objects::Namespace& name_space : objects.namespaces) {
    if (!name_space.meta.deletion_timestamp) input.namespaces.push_back(name_space.meta.name);
  }
}

void note_other_kinds(const io::GpustackObjects& objects, Diagnostics& notes) {
  std::string kinds;
  for (const auto& [kind, count] : objects.other_kinds) {
    kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count, shorten(kind));
  }
  if (kinds.empty()) return;
  Diagnostic& note = notes.emplace_back();
  note.severity = Severity::kNote;
  note.code = "kinds-left-alone";
  note.message = "objects that chain computes itself or does not look at: " + kinds;
}

}  // namespace

Result<KueueOptions> read_kueue_options(const Arguments& arguments, Inputs& inputs,
                                        const objects::KueueObjects& kueue) {
  KueueOptions options;
  options.as_kueue_017 = arguments.get("kueue-version") == "0.17";
  if (arguments.has("kueue-config")) {
    const Result<std::vector<io::Document>> documents = inputs.documents("kueue-config");
    if (!documents) return std::unexpected(documents.error());
    Result<objects::KueueConfiguration> configuration = io::read_kueue_configuration(documents->front());
    if (!configuration) return std::unexpected(std::move(configuration.error()));
    options.configuration = *std::move(configuration);
    options.as_kueue_017 = true;  // it says itself how keys become credits
  }
  if (arguments.has("events")) {
    const Result<std::vector<io::Document>> documents = inputs.documents("events");
    if (!documents) return std::unexpected(documents.error());
    const std::string_view name_space = arguments.get("namespace");
    auto events = io::read_kueue_events(*documents, name_space.empty() ? "default" : name_space);
    if (!events) return std::unexpected(std::move(events.error()));
    options.events = *std::move(events);
  }
  if (arguments.has("clock")) {
    const auto time = objects::parse_timestamp(arguments.get("clock"));
    if (!time) {
      return bad_usage(
          fmt::format("--clock takes a time such as 2026-03-01T12:00:00Z, not {}", quote(arguments.get("clock"))));
    }
    options.start_seconds = time->seconds;
    return options;
  }
  // The newest thing that the dump knows of is the present.
  for (const objects::Workload& workload : kueue.workloads) {
    const auto& created = workload.meta.creation_timestamp;
    if (created) options.start_seconds = std::max(options.start_seconds, created->seconds);
    for (const objects::Condition& condition : workload.conditions) {
      const auto& changed = condition.last_transition;
      if (changed) options.start_seconds = std::max(options.start_seconds, changed->seconds);
    }
  }
  return options;
}

Result<ChainQuestion> read_chain_question(const Arguments& arguments, Inputs& inputs) {
  ChainQuestion question;
  chain::Settings& settings = question.input.settings;
  SettingsReader reader(settings, question.notes);
  if (const Result<bool> flags = reader.flags(arguments); !flags) return std::unexpected(flags.error());
  if (arguments.has("system-namespace")) settings.system_namespace = arguments.get("system-namespace");
  if (arguments.get("flavor-names") == "source") settings.flavor_names = chain::FlavorNames::kSource;
  Result<io::ClusterInput> dumps = read_dumps(arguments, inputs);
  if (!dumps) return std::unexpected(std::move(dumps.error()));
  io::ClusterDump& dump = dumps->dump;
  Result<io::GpustackObjects> objects = io::read_gpustack_objects(dump);
  if (!objects) return std::unexpected(std::move(objects.error()));
  const std::string_view name_space = arguments.get("namespace");
  io::KueueInputReader kueue_reader(name_space.empty() ? "default" : name_space);
  kueue_reader.add(dump);
  Result<objects::KueueObjects> kueue = std::move(kueue_reader).finish();
  if (!kueue) return std::unexpected(std::move(kueue.error()));
  question.kueue = *std::move(kueue);
  question.kueue.nodes.clear();  // the chain has them as they will be
  for (io::NodeRecord& record : dump.nodes) question.input.nodes.push_back(std::move(record.node));
  if (const Result<bool> added = add_fixtures(dumps->fixtures, question); !added) return std::unexpected(added.error());
  std::ranges::move(objects->warnings, std::back_inserter(question.notes));
  reader.objects(objects->settings, "Setting");
  reader.objects(objects->secret_settings, "Secret gpustack-settings");
  note_other_kinds(*objects, question.notes);
  move_objects(std::move(*objects), question.input);
  std::ranges::move(dump.warnings, std::back_inserter(question.notes));
  if (question.input.nodes.empty()) {
    return fail("no-nodes", "the input has no nodes",
                "kubectl get nodes,devices.worker.gpustack.ai -o json writes what is needed");
  }
  return question;
}

}  // namespace gpusched::cli
