#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/io/document.hpp"
#include "io/item_splitter.hpp"

namespace gpusched::io {

/// A Kubernetes object with what differs from object to object taken apart from what many of them share. The shared
/// parts are JSON texts reduced to the fields that are read, so that equal ones can be found by comparing bytes and
/// are decoded once.
struct ObjectText {
  std::string api_version, kind;
  std::string name, name_space, uid;   ///< pods: without a name their generateName
  std::string created, deleted;        ///< RFC 3339; "" when absent
  std::string owner_kind, owner_name;  ///< of the controlling owner
  std::string node_name;               ///< pods: spec.nodeName
  std::string phase;                   ///< pods: status.phase
  std::string started;                 ///< pods: status.startTime
  std::string nominated_node;          ///< pods: status.nominatedNodeName
  std::string labels;                  ///< JSON object, "" when absent
  std::string annotations;             ///< JSON object of the annotations that are read
  std::string spec, status;            ///< JSON objects of the fields that are read
  /// Every other kind: its tree, or the whole text of what is its own file, broken, a list or without a kind.
  std::shared_ptr<DocumentStorage> storage;
  Value root;
  std::string whole;
  std::uint32_t document = 0, index = 0;
  bool in_list = false;
  bool generated_name = false;  ///< others may have the same
  bool cut_out = true;          ///< `whole` does not start where its source does
};

/// Reads Pods and Nodes field by field and takes other kinds whole; an element that is a List itself is taken apart.
/// Reuses its parser, so one per thread.
class ObjectTextReader {
 public:
  ObjectTextReader();
  ~ObjectTextReader();
  ObjectTextReader(const ObjectTextReader&) = delete;
  ObjectTextReader& operator=(const ObjectTextReader&) = delete;

  /// Appends the batch's objects. `lists` are the types of the documents from that of the batch's first item on, for
  /// items that name none: "PodList". Errors carry the JSON pointer of the item; every bad item is reported.
  void read(const Batch& batch, std::span<const TypeMeta> lists, std::vector<ObjectText>& objects, Diagnostics& errors);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gpusched::io
