#include "gpusched/io/workload_states.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "io/kueue_labels.hpp"

namespace gpusched::io {

namespace {

constexpr std::array<std::string_view, 16> kKinds = {
    "Job",         "CronJob",    "ReplicaSet", "ReplicationController",
    "StatefulSet", "Deployment", "DaemonSet",  "JobSet",
    "Workload",    "MPIJob",     "PyTorchJob", "TrainJob",
    "RayCluster",  "RayJob",     "TFJob",      "LeaderWorkerSet",
};

std::string text_of(const Value* object, std::string_view key) {
  const Value* const value = object == nullptr ? nullptr : object->find(key);
  return value != nullptr && value->is_string() ? std::string(value->text()) : std::string();
}

std::optional<std::int64_t> number_of(const Value* object, std::string_view key) {
  const Value* const value = object == nullptr ? nullptr : object->find(key);
  return value != nullptr && value->is_number() ? to_int64(value->text()) : std::nullopt;
}

std::optional<bool> truth_of(const Value* object, std::string_view key) {
  const Value* const value = object == nullptr ? nullptr : object->find(key);
  return value != nullptr && value->is_bool() ? std::optional(value->as_bool()) : std::nullopt;
}

objects::ObjectMeta meta_of(const Value* metadata) {
  objects::ObjectMeta meta;
  meta.name = text_of(metadata, "name");
  meta.namespace_name = text_of(metadata, "namespace");
  if (meta.namespace_name.empty()) {
    meta.namespace_name = "default";
  }
  const Value* const owners = metadata == nullptr ? nullptr : metadata->find("ownerReferences");
  for (const Value& owner : owners == nullptr ? std::span<const Value>() : owners->items()) {
    meta.owner_references.edit().push_back({text_of(&owner, "apiVersion"), text_of(&owner, "kind"),
                                            text_of(&owner, "name"), text_of(&owner, "uid"),
                                            truth_of(&owner, "controller").value_or(false)});
  }
  const Value* const labels = metadata == nullptr ? nullptr : metadata->find("labels");
  for (const Member& label : labels == nullptr ? std::span<const Member>() : labels->members()) {
    if (label.value.is_string()) {
      meta.labels.edit().emplace_back(label.key(), label.value.text());
    }
  }
  return meta;
}

std::vector<objects::PodCondition> conditions_of(const Value* status) {
  std::vector<objects::PodCondition> conditions;
  const Value* const list = status == nullptr ? nullptr : status->find("conditions");
  for (const Value& item : list == nullptr ? std::span<const Value>() : list->items()) {
    conditions.push_back(
        {text_of(&item, "type"), text_of(&item, "status"), text_of(&item, "reason"), text_of(&item, "message")});
  }
  return conditions;
}

objects::WorkloadState state_of(const Value& root, std::string_view kind) {
  const Value* const spec = root.find("spec");
  const Value* const status = root.find("status");
  objects::WorkloadState state;
  state.kind = kind;
  state.meta = meta_of(root.find("metadata"));
  state.wanted = kind == "Job" ? number_of(spec, "parallelism") : number_of(spec, "replicas");
  state.present = kind == "Job" ? number_of(status, "active") : number_of(status, "replicas");
  state.suspended = truth_of(spec, "suspend").value_or(false) || !truth_of(spec, "active").value_or(true);
  state.queue = text_of(spec, "queueName");
  if (const std::string* const queue = objects::find(state.meta.labels, kQueueLabel)) {
    state.queue = *queue;
  }
  state.conditions = conditions_of(status);
  return state;
}

objects::WorkloadEvent event_of(const Value& root) {
  const Value* object = root.find("involvedObject");  // core/v1
  if (object == nullptr) {
    object = root.find("regarding");  // events.k8s.io/v1
  }
  const std::string message = text_of(&root, "message");
  return {text_of(object, "kind"), text_of(object, "namespace"), text_of(object, "name"), text_of(&root, "reason"),
          message.empty() ? text_of(&root, "note") : message};
}

}  // namespace

namespace {

/// scheduling.k8s.io has a Workload of its own, which is no queue's.
bool is_other_workload(const Value& root, std::string_view kind) {
  return kind == "Workload" && text_of(&root, "apiVersion").starts_with("scheduling.k8s.io/");
}

}  // namespace

objects::WorkloadStates read_workload_states(const ClusterDump& dump) {
  objects::WorkloadStates states;
  for (const Document& document : dump.others) {
    const std::string kind = text_of(&document.root, "kind");
    if (kind == "Event") {
      states.events.push_back(event_of(document.root));
    } else if (std::ranges::find(kKinds, kind) != kKinds.end() && !is_other_workload(document.root, kind)) {
      states.workloads.push_back(state_of(document.root, kind));
    }
  }
  return states;
}

}  // namespace gpusched::io
