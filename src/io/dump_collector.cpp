#include "io/dump_collector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "gpusched/io/core_objects.hpp"
#include "gpusched/io/value_json.hpp"
#include "io/syntax_error.hpp"

namespace gpusched::io {

namespace {

std::string text_at(const Value& object, std::string_view first, std::string_view second) {
  const Value* const inner = object.find(first);
  const Value* const value = inner != nullptr && inner->is_object() ? inner->find(second) : nullptr;
  return value != nullptr && value->is_string() ? std::string(value->text()) : std::string();
}

std::string object_name(const ObjectText& object) {
  return fmt::format("{}{}{}{}{}", object.kind, object.name.empty() ? "" : " ", object.name_space,
                     object.name_space.empty() ? "" : "/", object.name);
}

/// Of a text that is part of its source or was put together of an object's parts.
Limits cut_out() {
  Limits limits;
  limits.cut_out = true;
  return limits;
}

/// Whether Kueue's topology-aware scheduling placed the pod; `annotations` is JSON.
bool is_topology_managed(std::string_view annotations) {
  if (annotations.empty()) {
    return false;
  }
  static constexpr std::array<std::string_view, 3> kKeys = {R"("kueue.x-k8s.io/podset-required-topology":)",
                                                            R"("kueue.x-k8s.io/podset-preferred-topology":)",
                                                            R"("kueue.x-k8s.io/podset-unconstrained-topology":)"};
  return std::ranges::any_of(kKeys, [&](std::string_view key) { return annotations.find(key) != annotations.npos; });
}

}  // namespace

void DumpCollector::start_source(const std::string& name) {
  dump_.sources.push_back(name);
}

ObjectPlace DumpCollector::place_of(const ObjectText& object) const {
  return {static_cast<std::uint32_t>(dump_.sources.size() - 1), object.index, object.in_list};
}

void DumpCollector::add(ObjectText&& object, Diagnostics& errors) {
  ++dump_.kinds[object.kind];
  if (object.kind == "Pod") {
    add_pod(std::move(object), errors);
  } else if (object.kind == "Node") {
    add_node(std::move(object), errors);
  } else {
    add_other(std::move(object), errors);
  }
}

bool DumpCollector::first_of_its_name(const ObjectText& object, Diagnostics& errors) {
  // Kinds of several API groups share a name: Job of batch and of Volcano.
  const std::size_t slash = object.api_version.find('/');
  const auto group =
      slash == std::string::npos ? std::string_view() : std::string_view(object.api_version).substr(0, slash);
  const auto [entry, added] = seen_.try_emplace(fmt::format("{} {}", group, object_name(object)), place_of(object));
  if (!added) {
    const ObjectPlace& first = entry->second;
    Diagnostic error;
    error.code = "duplicate-object";
    error.message = fmt::format("the object is there twice; the first is {}{}", dump_.sources[first.source],
                                first.in_list ? fmt::format(" /items/{}", first.index) : "");
    move_errors({std::move(error)}, object, errors);
  }
  return added;
}

void DumpCollector::move_errors(Diagnostics found, const ObjectText& object, Diagnostics& errors) const {
  for (Diagnostic& diagnostic : found) {
    diagnostic.source = dump_.sources.back();
    if (object.in_list) {
      diagnostic.pointer.insert(0, fmt::format("/items/{}", object.index));
    }
    diagnostic.object = object_name(object);
    errors.push_back(std::move(diagnostic));
  }
}

// The part is decoded as the only member of an object of its kind, so that the decoder of whole objects serves.
template <class Part, class Take>
std::uint32_t DumpCollector::shared(Names& names, std::string&& text, std::string_view member, std::vector<Part>& parts,
                                    Take&& take, const ObjectText& object, Diagnostics& errors) {
  if (text.empty()) {
    text = "{}";
  }
  const auto [entry, added] = names.ids.try_emplace(std::move(text), static_cast<std::uint32_t>(parts.size()));
  if (!added) {
    return entry->second;
  }
  parts.emplace_back();
  const bool labels = member == "labels";
  Result<std::vector<Document>> documents = parse_documents(
      {dump_.sources.back(), fmt::format(R"({{"{}":{}{}{}}})", labels ? "metadata" : member,
                                         labels ? R"({"labels":)" : "", entry->first, labels ? "}" : "")},
      cut_out());
  if (!documents) {
    move_errors(std::move(documents.error()), object, errors);
    return entry->second;
  }
  Decoder decoder(documents->front());
  parts.back() = take(decode_pod(decoder, documents->front().root));
  if (member == "spec") {
    note_group(documents->front().root);
  }
  move_errors(decoder.take_diagnostics(), object, errors);
  return entry->second;
}

// The gang of Kubernetes 1.36 and later: of the same pods that share a spec.
void DumpCollector::note_group(const Value& root) {
  const Value* const spec = root.find("spec");
  std::string name = spec != nullptr ? text_at(*spec, "schedulingGroup", "podGroupName") : std::string();
  if (!name.empty()) {
    dump_.pod_group_names.resize(dump_.pod_specs.size());
    dump_.pod_group_names.back() = std::move(name);
  }
}

void DumpCollector::add_pod(ObjectText&& object, Diagnostics& errors) {
  if (!object.generated_name && !first_of_its_name(object, errors)) {
    return;
  }
  PodRecord record;
  record.spec = shared(
      specs_, std::move(object.spec), "spec", dump_.pod_specs, [](objects::Pod&& pod) { return std::move(pod.spec); },
      object, errors);
  record.status = shared(
      statuses_, std::move(object.status), "status", dump_.pod_statuses,
      [](objects::Pod&& pod) { return std::move(pod.status); }, object, errors);
  record.labels = shared(
      labels_, std::move(object.labels), "labels", dump_.pod_labels,
      [](objects::Pod&& pod) { return std::move(pod.meta.labels); }, object, errors);
  record.place = place_of(object);
  record.name = std::move(object.name);
  record.name_space = std::move(object.name_space);
  record.node_name = std::move(object.node_name);
  record.owner_kind = std::move(object.owner_kind);
  record.owner_name = std::move(object.owner_name);
  record.created = std::move(object.created);
  record.started = std::move(object.started);
  record.phase = std::move(object.phase);
  record.nominated_node = std::move(object.nominated_node);
  record.uid = std::move(object.uid);
  record.deleted = !object.deleted.empty();
  record.topology_managed = is_topology_managed(object.annotations);
  if (record.node_name.empty()) {
    record.annotations = std::move(object.annotations);
  }
  dump_.pods.push_back(std::move(record));
}

void DumpCollector::add_node(ObjectText&& object, Diagnostics& errors) {
  if (!first_of_its_name(object, errors)) {
    return;
  }
  std::string name;
  append_json_string(object.name, name);
  const auto or_empty = [](const std::string& text) {
    return text.empty() ? std::string_view("{}") : std::string_view(text);
  };
  Result<std::vector<Document>> documents =
      parse_documents({dump_.sources.back(),
                       fmt::format(R"({{"metadata":{{"name":{},"labels":{},"annotations":{}}},"spec":{},"status":{}}})",
                                   name, or_empty(object.labels), or_empty(object.annotations), or_empty(object.spec),
                                   or_empty(object.status))},
                      cut_out());
  if (!documents) {
    move_errors(std::move(documents.error()), object, errors);
    return;
  }
  Decoder decoder(documents->front());
  dump_.nodes.push_back({decode_node(decoder, documents->front().root), place_of(object)});
  move_errors(decoder.take_diagnostics(), object, errors);
}

void DumpCollector::add_other(ObjectText&& object, Diagnostics& errors) {
  Result<std::vector<Document>> documents;
  if (object.storage) {
    object.storage->name = dump_.sources.back();
    documents->push_back({.storage = std::move(object.storage), .root = object.root, .cut_out = true});
  } else {
    documents = parse_documents({dump_.sources.back(), std::move(object.whole)}, object.cut_out ? cut_out() : Limits());
  }
  if (!documents) {
    move_errors(std::move(documents.error()), object, errors);
    return;
  }
  for (Document& document : *documents) {
    if (object.in_list) {
      document.item = object.index;
    }
    const Value* const version = document.root.find("apiVersion");
    object.api_version = version != nullptr && version->is_string() ? version->text() : std::string_view();
    object.name = text_at(document.root, "metadata", "name");
    object.name_space = text_at(document.root, "metadata", "namespace");
    if (object.name.empty() || first_of_its_name(object, errors)) {
      dump_.others.push_back(std::move(document));
      dump_.other_places.push_back({place_of(object), dump_.pods.size()});
    }
  }
}

void DumpCollector::finish_list(const Envelope& envelope, Diagnostics& errors) {
  // "continue" with a value means that the API server has more of the list.
  const std::size_t key = envelope.metadata.find("\"continue\"");
  if (key == std::string::npos) {
    return;
  }
  const std::size_t open = envelope.metadata.find('"', envelope.metadata.find(':', key));
  if (open != std::string::npos && envelope.metadata[open + 1] != '"') {
    Diagnostic& error = errors.emplace_back();
    error.code = "paged-list";
    error.source = dump_.sources.back();
    error.pointer = "/metadata/continue";
    error.message = fmt::format("the list is one page of a longer one ({} items): the rest is missing", envelope.items);
    error.hint = "write the list with kubectl get, which follows the pages, or with --chunk-size=0";
  }
}

}  // namespace gpusched::io
