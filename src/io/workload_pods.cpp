#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "gpusched/base/text.hpp"
#include "gpusched/io/workloads.hpp"
#include "io/seen_objects.hpp"
#include "io/workload_templates.hpp"

// Workloads of a dump become pods of it.
namespace gpusched::io {

namespace {

constexpr std::size_t kMaxPods = 1'000'000;  // of all workloads together

/// Kinds whose shape is known; others are taken by their pod templates and said with -v.
constexpr std::array<std::string_view, 22> kWorkloads = {
    "AppWrapper",  "CronJob",    "DaemonSet",       "Deployment", "JAXJob",
    "Job",         "JobSet",     "LeaderWorkerSet", "MPIJob",     "PaddleJob",
    "PodTemplate", "PyTorchJob", "RayCluster",      "RayJob",     "RayService",
    "ReplicaSet",  "TFJob",      "StatefulSet",     "TrainJob",   "ReplicationController",
    "XGBoostJob",  "Workload"};

/// The controller tolerates these on behalf of every DaemonSet pod.
/// Source: k8s.io/kubernetes v1.37, pkg/controller/daemon/util.
constexpr std::pair<std::string_view, std::string_view> kDaemonTolerations[] = {
    {"node.kubernetes.io/not-ready", "NoExecute"},      {"node.kubernetes.io/unreachable", "NoExecute"},
    {"node.kubernetes.io/disk-pressure", "NoSchedule"}, {"node.kubernetes.io/memory-pressure", "NoSchedule"},
    {"node.kubernetes.io/pid-pressure", "NoSchedule"},  {"node.kubernetes.io/unschedulable", "NoSchedule"}};

std::string text_at(const Value& object, std::string_view first, std::string_view second) {
  const Value* const inner = object.find(first);
  const Value* const value = inner != nullptr && inner->is_object() ? inner->find(second) : nullptr;
  return value != nullptr && value->is_string() ? std::string(value->text()) : std::string();
}

std::string kind_of(const Value& object) {
  const Value* const kind = object.find("kind");
  return kind != nullptr && kind->is_string() ? std::string(kind->text()) : std::string();
}

class Expansion {
 public:
  explicit Expansion(ClusterDump& dump) : dump_(dump) {}

  void expand(std::size_t other);
  /// The pods of the dump up to `count` keep their place before what comes next.
  void take_pods_before(std::size_t count) {
    for (; taken_ < count; ++taken_) {
      pods_.push_back(std::move(dump_.pods[taken_]));
    }
  }
  Diagnostics finish() {
    take_pods_before(dump_.pods.size());
    dump_.pods = std::move(pods_);
    return std::move(diagnostics_);
  }

 private:
  void add(PodTemplate found, const ObjectPlace& place, const std::string& workload);
  void add_pods(const PodRecord& prototype, const PodTemplate& found, std::size_t level, const std::string& name);
  void note(Severity severity, const Document& document, std::string code, std::string message);

  ClusterDump& dump_;
  std::deque<PodRecord> pods_;
  std::size_t taken_ = 0, made_ = 0;
  std::set<std::string> names_;  // of templates
  Diagnostics diagnostics_;
};

void Expansion::note(Severity severity, const Document& document, std::string code, std::string message) {
  Diagnostic& diagnostic = diagnostics_.emplace_back();
  diagnostic.severity = severity;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.source = document.source_name();
  diagnostic.object = fmt::format("{} {}", kind_of(document.root), text_at(document.root, "metadata", "name"));
}

void Expansion::expand(std::size_t other) {
  const Document& document = dump_.others[other];
  const ObjectPlace& place = dump_.other_places[other].place;
  const std::string kind = kind_of(document.root);
  Decoder decoder(document);
  std::vector<PodTemplate> templates = find_pod_templates(decoder, document.root);
  const bool decoded = !decoder.failed();
  for (Diagnostic& error : decoder.take_diagnostics()) {
    error.object = fmt::format("{} {}", kind, text_at(document.root, "metadata", "name"));
    diagnostics_.push_back(std::move(error));
  }

  const bool known = std::ranges::find(kWorkloads, kind) != kWorkloads.end();
  if (templates.empty() && known) {
    note(Severity::kWarning, document, "no-pod-template", "there is no pod template in it, so it makes no pods here");
  }
  const std::string workload = fmt::format("{}/{}", kind, text_at(document.root, "metadata", "name"));
  for (PodTemplate& found : templates) {
    const std::string pointer = found.pointer;
    const std::size_t before = made_;
    add(std::move(found), place, workload);
    if (made_ == before && decoded) {
      note(Severity::kWarning, document, "no-pods-made",
           fmt::format("the template at {} makes no pods: a count above it is 0",
                       pointer.empty() ? "its top" : pointer));
    } else if (!known) {
      note(Severity::kNote, document, "unknown-workload",
           fmt::format("the kind is not known; {} pods of the template at {}", made_ - before,
                       pointer.empty() ? "its top" : pointer));
    }
  }
}

void Expansion::add(PodTemplate found, const ObjectPlace& place, const std::string& workload) {
  // A second template of the same name, in a workload that names its parts by nothing: "foo/a", then "foo/a-b2".
  const std::size_t numbers = found.dimensions.size();  // "a-0" is not "a-0-1"
  for (int i = 2; !names_.insert(fmt::format("{}/{} {}", found.name_space, found.name, numbers)).second; ++i) {
    found.name += fmt::format("-b{}", i);
  }
  PodRecord prototype;
  prototype.name_space = found.name_space;
  prototype.place = place;
  prototype.workload = workload;
  prototype.per_node = found.per_node;
  if (const std::size_t slash = found.name.find('/'); slash != std::string::npos) {
    prototype.owner_kind = found.name.substr(0, slash);
    prototype.owner_name = found.name.substr(slash + 1);
  }
  if (found.per_node) {
    for (const auto& [key, effect] : kDaemonTolerations) {
      found.pod.spec.edit().tolerations.push_back({std::string(key), "Exists", "", std::string(effect), std::nullopt});
    }
  }
  prototype.node_name = std::exchange(found.pod.node_name, {});
  prototype.spec = static_cast<std::uint32_t>(dump_.pod_specs.size());
  prototype.status = static_cast<std::uint32_t>(dump_.pod_statuses.size());
  prototype.labels = static_cast<std::uint32_t>(dump_.pod_labels.size());
  dump_.pod_specs.push_back(std::move(found.pod.spec));
  dump_.pod_statuses.emplace_back();
  dump_.pod_labels.push_back(std::move(found.pod.meta.labels));
  if (found.one_pod || found.per_node) {
    ++made_;
    prototype.name = found.name;
    pods_.push_back(std::move(prototype));
    return;
  }
  if (found.dimensions.empty()) {
    found.dimensions.emplace_back();
  }
  add_pods(prototype, found, 0, found.name);
}

void Expansion::add_pods(const PodRecord& prototype, const PodTemplate& found, std::size_t level,
                         const std::string& name) {
  if (level == found.dimensions.size()) {
    if (++made_ <= kMaxPods) {
      pods_.push_back(prototype);
      pods_.back().name = name;
    } else if (made_ == kMaxPods + 1) {
      Diagnostic& error = diagnostics_.emplace_back();
      error.code = "too-many-pods";
      error.message = fmt::format("the workloads make more than {} pods", kMaxPods);
      error.object = name;
    }
    return;
  }
  const Dimension& dimension = found.dimensions[level];
  for (std::int64_t i = 0; i < dimension.count && made_ <= kMaxPods; ++i) {
    add_pods(prototype, found, level + 1, fmt::format("{}-{}", name, dimension.first + i));
  }
}

}  // namespace

Diagnostics expand_workloads(ClusterDump& dump) {
  Expansion expansion(dump);
  for (std::size_t i = 0; i < dump.others.size(); ++i) {
    expansion.take_pods_before(dump.other_places[i].pods_before);
    expansion.expand(i);
  }
  return expansion.finish();
}

}  // namespace gpusched::io
