#include "io/pod_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "gpusched/base/ascii.hpp"
#include "gpusched/io/model_reader.hpp"
#include "gpusched/objects/meta.hpp"
#include "gpusched/objects/pod_defaults.hpp"
#include "io/kueue_labels.hpp"

// Which pods of a dump are one job, and what the objects around them say of it: PodGroups of Kubernetes
// (scheduling.k8s.io), of scheduler-plugins (scheduling.x-k8s.io) and of Volcano, Volcano's Jobs, Kueue's pod groups
// and queue names, JobSets, LeaderWorkerSets.
namespace gpusched::io {

namespace {

constexpr std::string_view kJobSetTopology = "alpha.jobset.sigs.k8s.io/exclusive-topology";
constexpr std::string_view kLeaderWorkerSetTopology = "leaderworkerset.sigs.k8s.io/exclusive-topology";
constexpr std::array<std::string_view, 3> kGroupLabels = {"scheduling.x-k8s.io/pod-group",
                                                          "pod-group.scheduling.sigs.k8s.io", kPodGroupLabel};
// Each of their pods is of use by itself.
constexpr std::array<std::string_view, 7> kIndependent = {
    "daemonset", "deployment", "pod", "podtemplate", "replicaset", "replicationcontroller", "statefulset"};

std::string group_name(std::string_view name_space, std::string_view kind, std::string_view name) {
  return fmt::format("{}{}{}/{}", name_space, name_space.empty() ? "" : "/", ascii_lower(kind), name);
}

std::string_view label(const objects::Labels& labels, std::string_view key) {
  const std::string* const value = objects::find(labels, key);
  return value == nullptr ? std::string_view() : std::string_view(*value);
}

const Value* find_path(const Value& root, std::initializer_list<std::string_view> path) {
  const Value* value = &root;
  for (const std::string_view key : path) {
    value = value->is_object() ? value->find(key) : nullptr;
    if (value == nullptr) {
      return nullptr;
    }
  }
  return value;
}

std::string text_at(const Value& root, std::initializer_list<std::string_view> path) {
  const Value* const value = find_path(root, path);
  return value != nullptr && value->is_string() ? std::string(value->text()) : std::string();
}

std::int32_t count_at(const Value& root, std::initializer_list<std::string_view> path) {
  const Value* const value = find_path(root, path);
  const std::optional<std::int64_t> number =
      value != nullptr && value->is_number() ? to_int64(value->text()) : std::nullopt;
  return number && *number > 0 && *number <= INT32_MAX ? static_cast<std::int32_t>(*number) : 0;
}

using Priorities = std::map<std::string, std::int32_t>;  // by PriorityClass

Priorities priorities_of(const ClusterDump& dump) {
  Priorities priorities;
  for (const Document& document : dump.others) {
    const Value* const value = find_path(document.root, {"value"});
    if (text_at(document.root, {"kind"}) == "PriorityClass" && value != nullptr && value->is_number()) {
      if (const std::optional<std::int64_t> number = to_int64(value->text());
          number && std::in_range<std::int32_t>(*number)) {
        priorities[text_at(document.root, {"metadata", "name"})] = static_cast<std::int32_t>(*number);
      }
    }
  }
  return priorities;
}

/// The queue and the priority that Volcano's PodGroups and Jobs name.
void read_volcano(const Value& root, const Priorities& priorities, GroupFacts& facts) {
  if (std::string queue = text_at(root, {"spec", "queue"}); !queue.empty()) {
    facts.queue = std::move(queue);
  }
  const std::string name = text_at(root, {"spec", "priorityClassName"});
  const std::optional<std::int32_t> of_system = objects::system_priority(name);
  if (const auto found = priorities.find(name); found != priorities.end()) {
    facts.priority = found->second;
  } else if (of_system) {
    facts.priority = of_system;
  }
}

/// minAvailable; without it what the webhook of Volcano makes of the tasks.
std::int32_t min_available(const Value& root) {
  if (const std::int32_t own = count_at(root, {"spec", "minAvailable"}); own > 0) {
    return own;
  }
  const Value* const tasks = find_path(root, {"spec", "tasks"});
  std::int64_t sum = 0;
  bool any = false;
  for (std::size_t i = 0; tasks != nullptr && tasks->is_array() && i < tasks->items().size(); ++i) {
    const Value& task = tasks->items()[i];
    const Value* const own = find_path(task, {"minAvailable"});
    any |= own != nullptr;
    sum += own != nullptr                             ? count_at(task, {"minAvailable"})
           : find_path(task, {"replicas"}) != nullptr ? count_at(task, {"replicas"})
                                                      : 1;
  }
  return any && std::in_range<std::int32_t>(sum) ? static_cast<std::int32_t>(sum) : 0;
}

GroupFacts facts_of(const Value& root, std::string_view kind, const Priorities& priorities) {
  GroupFacts facts;
  facts.queue = text_at(root, {"metadata", "labels", kQueueLabel});
  const std::string version = text_at(root, {"apiVersion"});
  if (version.starts_with("scheduling.volcano.sh/") || version.starts_with("batch.volcano.sh/")) {
    read_volcano(root, priorities, facts);
  }
  if (kind == "Job" && version.starts_with("batch.volcano.sh/")) {
    facts.min_pods = min_available(root);
    return facts;
  }
  if (kind == "PodGroup") {
    facts.min_pods = std::max(count_at(root, {"spec", "schedulingPolicy", "gang", "minCount"}),
                              count_at(root, {"spec", "minMember"}));
    if (find_path(root, {"spec", "schedulingPolicy", "basic"}) != nullptr) {
      facts.min_pods = 1;
    }
    if (const std::int32_t seconds = count_at(root, {"spec", "scheduleTimeoutSeconds"}); seconds > 0) {
      facts.hold_timeout_ms = std::int64_t{seconds} * 1000;
    }
    const Value* const topology = find_path(root, {"spec", "schedulingConstraints", "topology"});
    if (topology != nullptr && !topology->items().empty()) {
      facts.topology_key = text_at(topology->items().front(), {"key"});
    }
    return facts;
  }
  facts.max_restarts = count_at(root, {"spec", "failurePolicy", "maxRestarts"});
  for (const std::string_view key : {kJobSetTopology, kLeaderWorkerSetTopology}) {
    if (std::string topology = text_at(root, {"metadata", "annotations", key}); !topology.empty()) {
      facts.topology_key = std::move(topology);
      facts.exclusive = true;
    }
  }
  if (kind == "Workload") {
    facts.queue = text_at(root, {"spec", "queueName"});
  }
  return facts;
}

/// Volcano's group of a pod without a Job.
std::string annotated_group(const std::string& annotations) {
  if (annotations.empty()) {
    return {};
  }
  const Result<std::vector<Document>> documents = parse_documents({"annotations", annotations});
  if (!documents) {
    return {};
  }
  std::string name = text_at(documents->front().root, {"scheduling.k8s.io/group-name"});
  return name.empty() ? text_at(documents->front().root, {"scheduling.volcano.sh/group-name"}) : name;
}

/// The Job that a PodGroup was made for; "" when there is none.
std::string job_of_group(const Value& root) {
  const Value* const owners = find_path(root, {"metadata", "ownerReferences"});
  for (std::size_t i = 0; owners != nullptr && owners->is_array() && i < owners->items().size(); ++i) {
    const Value& owner = owners->items()[i];
    if (text_at(owner, {"kind"}) == "Job" && text_at(owner, {"apiVersion"}).starts_with("batch.volcano.sh/")) {
      return text_at(owner, {"name"});
    }
  }
  return {};
}

}  // namespace

std::string pod_group(const ClusterDump& dump, const PodRecord& record) {
  if (record.spec < dump.pod_group_names.size() && !dump.pod_group_names[record.spec].empty()) {
    return group_name(record.name_space, "podgroup", dump.pod_group_names[record.spec]);
  }
  const objects::Labels& labels = dump.pod_labels[record.labels];
  for (const std::string_view key : kGroupLabels) {
    if (const std::string_view name = label(labels, key); !name.empty()) {
      return group_name(record.name_space, "podgroup", name);
    }
  }
  if (const std::string_view name = label(labels, "volcano.sh/job-name"); !name.empty()) {
    return group_name(record.name_space, "job", name);
  }
  if (const std::string name = annotated_group(record.annotations); !name.empty()) {
    return group_name(record.name_space, "podgroup", name);
  }
  if (const std::string_view name = label(labels, "jobset.sigs.k8s.io/jobset-name"); !name.empty()) {
    return group_name(record.name_space, "jobset", name);
  }
  if (const std::string_view name = label(labels, "leaderworkerset.sigs.k8s.io/name"); !name.empty()) {
    const std::string_view group = label(labels, "leaderworkerset.sigs.k8s.io/group-index");
    return group_name(record.name_space, "leaderworkerset", name) + (group.empty() ? "" : fmt::format("-{}", group));
  }
  const std::size_t slash = record.workload.find('/');
  const std::string kind =
      ascii_lower(slash == std::string::npos ? record.owner_kind : record.workload.substr(0, slash));
  const std::string name = slash == std::string::npos ? record.owner_name : record.workload.substr(slash + 1);
  const bool independent = kind.empty() || std::ranges::find(kIndependent, kind) != kIndependent.end();
  return independent ? std::string() : group_name(record.name_space, kind, name);
}

void ModelReader::read_groups(const ClusterDump& dump) {
  const Priorities priorities = priorities_of(dump);
  for (const Document& document : dump.others) {
    const std::string kind = text_at(document.root, {"kind"});
    const std::string name = text_at(document.root, {"metadata", "name"});
    if (!name.empty()) {
      GroupFacts facts = facts_of(document.root, kind, priorities);
      if (!facts.topology_key.empty()) {
        builder_.text(facts.topology_key);  // so that the labels of nodes are kept
      }
      const std::string name_space = text_at(document.root, {"metadata", "namespace"});
      if (const std::string job = kind == "PodGroup" ? job_of_group(document.root) : std::string(); !job.empty()) {
        groups_.try_emplace(group_name(name_space, "job", job), facts);
      }
      groups_.insert_or_assign(group_name(name_space, kind, name), std::move(facts));
    }
  }
}

namespace {

/// A pod's name without the number that its controller counts it by.
std::string_view child_job(std::string_view pod) {
  return pod.substr(0, pod.rfind('-'));
}

}  // namespace

void ModelReader::make_jobs_of_pods() {
  if (pod_duration_ms_ < 0) {
    return;
  }
  std::map<std::string, std::size_t> job_of;
  std::vector<std::string> last_child(jobs_.size());
  for (const WantedPod& pod : pods_) {
    const auto pod_name = std::string(builder_.shape().text(pod.name));
    const auto found = pod.group.empty() ? job_of.end() : job_of.find(pod.group);
    if (found == job_of.end()) {
      WantedJob wanted;
      wanted.job.name = pod.group.empty() ? pod.name : builder_.text(pod.group);
      wanted.job.duration_ms = pod_duration_ms_;
      wanted.job.priority = builder_.shape().pod_classes[pod.pod_class.index()].priority;
      if (const auto facts = groups_.find(pod.group); facts != groups_.end()) {
        wanted.job.priority = facts->second.priority.value_or(wanted.job.priority);
        wanted.job.min_pods = facts->second.min_pods;
        wanted.job.hold_timeout_ms = facts->second.hold_timeout_ms;
        wanted.job.max_restarts = facts->second.max_restarts;
        wanted.job.queue = facts->second.queue.empty() ? StringId{} : builder_.text(facts->second.queue);
        if (!facts->second.topology_key.empty()) {
          wanted.job.topology = {builder_.text(facts->second.topology_key), facts->second.exclusive};
        }
      }
      if (!pod.group.empty()) {
        job_of.emplace(pod.group, jobs_.size());
      }
      wanted.job.pod_sets.push_back({{}, pod.pod_class, 1});
      jobs_.push_back(std::move(wanted));
      last_child.emplace_back(child_job(pod_name));
      continue;
    }
    Job& job = jobs_[found->second].job;
    std::string& child = last_child[found->second];
    const bool same_child = !job.topology.exclusive || child == child_job(pod_name);
    if (job.pod_sets.back().pod_class == pod.pod_class && same_child) {
      ++job.pod_sets.back().count;
    } else {
      job.pod_sets.push_back({{}, pod.pod_class, 1});
    }
    child = child_job(pod_name);
  }
  pods_.clear();
}

}  // namespace gpusched::io
