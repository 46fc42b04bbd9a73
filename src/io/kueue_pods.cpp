#include "io/kueue_pods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "gpusched/base/text.hpp"
#include "gpusched/io/scheduler_input.hpp"
#include "io/kueue_jobs.hpp"
#include "io/kueue_labels.hpp"

namespace gpusched::io {

namespace {

constexpr std::string_view kTotalCount = "kueue.x-k8s.io/pod-group-total-count";
constexpr std::string_view kFastAdmission = "kueue.x-k8s.io/pod-group-fast-admission";
constexpr std::string_view kRoleHash = "kueue.x-k8s.io/role-hash";
constexpr std::string_view kGate = "kueue.x-k8s.io/admission";

std::string_view value_of(const objects::Labels& labels, std::string_view key) {
  const std::string* const value = objects::find(labels, key);
  return value == nullptr ? std::string_view() : std::string_view(*value);
}

objects::Labels annotations_of(const PodRecord& record) {
  objects::Labels annotations;
  if (record.annotations.empty()) {
    return annotations;
  }
  const Result<std::vector<Document>> documents = parse_documents({"annotations", record.annotations});
  if (!documents || !documents->front().root.is_object()) {
    return annotations;
  }
  for (const Member& member : documents->front().root.members()) {
    if (member.value.is_string()) {
      annotations.emplace_back(std::string(member.key()), std::string(member.value.text()));
    }
  }
  return annotations;
}

/// What Kueue hashes for a role, as far as it decides where a pod can go.
objects::PodSpec role_spec(objects::PodSpec spec) {
  objects::PodSpec role;
  for (auto* const list : {&spec.init_containers, &spec.containers}) {
    auto& kept = list == &spec.containers ? role.containers : role.init_containers;
    for (objects::Container& container : *list) {
      objects::Container& shape = kept.emplace_back();
      shape.resources.requests = std::move(container.resources.requests);
      for (const auto& [name, quantity] : container.resources.limits) {  // the API server's default
        if (objects::find(shape.resources.requests, name) == nullptr) {
          shape.resources.requests.emplace_back(name, quantity);
        }
      }
      shape.ports = std::move(container.ports);
    }
  }
  role.overhead = std::move(spec.overhead);
  role.node_selector = std::move(spec.node_selector);
  role.affinity = std::move(spec.affinity);
  role.tolerations = std::move(spec.tolerations);
  role.topology_spread_constraints = std::move(spec.topology_spread_constraints);
  role.priority = spec.priority;
  role.resource_claims = std::move(spec.resource_claims);
  role.runtime_class_name = std::move(spec.runtime_class_name);
  return role;
}

bool is_gated(const objects::Pod& pod) {
  return std::ranges::find(pod.spec->scheduling_gates, kGate) != pod.spec->scheduling_gates.end();
}

/// Neither failed nor deleted before it had a node.
bool is_active(const objects::Pod& pod) {
  return pod.phase != "Failed" && !(pod.meta.deletion_timestamp && pod.node_name.empty());
}

objects::PodSet pod_set_of(const objects::Pod& pod, std::string name) {
  objects::PodSet set;
  set.name = std::move(name);
  set.count = 1;
  set.topology = pod_set_topology(pod.meta);
  set.spec = pod.spec;
  return set;
}

/// Pods of one group, in the order of the input.
class PodGroup {
 public:
  PodGroup(std::string name, std::vector<objects::Pod> pods) : name_(std::move(name)), pods_(std::move(pods)) {}

  /// Why Kueue makes no Workload of it; "" when it does.
  [[nodiscard]] std::string problem() const;
  [[nodiscard]] objects::Workload workload();

 private:
  [[nodiscard]] std::optional<std::int32_t> total() const {
    return whole_number(value_of(pods_.front().meta.annotations, kTotalCount));
  }
  [[nodiscard]] bool is_fast() const {
    return objects::find(pods_.front().meta.annotations, kFastAdmission) != nullptr;
  }
  void drop_excess();
  [[nodiscard]] std::vector<objects::PodSet> roles() const;

  std::string name_;
  std::vector<objects::Pod> pods_;
};

std::string PodGroup::problem() const {
  const objects::Pod& first = pods_.front();
  if (!total() || *total() < 1) {
    return fmt::format("its pods need an annotation {} of 1 or more", quote(kTotalCount));
  }
  const auto active = std::ranges::count_if(pods_, is_active);
  if (active == 0 || (!is_fast() && active < *total())) {
    return fmt::format("'{}' group has fewer runnable pods than expected", name_);
  }
  if (std::ranges::any_of(pods_, [](const objects::Pod& pod) { return is_active(pod) && !pod.node_name.empty(); })) {
    return "its pods run already, and its Workload is not in the input";
  }
  for (const objects::Pod& pod : pods_) {
    if (pod.phase == "Failed") {
      continue;
    }
    const std::string_view queue = value_of(pod.meta.labels, kQueueLabel);
    if (const std::string_view wanted = value_of(first.meta.labels, kQueueLabel); queue != wanted) {
      return fmt::format("pods '{}' and '{}' has different queue names: {}!={}", first.meta.name, pod.meta.name, wanted,
                         queue);
    }
    if (const std::string_view count = value_of(pod.meta.annotations, kTotalCount); whole_number(count) != total()) {
      return fmt::format("pods '{}' and '{}' has different '{}' values: {}!={}", first.meta.name, pod.meta.name,
                         kTotalCount, *total(), count);
    }
  }
  constexpr std::size_t kMostRoles = 8;
  return roles().size() > kMostRoles ? fmt::format("pod group can't include more than {} roles", kMostRoles)
                                     : std::string();
}

/// Pods beyond the total are deleted: gated ones first, newer ones first.
void PodGroup::drop_excess() {
  std::erase_if(pods_, [](const objects::Pod& pod) { return !is_active(pod); });
  if (std::cmp_less_equal(pods_.size(), *total())) {
    return;
  }
  std::ranges::stable_sort(
      pods_, {}, [](const objects::Pod& pod) { return std::pair(is_gated(pod), pod.meta.creation_timestamp); });
  pods_.resize(static_cast<std::size_t>(*total()));
}

std::vector<objects::PodSet> PodGroup::roles() const {
  std::vector<objects::PodSet> sets;
  std::vector<objects::PodSpec> specs;
  for (const objects::Pod& pod : pods_) {
    if (!is_active(pod)) {
      continue;
    }
    const std::string_view hash = value_of(pod.meta.annotations, kRoleHash);
    objects::PodSpec spec = role_spec(pod.spec);
    const auto known = hash.empty() ? std::ranges::find(specs, spec) - specs.begin()
                                    : std::ranges::find(sets, hash, &objects::PodSet::name) - sets.begin();
    if (std::cmp_less(known, sets.size())) {
      ++sets[static_cast<std::size_t>(known)].count;
      continue;
    }
    sets.push_back(pod_set_of(pod, hash.empty() ? fmt::format("role-{}", sets.size() + 1) : std::string(hash)));
    specs.push_back(std::move(spec));
    if (is_fast()) {
      sets.front().count = *total();  // the first pod stands for all of them
      return sets;
    }
  }
  std::ranges::sort(sets, {}, &objects::PodSet::name);
  return sets;
}

objects::Workload workload_of(const objects::Pod& pod, std::string name, std::vector<objects::PodSet> sets) {
  objects::Workload workload;
  workload.meta.name = std::move(name);
  workload.meta.namespace_name = pod.meta.namespace_name;
  workload.meta.uid = pod.meta.uid;
  workload.meta.creation_timestamp = pod.meta.creation_timestamp;
  workload.meta.owner_references.edit() = {{"v1", "Pod", pod.meta.name, pod.meta.uid, true}};
  workload.queue_name = value_of(pod.meta.labels, kQueueLabel);
  workload.pod_sets = std::move(sets);
  take_priority_class(pod.meta.labels, workload);
  return workload;
}

objects::Workload PodGroup::workload() {
  drop_excess();
  objects::Workload made = workload_of(pods_.front(), name_, roles());
  for (const objects::Pod& pod : pods_) {  // it is made when the last of them is there
    made.meta.creation_timestamp = std::max(made.meta.creation_timestamp, pod.meta.creation_timestamp);
  }
  return made;
}

Diagnostic no_workload(const std::string& key, std::string why) {
  Diagnostic warning;
  warning.severity = Severity::kWarning;
  warning.code = "pod-group";
  warning.object = fmt::format("pod group {}", key);
  warning.message = fmt::format("Kueue makes no Workload of it: {}", why);
  return warning;
}

}  // namespace

std::vector<objects::Workload> workloads_of_pods(const ClusterDump& dump, std::string_view default_namespace,
                                                 std::span<const objects::Workload> known, Diagnostics& warnings) {
  std::vector<objects::Workload> workloads;
  std::map<std::pair<std::string, std::string>, std::vector<objects::Pod>> groups;  // by namespace and name
  for (const PodRecord& record : dump.pods) {
    const objects::Labels& labels = dump.pod_labels[record.labels];
    if (value_of(labels, kQueueLabel).empty() || !record.owner_name.empty() || !record.workload.empty()) {
      continue;
    }
    objects::Pod pod = to_pod(dump, record, default_namespace);
    pod.meta.annotations = annotations_of(record);
    if (const std::string_view group = value_of(labels, kPodGroupLabel); !group.empty()) {
      groups[{pod.meta.namespace_name, std::string(group)}].push_back(std::move(pod));
    } else if (record.node_name.empty() && !record.finished() && !record.deleted) {
      workloads.push_back(workload_of(pod, "pod-" + pod.meta.name, {pod_set_of(pod, "main")}));
    }
  }
  for (auto& [key, pods] : groups) {
    const bool is_known = std::ranges::any_of(known, [&](const objects::Workload& workload) {
      return workload.meta.namespace_name == key.first && workload.meta.name == key.second;
    });
    const auto has_ended = [](const objects::Pod& pod) { return pod.phase == "Succeeded"; };
    if (is_known || std::ranges::all_of(pods, has_ended)) {
      continue;
    }
    PodGroup group(key.second, std::move(pods));
    if (std::string problem = group.problem(); !problem.empty()) {
      warnings.push_back(no_workload(fmt::format("{}/{}", key.first, key.second), std::move(problem)));
    } else {
      workloads.push_back(group.workload());
    }
  }
  return workloads;
}

}  // namespace gpusched::io
