#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/io/document.hpp"
#include "gpusched/model/cluster_usage.hpp"
#include "gpusched/model/shape_builder.hpp"

namespace gpusched::io {

/// A cluster with everything that already holds something on it, and the pods that want a place, not bound yet.
struct Model {
  ClusterUsage usage;
  std::vector<PodId> pods;
};

/// What an input already puts on a node: a named or unnamed pod with the GPUs or MIG instances that it holds.
struct Holding {
  NodeId node;
  StringId pod;  ///< invalid: unnamed
  PodClassId pod_class;
  std::vector<GpuShare> shares;
};

/// Which names were read and where, for messages about a second object of the same name.
class NameIndex {
 public:
  /// Remembers a name; where it stands already ("pods.json:12") when it is not new, else "".
  [[nodiscard]] std::string add(std::string_view name, const Document& document, const Value& value);

 private:
  struct Place {
    std::uint32_t document = 0;
    std::uint32_t offset = 0;  // turned into a line only when it is needed
  };
  std::vector<Document> documents_;
  std::unordered_map<std::string, Place> places_;
};

/// Turns fixture documents (docs/formats/cluster.md, docs/formats/pods.md) into a Model. Feed it every document of the
/// cluster and of the pods, then `finish`. Errors of all documents are collected; each names file, line, JSON pointer,
/// object, value and what is allowed.
class ModelReader {
 public:
  /// `nodes` of a cluster fixture; its `pods` and `jobs` are left alone.
  void read_cluster(const Document& document);
  /// `pods` of a fixture; its `nodes` and `jobs` are left alone.
  void read_pods(const Document& document);
  [[nodiscard]] Result<Model> finish() &&;

 private:
  friend class NodeFixture;
  friend class PodFixture;

  struct WantedPod {
    StringId name;
    PodClassId pod_class;
  };

  bool check_fixture(const Document& document, std::string_view key);

  ShapeBuilder builder_;
  std::vector<Holding> holdings_;
  std::vector<WantedPod> pods_;
  NameIndex node_names_, pod_names_;
  Diagnostics diagnostics_;
};

}  // namespace gpusched::io
