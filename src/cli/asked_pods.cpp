#include "cli/asked_pods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "cli/input_names.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/io/disruption.hpp"
#include "gpusched/io/workload_states.hpp"
#include "gpusched/io/workloads.hpp"
#include "gpusched/objects/selector_text.hpp"

namespace gpusched::cli {

namespace {

std::string namespace_of(const Arguments& arguments) {
  const std::string_view chosen = arguments.get("namespace");
  return std::string(chosen.empty() ? "default" : chosen);
}

Result<io::ClusterInput> read_objects(Inputs& inputs, std::initializer_list<std::string_view> names) {
  Result<io::ClusterInput> input = inputs.cluster_input(names);
  if (input && !input->fixtures.empty()) {
    return not_kubernetes(input->fixtures.front(),
                          "kubectl get nodes,pods -A -o json writes what is needed; "
                          "gpusched place reads cluster fixtures");
  }
  return input;
}

void note(const objects::Pod& pod, std::string code, std::string message, Diagnostics& notes) {
  Diagnostic& warning = notes.emplace_back();
  warning.severity = Severity::kWarning;
  warning.code = std::move(code);
  warning.message = std::move(message);
  warning.object = fmt::format("pod {}/{}", pod.meta.namespace_name, pod.meta.name);
}

/// Kubernetes' own gangs are bound as a whole or not at all; the answer here takes the pod alone.
void note_group(const io::ClusterDump& dump, const io::PodRecord& record, Question& question) {
  if (record.spec < dump.pod_group_names.size() && !dump.pod_group_names[record.spec].empty()) {
    question.groups.emplace(record.full_name(), dump.pod_group_names[record.spec]);
  }
}

/// A pod that has its node is not scheduled any more: the question is what would become of it if it were pending.
objects::Pod as_pending(objects::Pod pod, Question& question) {
  if (!pod.node_name.empty()) {
    note(pod, "bound-pod", fmt::format("the pod is bound to {}; the answer is as if it were pending", pod.node_name),
         question.notes);
    pod.node_name.clear();
  }
  if (pod.finished()) {
    note(pod, "finished-pod", "the pod has finished; the answer is as if it were pending", question.notes);
    pod.phase.clear();
  }
  std::erase_if(question.input.cluster.pods, [&](const objects::Pod& other) {
    return !other.node_name.empty() && other.meta.name == pod.meta.name &&
           other.meta.namespace_name == pod.meta.namespace_name;
  });
  return pod;
}

Result<bool> take_file(const io::ClusterDump& dump, const std::string& default_namespace, Question& question) {
  Diagnostics errors;
  for (const io::PodRecord& record : dump.pods) {
    objects::Pod pod = as_pending(io::to_pod(dump, record, default_namespace), question);
    if (Result<objects::Pod> stored = io::store_pod(std::move(pod), question.input)) {
      question.pods.push_back(std::move(*stored));
    } else {
      for (Diagnostic& error : stored.error()) {
        error.source = dump.sources[record.place.source];
        errors.push_back(std::move(error));
      }
    }
  }
  if (!errors.empty()) {
    return std::unexpected(std::move(errors));
  }
  if (question.pods.empty()) {
    return fail("no-pod", "--pod: the file has no pod", "it takes a Pod, or a workload with a pod template");
  }
  question.several = question.pods.size() > 1;
  return true;
}

/// The pods of that name; without -n and a namespace in the word any namespace will do.
std::vector<const io::PodRecord*> pods_named(const io::ClusterDump& dump, const Arguments& arguments,
                                             std::string_view word) {
  const std::size_t slash = word.find('/');
  const std::string_view name = slash == std::string_view::npos ? word : word.substr(slash + 1);
  const std::string_view name_space =
      slash == std::string_view::npos ? arguments.get("namespace") : word.substr(0, slash);
  std::vector<const io::PodRecord*> found;
  for (const io::PodRecord& record : dump.pods) {
    const std::string_view own = record.name_space.empty() ? "default" : std::string_view(record.name_space);
    if (record.name == name && (name_space.empty() || own == name_space)) {
      found.push_back(&record);
    }
  }
  return found;
}

/// Which pod may be meant: the one of that name in another namespace, one spelt alike, or one whose name goes on.
std::string pod_hint(const io::ClusterDump& dump, std::string_view word) {
  const std::string_view name = word.substr(word.find('/') + 1);  // of a word without one: all of it
  std::vector<std::string> names;
  for (const io::PodRecord& record : dump.pods) {
    if (record.name == name) {
      return fmt::format("there is {}", record.full_name());
    }
    names.push_back(word.size() == name.size() ? record.name : record.full_name());
  }
  std::string nearest = suggest(word, std::vector<std::string_view>(names.begin(), names.end()));
  if (nearest.empty()) {
    const auto longer = std::ranges::find_if(names, [&](const std::string& each) { return each.starts_with(word); });
    nearest = longer == names.end() ? "" : *longer;
  }
  if (!nearest.empty()) {
    return fmt::format("did you mean {}?", nearest);
  }
  const auto pending = std::ranges::find_if(
      dump.pods, [](const io::PodRecord& record) { return record.node_name.empty() && !record.finished(); });
  return pending == dump.pods.end()
             ? "name a pod of the input, or a file"
             : fmt::format("name a pod of the input, or a file; {} is Pending there", pending->full_name());
}

Result<bool> take_named(const io::ClusterDump& dump, const Arguments& arguments, Question& question) {
  const std::string_view word = arguments.get("pod");
  const std::vector<const io::PodRecord*> found = pods_named(dump, arguments, word);
  if (found.empty()) {
    const std::string_view in = arguments.get("namespace");
    return bad_usage(
        fmt::format("--pod: the input has no pod {}{}{}", quote(word), in.empty() ? "" : " in the namespace ", in),
        pod_hint(dump, word));
  }
  if (found.size() > 1) {
    std::vector<std::string> names;
    std::ranges::transform(found, std::back_inserter(names), &io::PodRecord::full_name);
    return bad_usage(fmt::format("--pod: several namespaces have a pod {}", quote(word)),
                     fmt::format("one of {}, or -n", join(names, ", ")));
  }
  objects::Pod pod = io::to_pod(dump, *found.front(), "default");
  note_group(dump, *found.front(), question);
  question.start =
      explain::explain_start(pod, question.input.cluster.resource_slices, question.input.cluster.resource_claims);
  question.pods.push_back(as_pending(std::move(pod), question));
  return true;
}

/// What the scheduler looks at of a pod that waits. Equal specs and labels of a dump have equal indices.
std::string kind_of_pod(const io::PodRecord& record, const objects::Pod& pod, std::size_t number) {
  const bool has_own_volume = std::ranges::any_of(pod.spec->volumes, &objects::Volume::ephemeral);
  if (!pod.spec->resource_claims.empty() || has_own_volume || pod.meta.deletion_timestamp) {
    return fmt::format("{}", number);  // claims and such volumes are the pod's own
  }
  return fmt::format("{} {} {} {} {} {}", record.spec, record.labels, record.name_space, record.owner_kind,
                     record.owner_name, record.nominated_node);
}

Result<bool> take_all_pending(const io::ClusterDump& dump, const Arguments& arguments, Question& question) {
  const std::string_view name_space = arguments.get("namespace");
  const Result<objects::LabelSelector> selector = objects::parse_label_selector(arguments.get("selector"));
  if (!selector) {
    return std::unexpected(selector.error());
  }
  std::unordered_map<std::string, std::size_t> kinds;
  for (const io::PodRecord& record : dump.pods) {
    if (!record.node_name.empty() || record.finished() || !matches(*selector, dump.pod_labels[record.labels])) {
      continue;
    }
    objects::Pod pod = io::to_pod(dump, record, "default");
    if (name_space.empty() || pod.meta.namespace_name == name_space) {
      const std::size_t number = question.pods.size();
      note_group(dump, record, question);
      question.same_as.push_back(kinds.try_emplace(kind_of_pod(record, pod, number), number).first->second);
      question.pods.push_back(std::move(pod));
    }
  }
  question.several = true;
  question.missing_pods = explain::find_missing_pods(io::read_workload_states(dump));
  if (dump.nodes.empty() && dump.pods.empty() && question.missing_pods.empty()) {
    return fail("no-nodes", "the input has no nodes and no pods",
                "kubectl get nodes,pods -A -o json writes the least that is needed");
  }
  if (question.pods.empty()) {
    Diagnostic& warning = question.notes.emplace_back();
    warning.severity = Severity::kWarning;
    warning.code = "no-pending-pods";
    warning.message = fmt::format("no pod{}{} is Pending", name_space.empty() ? "" : " in the namespace ", name_space);
    std::vector<std::string_view> namespaces;
    std::ranges::transform(dump.pods, std::back_inserter(namespaces), &io::PodRecord::name_space);
    if (std::ranges::find(namespaces, name_space) == namespaces.end()) {
      const std::string nearest = suggest(name_space, namespaces);
      warning.hint = nearest.empty() ? "" : fmt::format("did you mean the namespace {}?", nearest);
    }
  }
  return true;
}

/// "KIND/NAMESPACE/NAME", or "KIND/NAME" in the namespace of -n.
Result<explain::WorkloadName> workload_name(const Arguments& arguments) {
  const std::string word(arguments.get("workload"));
  const std::size_t first = word.find('/');
  const std::size_t last = word.rfind('/');
  if (first == std::string::npos || first == 0 || last + 1 == word.size() || std::ranges::count(word, '/') > 2) {
    return bad_usage(fmt::format("--workload takes KIND/NAMESPACE/NAME or KIND/NAME, not {}", quote(word)),
                     "for example --workload job/ml/train");
  }
  explain::WorkloadName name{word.substr(0, first), namespace_of(arguments), word.substr(last + 1)};
  if (last != first) {
    name.namespace_name = word.substr(first + 1, last - first - 1);
  }
  return name;
}

Result<bool> take_workload(const io::ClusterDump& dump, const Arguments& arguments, Question& question) {
  const Result<explain::WorkloadName> name = workload_name(arguments);
  if (!name) {
    return std::unexpected(name.error());
  }
  const std::vector<objects::Pod>& pods = question.input.cluster.pods;
  question.workload = explain::explain_workload(io::read_workload_states(dump), pods, *name);
  if (!question.workload) {
    return bad_usage(fmt::format("--workload: the input has no {} {}/{}", shorten(name->kind),
                                 shorten(name->namespace_name), shorten(name->name)),
                     name->kind == "pod"
                         ? fmt::format("--pod {}/{} asks about a pod", name->namespace_name, name->name)
                         : "the dump must hold the object itself: kubectl get jobs,replicasets,workloads -A -o json");
  }
  for (const std::size_t index : question.workload->waiting) {
    question.pods.push_back(pods[index]);
  }
  question.several = true;
  return true;
}

void note_other_kinds(Question& question) {
  std::vector<std::string> kinds;
  for (const auto& [kind, count] : question.input.other_kinds) {
    kinds.push_back(fmt::format("{} {}", count, kind.empty() ? "without a kind" : shorten(kind)));
  }
  if (!kinds.empty()) {
    Diagnostic& diagnostic = question.notes.emplace_back();
    diagnostic.severity = Severity::kNote;
    diagnostic.code = "other-kinds";
    diagnostic.message = fmt::format("objects that do not matter for scheduling: {}", join(kinds, ", "));
  }
}

/// A pod's name that stands where files are expected; else `usual`.
std::string said_otherwise(const Arguments& arguments, std::string_view usual) {
  for (const std::string_view option : {"CLUSTER", "pods"}) {
    for (const std::string& word : arguments.all(option)) {
      std::error_code error;
      if (!names_file(word) && !std::filesystem::exists(word, error)) {
        return fmt::format("did you mean --pod {}?", word);
      }
    }
  }
  return std::string(usual);
}

}  // namespace

bool asks_all_pending(const Arguments& arguments) {
  return arguments.has("all-pending") || arguments.has("verify");
}

Result<Question> read_question(const Arguments& arguments, Inputs& inputs) {
  const bool all = asks_all_pending(arguments);
  const bool workload = arguments.has("workload");
  const std::string word(arguments.get("pod"));
  if ((all ? 1 : 0) + (workload ? 1 : 0) + (word.empty() ? 0 : 1) != 1) {
    constexpr std::string_view kHint =
        "--pod takes a file or the name of a pod of the input, --all-pending asks about all Pending ones";
    return all || workload ? bad_usage("--pod, --all-pending and --workload exclude each other", std::string(kHint))
                           : bad_usage("no pod given", said_otherwise(arguments, kHint));
  }
  if (!arguments.has("CLUSTER") && !arguments.has("nodes") && !arguments.has("pods") && !arguments.has("objects")) {
    return bad_usage("no cluster given", "name the output of kubectl get ... -o json, or - for standard input");
  }
  const bool from_file = !all && !workload && names_file(word);
  Result<io::ClusterInput> cluster = read_objects(inputs, {"CLUSTER", "nodes", "pods", "objects"});
  Result<io::ClusterInput> file = from_file ? read_objects(inputs, {"pod"}) : io::ClusterInput();
  Diagnostics errors;
  for (const auto* part : {&cluster, &file}) {
    if (!*part) {
      std::ranges::copy(part->error(), std::back_inserter(errors));
    }
  }
  if (!errors.empty()) {
    return std::unexpected(std::move(errors));
  }
  Question question;
  const std::string default_namespace = namespace_of(arguments);
  io::SchedulerInputReader reader(from_file ? default_namespace : "default");
  reader.add(cluster->dump);
  for (Diagnostic& diagnostic : io::expand_workloads(file->dump)) {
    (diagnostic.severity == Severity::kError ? errors : question.notes).push_back(std::move(diagnostic));
  }
  if (!errors.empty()) {
    return std::unexpected(std::move(errors));
  }
  reader.add_others(file->dump);
  Result<io::SchedulerInput> input = std::move(reader).finish();
  if (!input) {
    return std::unexpected(std::move(input.error()));
  }
  question.input = std::move(*input);
  std::ranges::move(std::exchange(question.input.warnings, {}), std::back_inserter(question.notes));
  if (arguments.has("drain")) {
    Diagnostics told;  // by the reader of all objects already
    question.allowed_disruptions =
        io::allowed_disruptions(cluster->dump, io::read_disruption_rules(cluster->dump, told));
  }
  if (Result<bool> taken = all         ? take_all_pending(cluster->dump, arguments, question)
                           : workload  ? take_workload(cluster->dump, arguments, question)
                           : from_file ? take_file(file->dump, default_namespace, question)
                                       : take_named(cluster->dump, arguments, question);
      !taken) {
    return std::unexpected(std::move(taken.error()));
  }
  for (std::size_t i = question.same_as.size(); i < question.pods.size(); ++i) {
    question.same_as.push_back(i);
  }
  std::ranges::move(io::absent_kinds(question.input, question.pods), std::back_inserter(question.notes));
  note_other_kinds(question);
  return question;
}

}  // namespace gpusched::cli
