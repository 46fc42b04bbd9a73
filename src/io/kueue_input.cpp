#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "gpusched/io/core_objects.hpp"
#include "gpusched/io/kueue_objects.hpp"
#include "gpusched/io/pod_policy_objects.hpp"
#include "gpusched/io/scheduler_input.hpp"
#include "io/kueue_jobs.hpp"
#include "io/kueue_pods.hpp"
#include "io/seen_objects.hpp"
#include "io/value_fields.hpp"

namespace gpusched::io {

namespace {

using objects::KueueObjects;

struct KindReader {
  std::string_view group, kind;
  bool namespaced;
  /// The metadata of the object that was read.
  objects::ObjectMeta& (*read)(Decoder&, const Value&, KueueObjects&);
};

template <auto List, auto Decode>
objects::ObjectMeta& keep(Decoder& decoder, const Value& value, KueueObjects& objects) {
  return (objects.*List).emplace_back(Decode(decoder, value)).meta;
}

constexpr std::string_view kKueue = "kueue.x-k8s.io";
constexpr std::string_view kCore;

constexpr std::array kKinds = {
    KindReader{kKueue, "Workload", true, &keep<&KueueObjects::workloads, &decode_workload>},
    KindReader{kKueue, "ResourceFlavor", false, &keep<&KueueObjects::flavors, &decode_resource_flavor>},
    KindReader{kKueue, "ClusterQueue", false, &keep<&KueueObjects::cluster_queues, &decode_cluster_queue>},
    KindReader{kKueue, "Cohort", false, &keep<&KueueObjects::cohorts, &decode_cohort>},
    KindReader{kKueue, "LocalQueue", true, &keep<&KueueObjects::local_queues, &decode_local_queue>},
    KindReader{kKueue, "Topology", false, &keep<&KueueObjects::topologies, &decode_topology>},
    KindReader{kKueue, "AdmissionCheck", false, &keep<&KueueObjects::admission_checks, &decode_admission_check>},
    KindReader{kKueue, "WorkloadPriorityClass", false,
               &keep<&KueueObjects::workload_priority_classes, &decode_workload_priority_class>},
    KindReader{"scheduling.k8s.io", "PriorityClass", false,
               &keep<&KueueObjects::priority_classes, &decode_priority_class>},
    KindReader{kCore, "Namespace", false, &keep<&KueueObjects::namespaces, &decode_namespace>},
    KindReader{kCore, "LimitRange", true, &keep<&KueueObjects::limit_ranges, &decode_limit_range>},
    KindReader{"node.k8s.io", "RuntimeClass", false, &keep<&KueueObjects::runtime_classes, &decode_runtime_class>},
    KindReader{kCore, "Node", false, &keep<&KueueObjects::nodes, &decode_node>},
    KindReader{kCore, "Pod", true, &keep<&KueueObjects::pods, &decode_pod>},
};

const KindReader* find_kind(const Value& value) {
  const std::string_view kind = text_of(value, "kind");
  const std::string_view version = text_of(value, "apiVersion");
  const std::size_t slash = version.find('/');
  const std::string_view group = slash == std::string_view::npos ? std::string_view() : version.substr(0, slash);
  const auto found = std::ranges::find_if(kKinds, [&](const KindReader& reader) {
    return reader.kind == kind && (version.empty() || reader.group == group);
  });
  return found == kKinds.end() ? nullptr : &*found;
}

}  // namespace

bool decode_kueue_object(Decoder& decoder, const Value& value, KueueObjects& objects) {
  const KindReader* const reader = find_kind(value);
  if (reader == nullptr) {
    return false;
  }
  objects::ObjectMeta& meta = reader->read(decoder, value, objects);
  if (reader->namespaced && meta.namespace_name.empty()) {
    meta.namespace_name = "default";
  }
  return true;
}

void KueueInputReader::add(const ClusterDump& dump) {
  for (const NodeRecord& node : dump.nodes) {
    objects_.nodes.push_back(node.node);
  }
  for (const PodRecord& record : dump.pods) {
    if (!record.finished() && !record.topology_managed) {
      objects_.pods.push_back(to_pod(dump, record, default_namespace_));
    }
  }
  for (const Document& document : dump.others) {
    const KindReader* const reader = find_kind(document.root);
    if (reader == nullptr) {
      continue;
    }
    Decoder decoder(document);
    objects::ObjectMeta& meta = reader->read(decoder, document.root, objects_);
    if (reader->namespaced && meta.namespace_name.empty()) {
      meta.namespace_name = default_namespace_;
    }
    const std::string name = reader->namespaced ? fmt::format("{} {}/{}", reader->kind, meta.namespace_name, meta.name)
                                                : fmt::format("{} {}", reader->kind, meta.name);
    if (meta.name.empty()) {
      decoder.error(document.root, "missing-name", fmt::format("the {} has no metadata.name", reader->kind));
    }
    finish_object(decoder, document, meta.name.empty() ? "" : name, seen_, diagnostics_);
  }
}

void KueueInputReader::add_jobs(const ClusterDump& dump) {
  for (const Document& document : dump.others) {
    Decoder decoder(document);
    for (objects::Workload& workload : workloads_of_job(decoder, document.root)) {
      if (workload.meta.namespace_name.empty()) {
        workload.meta.namespace_name = default_namespace_;
      }
      of_jobs_.push_back(std::move(workload));
    }
    finish_object(decoder, document, "", seen_, diagnostics_);
  }
  std::ranges::move(workloads_of_pods(dump, default_namespace_, objects_.workloads, diagnostics_),
                    std::back_inserter(of_jobs_));
}

Result<KueueObjects> KueueInputReader::finish() && {
  if (std::ranges::any_of(diagnostics_, [](const Diagnostic& d) { return d.severity == Severity::kError; })) {
    return std::unexpected(std::move(diagnostics_));
  }
  std::ranges::move(add_workloads(std::move(of_jobs_), objects_), std::back_inserter(diagnostics_));
  return std::move(objects_);
}

}  // namespace gpusched::io
