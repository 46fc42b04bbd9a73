#include "io/object_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "gpusched/io/value_json.hpp"
#include "io/excerpt.hpp"
#include "io/json_tree.hpp"
#include "io/object_fields.hpp"
#include "io/syntax_error.hpp"
#include "io/unreadable_object.hpp"

namespace gpusched::io {

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;
using simdjson::SUCCESS;

namespace {

// Deeper than any Kubernetes object; a list inside a list inside a list … is read this many times over.
constexpr int kMaxNestedLists = 8;

/// The error of a word that starts like null and is none must not become an exception.
error_code check_null(ondemand::value& value, bool& null) {
  return value.is_null().get(null);
}

error_code read_string(ondemand::value value, std::string& out) {
  bool null = false;
  if (const error_code error = check_null(value, null); error || null) {
    return error;
  }
  std::string_view text;
  const error_code error = value.get_string().get(text);
  out.assign(text);
  return error;
}

/// Calls `body(key, value)` for each member.
template <class Body>
error_code each_member(ondemand::value value, Body&& body) {
  ondemand::object object;
  bool null = false;
  if (const error_code error = check_null(value, null); error || null) {
    return error;
  }
  if (const error_code error = value.get_object().get(object)) {
    return error;
  }
  for (auto member : object) {
    ondemand::field field;
    if (const error_code error = std::move(member).get(field)) {
      return error;
    }
    const std::string_view key = key_text(field);
    if (const error_code error = body(key, field.value())) {
      return error;
    }
  }
  return SUCCESS;
}

/// The owner with `controller: true`, else the first one.
error_code read_owners(ondemand::value value, ObjectText& object) {
  ondemand::array owners;
  bool null = false;
  if (const error_code error = check_null(value, null); error || null) {
    return error;
  }
  if (const error_code error = value.get_array().get(owners)) {
    return error;
  }
  bool controlled = false;
  for (auto element : owners) {
    ondemand::value owner;
    if (const error_code error = element.get(owner)) {
      return error;
    }
    std::string kind;
    std::string name;
    bool controller = false;
    const error_code error = each_member(owner, [&](std::string_view key, ondemand::value member) -> error_code {
      if (key == "kind") {
        return read_string(member, kind);
      }
      if (key == "name") {
        return read_string(member, name);
      }
      return key == "controller" ? member.get_bool().get(controller) : SUCCESS;
    });
    if (error) {
      return error;
    }
    if (object.owner_name.empty() || (controller && !controlled)) {
      object.owner_kind = std::move(kind);
      object.owner_name = std::move(name);
      controlled = controller;
    }
  }
  return SUCCESS;
}

/// Annotations are long and hardly any is read: kept are those in which GPUStack describes a node's CPU, those in which
/// HAMi and Volcano register its GPUs, those by which Kueue groups and places pods, and the name of Volcano's group.
error_code read_annotations(ondemand::value value, std::string& out) {
  static constexpr std::array<std::string_view, 8> kRead = {
      "feature.gpustack.ai/",         "kueue.x-k8s.io/podset-",       "kueue.x-k8s.io/pod-group-",
      "kueue.x-k8s.io/role-hash",     "scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name",
      "hami.io/node-nvidia-register", "volcano.sh/node-vgpu-register"};
  return each_member(value, [&](std::string_view key, ondemand::value member) -> error_code {
    if (std::ranges::none_of(kRead, [&](std::string_view read) { return key.starts_with(read); })) {
      return SUCCESS;
    }
    out += out.empty() ? "{\"" : ",\"";
    out += key;
    out += "\":";
    return project_value(member, {}, out);
  });
}

error_code read_metadata(ondemand::value value, ObjectText& object) {
  std::string generated;
  const error_code read = each_member(value, [&](std::string_view key, ondemand::value member) -> error_code {
    if (key == "name") {
      return read_string(member, object.name);
    }
    if (key == "namespace") {
      return read_string(member, object.name_space);
    }
    if (key == "uid") {
      return read_string(member, object.uid);
    }
    if (key == "creationTimestamp") {
      return read_string(member, object.created);
    }
    if (key == "deletionTimestamp") {
      return read_string(member, object.deleted);
    }
    if (key == "labels") {
      bool null = false;
      const error_code error = check_null(member, null);
      return error || null ? error : project_value(member, {}, object.labels);
    }
    if (key == "annotations") {
      const error_code error = read_annotations(member, object.annotations);
      object.annotations += object.annotations.empty() ? "" : "}";
      return error;
    }
    if (key == "generateName") {
      return read_string(member, generated);
    }
    return key == "ownerReferences" ? read_owners(member, object) : SUCCESS;
  });
  if (object.name.empty() && !generated.empty()) {
    object.name = std::move(generated);
    object.generated_name = true;
  }
  return read;
}

/// spec or status: `single` takes the members that differ from pod to pod, the others are kept when `fields` names
/// them.
template <class Single>
error_code read_part(ondemand::value value, std::span<const Projection> fields, std::string& out, Single&& single) {
  out = "{";
  const error_code error = each_member(value, [&](std::string_view key, ondemand::value member) -> error_code {
    if (std::string* const target = single(key)) {
      return read_string(member, *target);
    }
    const auto wanted = std::ranges::find(fields, key, &Projection::key);
    if (wanted == fields.end()) {
      return SUCCESS;
    }
    out += out.size() > 1 ? ",\"" : "\"";
    out += key;
    out += "\":";
    return project_value(member, *wanted, out);
  });
  out += '}';
  return error;
}

error_code read_pod_or_node(ondemand::object root, bool pod, ObjectText& object) {
  for (auto member : root) {
    ondemand::field field;
    if (const error_code error = std::move(member).get(field)) {
      return error;
    }
    const std::string_view key = key_text(field);
    error_code error = SUCCESS;
    if (key == "metadata") {
      error = read_metadata(field.value(), object);
    } else if (key == "spec") {
      error = read_part(field.value(), pod ? pod_spec_fields() : node_spec_fields(), object.spec,
                        [&](std::string_view name) { return pod && name == "nodeName" ? &object.node_name : nullptr; });
    } else if (key == "status") {
      error = read_part(field.value(), pod ? pod_status_fields() : node_status_fields(), object.status,
                        [&](std::string_view name) -> std::string* {
                          if (!pod) {
                            return nullptr;
                          }
                          return name == "phase"               ? &object.phase
                                 : name == "startTime"         ? &object.started
                                 : name == "nominatedNodeName" ? &object.nominated_node
                                                               : nullptr;
                        });
    } else if (key == "apiVersion") {
      error = read_string(field.value(), object.api_version);
    } else if (key == "kind") {
      error = read_string(field.value(), object.kind);
    }
    if (error) {
      return error;
    }
  }
  return SUCCESS;
}

/// Items without a kind in a list that has not told its own yet: pods have containers, nodes a kubelet.
std::string_view kind_by_shape(ondemand::document& document) {
  document.rewind();
  if (document["spec"]["containers"].error() == SUCCESS) {
    return "Pod";
  }
  if (!document.is_alive()) {
    return {};
  }
  document.rewind();
  return document["status"]["nodeInfo"].error() == SUCCESS ? "Node" : "";
}

/// "Pod" of a PodList; "" when the list does not tell.
std::string_view item_kind(const TypeMeta& list) {
  const std::string_view kind = list.kind;
  return kind.ends_with("List") ? kind.substr(0, kind.size() - 4) : std::string_view();
}

/// The text of an object that leaves its type to its list, with the type as its first members.
std::string with_type(std::string_view text, const TypeMeta& type) {
  std::string whole = "{\"apiVersion\":";
  append_json_string(type.api_version, whole);
  whole += ",\"kind\":";
  append_json_string(type.kind, whole);
  text.remove_prefix(1);
  if (text.find_first_not_of(" \n\r\t") != text.find('}')) {
    whole += ',';
  }
  return whole.append(text);
}

std::string item_pointer(const Item& item) {
  return item.in_list ? fmt::format("/items/{}", item.index) : std::string();
}

/// Of an object that may be broken, for errors about it.
void read_name(ondemand::document& document, ObjectText& object) {
  for (const auto& [key, target] : {std::pair("name", &object.name), std::pair("namespace", &object.name_space)}) {
    if (!document.is_alive()) {
      return;
    }
    document.rewind();
    std::string_view text;
    if (document["metadata"][key].get_string().get(text) == SUCCESS) {
      target->assign(text);
    }
  }
}

/// More than half of what kubectl prints are blanks, so a tree that keeps its own texts is smaller than the text. False
/// when there is anything wrong with the object.
bool build_tree(ondemand::document& document, std::string_view text, ObjectText& object) {
  document.rewind();
  const Limits limits;
  auto storage = std::make_shared<DocumentStorage>(text.size());
  TreeBuilder builder(storage->arena, true);
  Value root;
  if (text.size() > limits.max_bytes || !text.starts_with('{') ||
      !build_json_tree(document, text, 0, limits.max_depth, builder, root) || !builder.duplicates().empty()) {
    return false;
  }
  object.storage = std::move(storage);
  object.root = root;
  return true;
}

}  // namespace

struct ObjectTextReader::Impl {
  ondemand::parser parser;
  int nested_lists = 0;

  error_code read_item(const Batch& batch, const Item& item, const TypeMeta& list, ObjectText& object);
};

ObjectTextReader::ObjectTextReader() : impl_(std::make_unique<Impl>()) {}
ObjectTextReader::~ObjectTextReader() = default;

error_code ObjectTextReader::Impl::read_item(const Batch& batch, const Item& item, const TypeMeta& list,
                                             ObjectText& object) {
  const std::string_view text = batch.text(item);
  ondemand::document document;
  const simdjson::padded_string_view padded(text.data(), text.size(), batch.bytes.size() - item.begin);
  if (const error_code error = parser.iterate(padded).get(document)) {
    return error;
  }
  // Items of a raw API list name no kind; kubectl's do, as one of their first members.
  std::string kind(item_kind(list));
  std::string_view own_kind;
  // A broken text kills the document, and a dead one must not be rewound.
  const error_code no_kind = document.find_field_unordered("kind").get_string().get(own_kind);
  if (no_kind == SUCCESS) {
    kind = own_kind;
  } else if (!document.is_alive()) {
    return no_kind;
  }
  if (kind.empty()) {
    kind = kind_by_shape(document);
    if (!document.is_alive()) {
      return simdjson::TAPE_ERROR;
    }
  }
  document.rewind();
  ondemand::object root;
  if (const error_code error = document.get_object().get(root)) {
    return error;
  }
  if (kind == "Pod" || kind == "Node") {
    const error_code error = read_pod_or_node(root, kind == "Pod", object);
    object.kind = kind;
    return error;
  }
  object.kind = kind;
  // Lists are taken apart again, and people look up the lines of an object that is their whole file.
  if (no_kind == SUCCESS && item.in_list && !kind.ends_with("List") && build_tree(document, text, object)) {
    return SUCCESS;
  }
  read_name(document, object);
  object.whole = no_kind == SUCCESS ? std::string(text) : with_type(text, {list.api_version, kind});
  object.cut_out = item.in_list || item.offset != 0 || no_kind != SUCCESS;
  return SUCCESS;
}

void ObjectTextReader::read(const Batch& batch, std::span<const TypeMeta> lists, std::vector<ObjectText>& objects,
                            Diagnostics& errors) {
  const TypeMeta kUnknown;
  for (const Item& item : batch.items) {
    const std::size_t document = item.document - batch.items.front().document;
    ObjectText object;
    object.document = item.document;
    object.index = item.index;
    object.in_list = item.in_list;
    error_code error = SUCCESS;
    try {
      error = impl_->read_item(batch, item, document < lists.size() ? lists[document] : kUnknown, object);
    } catch (const simdjson::simdjson_error& thrown) {  // simdjson converts results where nobody asked for their error
      error = thrown.error();
    }
    if (error) {
      for (Diagnostic& diagnostic : why_unreadable(batch.text(item), object.kind, simdjson::error_message(error))) {
        diagnostic.pointer.insert(0, item_pointer(item));
        if (!object.name.empty()) {
          diagnostic.object = fmt::format("{} {}", object.kind, object.name);
        }
        errors.push_back(std::move(diagnostic));
      }
      continue;
    }
    if (object.kind.empty()) {
      Diagnostic& diagnostic = errors.emplace_back();
      diagnostic.code = "no-kind";
      diagnostic.message = "the object has no kind, and neither its list nor its content tells what it is";
      diagnostic.pointer = item_pointer(item);
      diagnostic.hint = "kubectl get -o json writes the kind of every object";
      continue;
    }
    if (!object.kind.ends_with("List") || object.whole.empty()) {
      objects.push_back(std::move(object));
      continue;
    }
    if (++impl_->nested_lists > kMaxNestedLists) {
      Diagnostic& diagnostic = errors.emplace_back();
      diagnostic.code = "too-deep";
      diagnostic.message = fmt::format("more than {} lists inside each other", kMaxNestedLists);
      diagnostic.pointer = item_pointer(item);
    } else {
      const std::unique_ptr<ByteStream> stream = stream_of(object.whole);
      ItemSplitter splitter(*stream, {});
      Result<Batch> inner = splitter.next();
      for (; inner && !inner->items.empty(); inner = splitter.next()) {
        const TypeMeta type{splitter.envelopes().back().type.api_version, object.kind};
        read(*inner, std::span(&type, 1), objects, errors);
      }
      if (!inner) {
        std::ranges::move(inner.error(), std::back_inserter(errors));
      }
    }
    --impl_->nested_lists;
  }
}

}  // namespace gpusched::io
