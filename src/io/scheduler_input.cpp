#include "gpusched/io/scheduler_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "gpusched/base/text.hpp"
#include "gpusched/io/core_objects.hpp"
#include "gpusched/io/dra_objects.hpp"
#include "gpusched/io/pod_policy_objects.hpp"
#include "io/dump_remarks.hpp"
#include "io/seen_objects.hpp"
#include "io/value_fields.hpp"

namespace gpusched::io {

namespace {

/// One object on its way into the input; `name_space` is filled in for kinds that have one.
struct Reading {
  Decoder& decoder;
  const Value& value;
  std::string_view api_version, kind;
  const std::string& default_namespace;
  SchedulerInput& input;
  std::string name, name_space;
};

/// Puts the object into a list; `Namespaced` objects get a namespace.
template <bool Namespaced, class Object>
void keep(Reading& reading, std::vector<Object>& list, Object object) {
  if (Namespaced && object.meta.namespace_name.empty()) {
    object.meta.namespace_name = reading.default_namespace;
  }
  reading.name = object.meta.name;
  reading.name_space = object.meta.namespace_name;
  list.push_back(std::move(object));
}

/// The same for objects of resource.k8s.io without a namespace, which keep only their name.
template <class Object>
void keep_named(Reading& reading, std::vector<Object>& list, Object object) {
  reading.name = object.name;
  list.push_back(std::move(object));
}

template <class Object>
void keep_claim(Reading& reading, std::vector<Object>& list, Object object) {
  if (object.namespace_name.empty()) {
    object.namespace_name = reading.default_namespace;
  }
  set_defaults(object.devices);
  reading.name = object.name;
  reading.name_space = object.namespace_name;
  list.push_back(std::move(object));
}

ResourceApi api_of(const Reading& reading) {
  return resource_api(reading.api_version).value_or(ResourceApi::kV1);
}

struct KindReader {
  std::string_view group, kind;
  void (*read)(Reading&);
};

constexpr std::string_view kCore;
constexpr std::string_view kStorage = "storage.k8s.io";
constexpr std::string_view kResource = "resource.k8s.io";

void read_controller(Reading& r) {
  keep<true>(r, r.input.cluster.controllers, decode_pod_controller(r.decoder, r.value, r.kind));
}

constexpr std::array kKinds = {
    KindReader{kCore, "Namespace",
               [](Reading& r) { keep<false>(r, r.input.cluster.namespaces, decode_namespace(r.decoder, r.value)); }},
    KindReader{kCore, "Service",
               [](Reading& r) { keep<true>(r, r.input.cluster.services, decode_service(r.decoder, r.value)); }},
    KindReader{kCore, "ReplicationController", &read_controller},
    KindReader{"apps", "ReplicaSet", &read_controller},
    KindReader{"apps", "StatefulSet", &read_controller},
    KindReader{kCore, "PersistentVolumeClaim",
               [](Reading& r) {
                 keep<true>(r, r.input.cluster.volume_claims, decode_persistent_volume_claim(r.decoder, r.value));
               }},
    KindReader{
        kCore, "PersistentVolume",
        [](Reading& r) { keep<false>(r, r.input.cluster.volumes, decode_persistent_volume(r.decoder, r.value)); }},
    KindReader{kCore, "LimitRange",
               [](Reading& r) { keep<true>(r, r.input.limit_ranges, decode_limit_range(r.decoder, r.value)); }},
    KindReader{kCore, "ResourceQuota",
               [](Reading& r) { keep<true>(r, r.input.resource_quotas, decode_resource_quota(r.decoder, r.value)); }},
    KindReader{"node.k8s.io", "RuntimeClass",
               [](Reading& r) { keep<false>(r, r.input.runtime_classes, decode_runtime_class(r.decoder, r.value)); }},
    KindReader{"policy", "PodDisruptionBudget",
               [](Reading& r) {
                 keep<true>(r, r.input.cluster.disruption_budgets, decode_pod_disruption_budget(r.decoder, r.value));
               }},
    KindReader{"scheduling.k8s.io", "PriorityClass",
               [](Reading& r) {
                 keep<false>(r, r.input.cluster.priority_classes, decode_priority_class(r.decoder, r.value));
               }},
    KindReader{
        kStorage, "StorageClass",
        [](Reading& r) { keep<false>(r, r.input.cluster.storage_classes, decode_storage_class(r.decoder, r.value)); }},
    KindReader{kStorage, "CSINode",
               [](Reading& r) { keep<false>(r, r.input.cluster.csi_nodes, decode_csi_node(r.decoder, r.value)); }},
    KindReader{kStorage, "CSIDriver",
               [](Reading& r) { keep<false>(r, r.input.cluster.csi_drivers, decode_csi_driver(r.decoder, r.value)); }},
    KindReader{kStorage, "CSIStorageCapacity",
               [](Reading& r) {
                 keep<true>(r, r.input.cluster.storage_capacities, decode_csi_storage_capacity(r.decoder, r.value));
               }},
    KindReader{kResource, "ResourceClaim",
               [](Reading& r) {
                 keep_claim(r, r.input.cluster.resource_claims, decode_resource_claim(r.decoder, r.value, api_of(r)));
               }},
    KindReader{kResource, "ResourceClaimTemplate",
               [](Reading& r) {
                 keep_claim(r, r.input.claim_templates, decode_resource_claim_template(r.decoder, r.value, api_of(r)));
               }},
    KindReader{kResource, "ResourceSlice",
               [](Reading& r) {
                 keep_named(r, r.input.cluster.resource_slices, decode_resource_slice(r.decoder, r.value, api_of(r)));
               }},
    KindReader{
        kResource, "DeviceClass",
        [](Reading& r) { keep_named(r, r.input.cluster.device_classes, decode_device_class(r.decoder, r.value)); }},
    KindReader{kResource, "DeviceTaintRule",
               [](Reading& r) {
                 keep_named(r, r.input.cluster.device_taint_rules, decode_device_taint_rule(r.decoder, r.value));
               }},
};

/// "apps" of "apps/v1", "" of "v1".
std::string_view group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

objects::OwnerReference owner_of(const PodRecord& record) {
  objects::OwnerReference owner;
  owner.api_version = record.owner_kind == "ReplicationController" ? "v1" : "apps/v1";
  owner.kind = record.owner_kind;
  owner.name = record.owner_name;
  owner.controller = true;
  return owner;
}

}  // namespace

objects::Pod to_pod(const ClusterDump& dump, const PodRecord& record, std::string_view default_namespace) {
  objects::Pod pod;
  pod.meta.name = record.name;
  pod.meta.namespace_name = record.name_space.empty() ? default_namespace : record.name_space;
  pod.meta.uid = record.uid;
  pod.meta.labels = dump.pod_labels[record.labels];
  if (!record.owner_name.empty()) {
    pod.meta.owner_references.edit().push_back(owner_of(record));
  }
  pod.meta.creation_timestamp = objects::parse_timestamp(record.created);
  if (record.deleted) {
    pod.meta.deletion_timestamp.emplace();  // since when is of no interest to the scheduler
  }
  pod.spec = dump.pod_specs[record.spec];
  pod.node_name = record.node_name;
  pod.status = dump.pod_statuses[record.status];
  pod.phase = record.phase;
  pod.nominated_node_name = record.nominated_node;
  pod.start_time = objects::parse_timestamp(record.started);
  return pod;
}

void SchedulerInputReader::add(const ClusterDump& dump) {
  if (std::optional<Diagnostic> warning = pods_of_one_namespace(dump)) {
    diagnostics_.push_back(std::move(*warning));
  }
  const auto need_name = [&](std::string_view kind, const std::string& name, const ObjectPlace& place) {
    if (name.empty()) {
      Diagnostic& error = diagnostics_.emplace_back();
      error.code = "missing-name";
      error.message = fmt::format("the {} has no metadata.name", kind);
      error.source = dump.sources[place.source];
      error.pointer = place.in_list ? fmt::format("/items/{}", place.index) : std::string();
    }
  };
  for (const NodeRecord& node : dump.nodes) {
    need_name("Node", node.node.meta.name, node.place);
    input_.cluster.nodes.push_back(node.node);
  }
  // Pods are large and many: a vector that grows would hold three times as much for a while.
  const auto running = std::ranges::count_if(dump.pods, [](const PodRecord& record) { return !record.finished(); });
  input_.cluster.pods.reserve(input_.cluster.pods.size() + static_cast<std::size_t>(running));
  std::map<std::pair<std::string_view, std::string_view>, Shared<std::vector<objects::OwnerReference>>> owners;
  for (const PodRecord& record : dump.pods) {
    need_name("Pod", record.name, record.place);
    if (!record.finished()) {
      objects::Pod& pod = input_.cluster.pods.emplace_back(to_pod(dump, record, default_namespace_));
      auto& shared =
          owners.try_emplace({record.owner_kind, record.owner_name}, pod.meta.owner_references).first->second;
      pod.meta.owner_references = shared;
    }
  }
  for (const std::string_view kind : {"Node", "Pod"}) {
    if (const auto found = dump.kinds.find(std::string(kind)); found != dump.kinds.end()) {
      input_.kinds[found->first] += found->second;
    }
  }
  add_others(dump);
}

void SchedulerInputReader::add_others(const ClusterDump& dump) {
  for (const Document& document : dump.others) {
    const std::string_view kind = text_of(document.root, "kind");
    const std::string_view api_version = text_of(document.root, "apiVersion");
    ++input_.kinds[std::string(kind)];
    const auto known = std::ranges::find_if(kKinds, [&](const KindReader& reader) {
      return reader.kind == kind && (api_version.empty() || reader.group == group_of(api_version));
    });
    if (known == kKinds.end()) {
      ++input_.other_kinds[std::string(kind)];
      continue;
    }
    Decoder decoder(document);
    Reading reading{decoder, document.root, api_version, kind, default_namespace_, input_, {}, {}};
    known->read(reading);
    const std::string name =
        fmt::format("{} {}{}{}", kind, reading.name_space, reading.name_space.empty() ? "" : "/", reading.name);
    finish_object(decoder, document, name, places_, diagnostics_);
  }
}

Result<SchedulerInput> SchedulerInputReader::finish() && {
  if (std::ranges::any_of(diagnostics_, [](const Diagnostic& d) { return d.severity == Severity::kError; })) {
    return std::unexpected(std::move(diagnostics_));
  }
  input_.warnings = std::move(diagnostics_);
  return std::move(input_);
}

}  // namespace gpusched::io
