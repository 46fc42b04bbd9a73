#include "io/kueue_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "gpusched/base/ascii.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/objects/pod_defaults.hpp"
#include "io/core_fields.hpp"
#include "io/kueue_labels.hpp"
#include "io/value_fields.hpp"
#include "io/workload_templates.hpp"

namespace gpusched::io {

namespace {

constexpr std::string_view kPriorityLabel = "kueue.x-k8s.io/priority-class";
constexpr std::string_view kWorkloadPriorityClass = "WorkloadPriorityClass";
constexpr std::string_view kPriorityClass = "PriorityClass";
constexpr std::int64_t kMaxWorkloads = 100'000;  // of one object

std::string annotation(const objects::ObjectMeta& meta, std::string_view name) {
  const std::string* const value = objects::find(meta.annotations, fmt::format("kueue.x-k8s.io/{}", name));
  return value == nullptr ? std::string() : *value;
}

std::optional<std::string> unless_empty(std::string text) {
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

}  // namespace

std::optional<std::int32_t> whole_number(std::string_view text) {
  const std::optional<std::int64_t> number = to_int64(text);
  const bool fits = number && *number >= 0 && *number <= core::kMaxInt32;
  return fits ? std::optional(static_cast<std::int32_t>(*number)) : std::nullopt;
}

// Numbers of pods that other tools read play no part here.
std::optional<objects::PodSetTopologyRequest> pod_set_topology(const objects::ObjectMeta& pod) {
  objects::PodSetTopologyRequest request;
  request.required = unless_empty(annotation(pod, "podset-required-topology"));
  if (!request.required) {
    request.preferred = unless_empty(annotation(pod, "podset-preferred-topology"));
  }
  const std::string unconstrained = annotation(pod, "podset-unconstrained-topology");
  if (!request.required && !request.preferred && !unconstrained.empty()) {
    request.unconstrained = ascii_lower(unconstrained) == "true" || unconstrained == "1";
  }
  const auto slice_size = whole_number(annotation(pod, "podset-slice-size"));
  if (std::string slice = annotation(pod, "podset-slice-required-topology"); !slice.empty() && slice_size) {
    request.slice_topology = std::move(slice);
    request.slice_size = slice_size;
  }
  if (request.required || request.preferred) {
    request.pod_set_group = unless_empty(annotation(pod, "podset-group-name"));
  }
  return request == objects::PodSetTopologyRequest() ? std::nullopt : std::optional(std::move(request));
}

void take_priority_class(const objects::Labels& labels, objects::Workload& workload) {
  if (const std::string* const name = objects::find(labels, kPriorityLabel)) {
    workload.priority_class = *name;
    workload.priority_class_kind = kWorkloadPriorityClass;
    return;
  }
  for (const objects::PodSet& set : workload.pod_sets) {
    if (!set.spec.priority_class_name.empty()) {
      workload.priority_class = set.spec.priority_class_name;
      workload.priority_class_kind = kPriorityClass;
      return;
    }
  }
}

namespace {

/// Whether a condition of the object says that it has ended.
bool has_ended(const Value& object) {
  static constexpr std::array<std::string_view, 4> kEnds = {"Complete", "Completed", "Failed", "Succeeded"};
  const Value* const status = object.find("status");
  const Value* const conditions = status != nullptr && status->is_object() ? status->find("conditions") : nullptr;
  return conditions != nullptr && conditions->is_array() &&
         std::ranges::any_of(conditions->items(), [](const Value& condition) {
           return text_of(condition, "status") == "True" &&
                  std::ranges::find(kEnds, text_of(condition, "type")) != kEnds.end();
         });
}

/// Kinds that carry the label for somebody else, or whose pods Kueue leaves alone.
bool is_admitted(std::string_view kind) {
  static constexpr std::array<std::string_view, 6> kOthers = {"CronJob",    "DaemonSet",   "Workload",
                                                              "LocalQueue", "PodTemplate", "ReplicaSet"};
  return std::ranges::find(kOthers, kind) == kOthers.end();
}

/// The order in which controllers list the parts of their jobs, whatever the object's is.
std::size_t rank_of(const objects::PodSet& set) {
  static constexpr std::array<std::string_view, 7> kOrder = {"launcher", "leader", "chief",    "master",
                                                             "ps",       "worker", "evaluator"};
  return static_cast<std::size_t>(std::ranges::find(kOrder, set.name) - kOrder.begin());
}

class JobReader {
 public:
  JobReader(Decoder& decoder, const Value& object) : decoder_(decoder), object_(object) {}

  std::vector<objects::Workload> read();

 private:
  [[nodiscard]] objects::PodSet pod_set(PodTemplate found, std::size_t outer) const;
  [[nodiscard]] std::vector<objects::Workload> several(const objects::Workload& each, std::int64_t count,
                                                       std::string_view pointer) const;
  [[nodiscard]] std::int32_t product(const PodTemplate& found, std::size_t outer) const;

  Decoder& decoder_;
  const Value& object_;
  objects::ObjectMeta meta_;
  std::string kind_;
};

// A count beyond what a pod set holds is an error: the product of numbers that were each allowed.
std::int32_t JobReader::product(const PodTemplate& found, std::size_t outer) const {
  std::int64_t count = 1;
  for (std::size_t level = outer; level < found.dimensions.size(); ++level) {
    count *= found.dimensions[level].count;  // both below 2^31
    if (count > core::kMaxInt32) {
      decoder_.error(object_, "invalid-count",
                     fmt::format("the template at {} makes more than {} pods", found.pointer, core::kMaxInt32));
      return 0;
    }
  }
  return static_cast<std::int32_t>(count);
}

// The name of a template is "kind/object-part"; a part without a name is the main one.
objects::PodSet JobReader::pod_set(PodTemplate found, std::size_t outer) const {
  const std::size_t workload = fmt::format("{}/{}", ascii_lower(kind_), meta_.name).size();
  objects::PodSet set;
  set.name = found.name.size() > workload + 1 ? ascii_lower(found.name.substr(workload + 1)) : "main";
  set.count = product(found, outer);
  if (kind_ == "Job") {
    set.min_count = whole_number(annotation(meta_, "job-min-parallelism"));
  }
  set.topology = pod_set_topology(found.pod.meta);
  set.spec = std::move(found.pod.spec);
  return set;
}

std::vector<objects::Workload> JobReader::several(const objects::Workload& each, std::int64_t count,
                                                  std::string_view pointer) const {
  if (count > kMaxWorkloads) {
    decoder_.error(object_, "invalid-count",
                   fmt::format("the template at {} makes more than {} Workloads", pointer, kMaxWorkloads));
    return {};
  }
  std::vector<objects::Workload> workloads(static_cast<std::size_t>(count), each);
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    workloads[i].meta.name += fmt::format("-{}", i);
  }
  return workloads;
}

std::vector<objects::Workload> JobReader::read() {
  ObjectReader reader(decoder_, object_, "workload");
  reader.ignore_other_keys();
  meta_ = core::read_meta(decoder_, reader);
  kind_ = text_of(object_, "kind");
  const std::string* const queue = objects::find(meta_.labels, kQueueLabel);
  const objects::OwnerReference* const controller = objects::controller_of(meta_);
  if (queue == nullptr || queue->empty() || meta_.name.empty() || !is_admitted(kind_) || has_ended(object_) ||
      (controller != nullptr && controller->kind != "CronJob")) {
    return {};
  }
  std::vector<PodTemplate> templates = find_pod_templates(decoder_, object_);
  if (templates.empty()) {
    return {};
  }
  if (kind_ == "StatefulSet" && product(templates.front(), 0) == 0) {
    return {};
  }
  // LeaderWorkerSets are admitted replica by replica, the pods of a Deployment one by one.
  const bool in_groups = kind_ == "LeaderWorkerSet";
  const bool one_by_one = kind_ == "Deployment";
  const std::size_t outer = in_groups && !templates.front().dimensions.empty() ? 1 : 0;
  const std::int64_t groups = outer == 1 ? templates.front().dimensions.front().count : 1;
  const std::string pointer = templates.front().pointer;

  objects::Workload workload;
  workload.meta.name = fmt::format("{}-{}", one_by_one ? "pod" : ascii_lower(kind_), meta_.name);
  workload.meta.namespace_name = meta_.namespace_name;
  workload.meta.uid = meta_.uid;
  workload.meta.creation_timestamp = meta_.creation_timestamp;
  workload.meta.owner_references.edit() = {
      {std::string(text_of(object_, "apiVersion")), kind_, meta_.name, meta_.uid, true}};
  workload.queue_name = *queue;
  for (PodTemplate& found : templates) {
    const bool has_leader = pointer.ends_with("/leaderTemplate");
    objects::PodSet set = pod_set(std::move(found), outer);
    if (in_groups && has_leader) {
      set.name = workload.pod_sets.empty() ? "leader" : "worker";
    }
    if (in_groups && !has_leader && !workload.pod_sets.empty()) {
      workload.pod_sets.front().count += set.count;  // leader and workers of one template are one set
    } else {
      workload.pod_sets.push_back(std::move(set));
    }
  }
  std::ranges::stable_sort(workload.pod_sets, {}, rank_of);
  take_priority_class(meta_.labels, workload);
  if (one_by_one) {
    const std::int64_t pods = std::exchange(workload.pod_sets.front().count, 1);
    return several(workload, pods, pointer);
  }
  return in_groups ? several(workload, groups, pointer) : std::vector{std::move(workload)};
}

template <class Class>
std::optional<std::int32_t> value_of(const std::vector<Class>& classes, std::string_view name) {
  const auto found = std::ranges::find(classes, name, [](const Class& one) { return std::string_view(one.meta.name); });
  return found == classes.end() ? std::nullopt : std::optional<std::int32_t>(found->value);
}

void look_up_priority(objects::Workload& workload, const objects::KueueObjects& objects) {
  if (workload.priority_class_kind == kWorkloadPriorityClass) {
    workload.priority = value_of(objects.workload_priority_classes, workload.priority_class);
  } else if (!workload.priority_class.empty()) {
    workload.priority = value_of(objects.priority_classes, workload.priority_class);
    if (!workload.priority) {
      workload.priority = objects::system_priority(workload.priority_class);
    }
  } else if (const auto found =
                 std::ranges::find_if(objects.priority_classes, [](const auto& one) { return one.global_default; });
             found != objects.priority_classes.end()) {
    workload.priority = found->value;
  }
}

Diagnostic without_class(const objects::Workload& workload) {
  const objects::OwnerReference& owner = workload.meta.owner_references->front();
  Diagnostic warning;
  warning.severity = Severity::kWarning;
  warning.code = "no-priority-class";
  warning.object = fmt::format("{} {}/{}", owner.kind, workload.meta.namespace_name, owner.name);
  warning.message = fmt::format("there is no {} {}: Kueue makes no Workload of it until there is; taken as priority 0",
                                workload.priority_class_kind, quote(workload.priority_class));
  warning.hint = "kubectl get workloadpriorityclasses,priorityclasses -o json writes them";
  return warning;
}

}  // namespace

std::vector<objects::Workload> workloads_of_job(Decoder& decoder, const Value& object) {
  return JobReader(decoder, object).read();
}

Diagnostics add_workloads(std::vector<objects::Workload> made, objects::KueueObjects& objects) {
  Diagnostics warnings;
  std::set<std::tuple<std::string, std::string, std::string>> owned;
  std::set<std::pair<std::string, std::string>> taken;
  for (const objects::Workload& workload : objects.workloads) {
    taken.emplace(workload.meta.namespace_name, workload.meta.name);
    for (const objects::OwnerReference& owner : workload.meta.owner_references) {
      owned.emplace(workload.meta.namespace_name, owner.kind, owner.name);
    }
  }
  for (objects::Workload& workload : made) {
    const objects::OwnerReference& owner = workload.meta.owner_references->front();
    if (!owned.contains({workload.meta.namespace_name, owner.kind, owner.name}) &&
        taken.emplace(workload.meta.namespace_name, workload.meta.name).second) {
      look_up_priority(workload, objects);
      if (!workload.priority && !workload.priority_class.empty()) {
        warnings.push_back(without_class(workload));
      }
      objects.workloads.push_back(std::move(workload));
    }
  }
  return warnings;
}

}  // namespace gpusched::io
