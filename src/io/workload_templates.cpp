#include "io/workload_templates.hpp"
#include "io/value_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "gpusched/base/ascii.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/io/core_objects.hpp"
#include "gpusched/io/value_json.hpp"

// Where pods hide in workloads: any object with `containers`, however deep. Shapes: apps/v1, batch/v1, JobSet,
// Kubeflow's *ReplicaSpecs, KubeRay's group specs, LeaderWorkerSet, Volcano's tasks, AppWrapper's components.
namespace gpusched::io {

namespace {

bool is_pod_spec(const Value* value) {
  const Value* const containers = value != nullptr && value->is_object() ? value->find("containers") : nullptr;
  return containers != nullptr && containers->is_array() && !containers->items().empty() &&
         containers->items().front().is_object();
}

/// The part of a pod's name that a key stands for: "headGroupSpec" is "head"; keys that every workload has are none.
std::string group_of(std::string_view key) {
  static constexpr std::array<std::string_view, 8> kPlain = {
      "spec", "template", "jobTemplate", "podTemplate", "podSpec", "rayClusterSpec", "rayClusterConfig", "trainer"};
  static constexpr std::array<std::string_view, 5> kEndings = {"GroupSpec", "PodTemplate", "Template", "PodSpec",
                                                               "Spec"};
  if (std::ranges::find(kPlain, key) != kPlain.end() || key.ends_with("ReplicaSpecs")) {
    return {};
  }
  for (const std::string_view ending : kEndings) {
    if (key.ends_with(ending)) {
      return ascii_lower(key.substr(0, key.size() - ending.size()));
    }
  }
  return ascii_lower(key);
}

class TemplateFinder {
 public:
  explicit TemplateFinder(Decoder& decoder) : decoder_(decoder) {}

  void read(const Value& root) { visit(root, {}, {}); }
  std::vector<PodTemplate> take() { return std::move(found_); }

 private:
  struct Place {
    std::string workload, name_space, groups;
    std::vector<Dimension> dimensions;
    bool is_pod = false, per_node = false;
  };

  void visit(const Value& value, std::string_view key, Place place);
  void visit_items(const Value& list, std::string_view key, const Place& place);
  void visit_leader_and_workers(const Value& object, Place place);
  void start_object(const Value& object, Place& place);
  void count(const Value& object, std::string_view key, Place& place);
  [[nodiscard]] std::optional<std::int64_t> number(const Value& object, std::string_view key);
  void add(objects::Pod pod, Place place);
  void add_trainer(const Value& trainer, Place place);

  Decoder& decoder_;
  std::vector<PodTemplate> found_;
};

void TemplateFinder::visit(const Value& value, std::string_view key, Place place) {
  if (value.is_array()) {
    visit_items(value, key, place);
    return;
  }
  if (!value.is_object()) {
    return;
  }
  start_object(value, place);
  count(value, key, place);
  const Value* const spec = value.find("spec");
  const bool is_template = is_pod_spec(spec);
  if (is_template) {
    add(decode_pod(decoder_, value), place);
  } else if (is_pod_spec(&value)) {  // a pod spec without a template around it
    const Result<std::vector<Document>> wrapped =
        parse_documents({decoder_.document().source_name(), fmt::format(R"({{"spec":{}}})", to_json(value))});
    if (wrapped) {
      Decoder inner(wrapped->front());
      add(decode_pod(inner, wrapped->front().root), place);
      for (const Diagnostic& error : inner.take_diagnostics()) {
        decoder_.error(value, error.code, error.message, error.hint);
      }
    }
    return;
  }
  for (const Member& member : value.members()) {
    if (member.key() == "metadata" || member.key() == "status" || (is_template && member.key() == "spec")) {
      continue;
    }
    decoder_.at_key(member.key(), [&] {
      if (member.key() == "leaderWorkerTemplate" && member.value.is_object()) {
        visit_leader_and_workers(member.value, place);
        return;
      }
      Place inner = place;
      if (const std::string group = group_of(member.key()); !group.empty() && !member.value.is_array()) {
        inner.groups += '-' + group;
      }
      if (member.key() == "trainer" && member.value.is_object()) {
        add_trainer(member.value, inner);
      }
      visit(member.value, member.key(), std::move(inner));
    });
  }
}

void TemplateFinder::visit_items(const Value& list, std::string_view key, const Place& place) {
  for (std::size_t i = 0; i < list.items().size(); ++i) {
    const Value& item = list.items()[i];
    Place inner = place;
    std::string_view name = text_of(item, "name");
    if (name.empty()) {
      name = text_of(item, "groupName");
    }
    if (!name.empty()) {
      inner.groups += fmt::format("-{}", name);
    } else if (list.items().size() > 1) {
      inner.groups += fmt::format("-{}", i);
    }
    decoder_.at_index(i, [&] { visit(item, key, std::move(inner)); });
  }
}

// Each group has one leader and size - 1 workers; the leader is made of the workers' template when it has none.
void TemplateFinder::visit_leader_and_workers(const Value& object, Place place) {
  if (place.dimensions.empty()) {
    place.dimensions.emplace_back();  // replicas: 1
  }
  const std::int64_t size = number(object, "size").value_or(1);
  const Value* const leader = object.find("leaderTemplate");
  const Value* const worker = object.find("workerTemplate");
  const std::string_view leader_key = leader != nullptr && leader->is_object() ? "leaderTemplate" : "workerTemplate";
  if (const Value* const value = object.find(leader_key); value != nullptr) {
    decoder_.at_key(leader_key, [&] { visit(*value, leader_key, place); });
  }
  if (worker != nullptr) {
    Place inner = place;
    inner.dimensions.push_back({std::max<std::int64_t>(size - 1, 0), 1});
    decoder_.at_key("workerTemplate", [&] { visit(*worker, "workerTemplate", std::move(inner)); });
  }
}

// The workload itself, or one that another wraps: pods are named after the innermost.
void TemplateFinder::start_object(const Value& object, Place& place) {
  const std::string_view kind = text_of(object, "kind");
  const Value* const metadata = object.find("metadata");
  if (kind.empty() || text_of(object, "apiVersion").empty() || metadata == nullptr) {
    return;
  }
  std::string_view name = text_of(*metadata, "name");
  if (name.empty()) {
    name = text_of(*metadata, "generateName");
  }
  while (name.ends_with('-')) {
    name.remove_suffix(1);
  }
  place.is_pod = kind == "Pod";
  place.per_node = kind == "DaemonSet";
  place.workload = place.is_pod ? std::string(name) : fmt::format("{}/{}", ascii_lower(kind), name);
  place.groups.clear();
  if (const std::string_view name_space = text_of(*metadata, "namespace"); !name_space.empty()) {
    place.name_space = name_space;
  }
}

std::optional<std::int64_t> TemplateFinder::number(const Value& object, std::string_view key) {
  const Value* const value = object.find(key);
  if (value == nullptr || (!value->is_number() && !value->is_string())) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> number = value->is_number() ? to_int64(value->text()) : std::nullopt;
  if (!number || *number < 0 || *number > INT32_MAX) {
    decoder_.error_at(
        key, value->offset(), "invalid-count",
        fmt::format("{}: expected a whole number from 0 to {}, found {}", quote(key), INT32_MAX, describe(*value)));
    return 0;
  }
  return number;
}

void TemplateFinder::count(const Value& object, std::string_view key, Place& place) {
  // batch/v1: so many pods run at once; never more than are still to be completed.
  const std::optional<std::int64_t> parallelism = number(object, "parallelism");
  const std::optional<std::int64_t> completions = number(object, "completions");
  if (parallelism || (completions && object.find("template") != nullptr)) {
    place.dimensions.push_back({std::min(parallelism.value_or(1), completions.value_or(INT32_MAX))});
  }
  std::optional<std::int64_t> replicas = number(object, "replicas");
  if (!replicas && key == "workerGroupSpecs") {
    replicas = number(object, "minReplicas").value_or(0);  // KubeRay's default
  }
  const Value* const ordinals = object.find("ordinals");
  if (replicas) {
    const bool numbered = ordinals != nullptr && ordinals->is_object();
    place.dimensions.push_back({*replicas, numbered ? number(*ordinals, "start").value_or(0) : 0});
  }
  for (const std::string_view name : {"numOfHosts", "count", "numNodes"}) {
    if (const std::optional<std::int64_t> hosts = number(object, name);
        hosts && (*hosts != 1 || name != "numOfHosts")) {
      place.dimensions.push_back({*hosts});
    }
  }
}

void TemplateFinder::add(objects::Pod pod, Place place) {
  PodTemplate& found = found_.emplace_back();
  found.name = place.workload + place.groups;
  found.name_space = place.name_space.empty() ? pod.meta.namespace_name : place.name_space;
  found.pointer = decoder_.pointer();
  found.pod = std::move(pod);
  found.dimensions = std::move(place.dimensions);
  found.one_pod = place.is_pod && found.dimensions.empty();
  found.per_node = place.per_node;
}

// Kubeflow's TrainJob takes its pods from a runtime in the cluster; what a node of it needs stands here.
void TemplateFinder::add_trainer(const Value& trainer, Place place) {
  const Value* const resources = trainer.find("resourcesPerNode");
  if (resources == nullptr || !resources->is_object()) {
    return;
  }
  const Result<std::vector<Document>> made =
      parse_documents({decoder_.document().source_name(),
                       fmt::format(R"({{"spec":{{"containers":[{{"resources":{}}}]}}}})", to_json(*resources))});
  if (made) {
    Decoder inner(made->front());
    place.dimensions.push_back({number(trainer, "numNodes").value_or(1)});
    place.groups += "-node";
    add(decode_pod(inner, made->front().root), std::move(place));
    for (const Diagnostic& error : inner.take_diagnostics()) {
      decoder_.error(*resources, error.code, error.message, error.hint);
    }
  }
}

}  // namespace

std::vector<PodTemplate> find_pod_templates(Decoder& decoder, const Value& object) {
  TemplateFinder finder(decoder);
  finder.read(object);
  return finder.take();
}

}  // namespace gpusched::io
