#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/io/document.hpp"
#include "gpusched/objects/node.hpp"
#include "gpusched/objects/pod.hpp"

namespace gpusched::io {

/// Where an object came from: "pods.json", "/items/12".
struct ObjectPlace {
  std::uint32_t source = 0;  ///< index into ClusterDump::sources
  std::uint32_t index = 0;   ///< among the items of its list
  bool in_list = false;
};

/// A pod of a dump. What many pods share is stored once and referred to by index.
struct PodRecord {
  std::string name, name_space;
  std::string node_name;               ///< "": not bound
  std::string owner_kind, owner_name;  ///< of the controlling owner; "" when there is none
  std::string workload;          ///< "JobSet/train": what it was made of by expand_workloads; "" for a pod that is
  std::string created, started;  ///< RFC 3339; "" when unknown
  std::string phase;             ///< "Pending", "Running", …
  std::string nominated_node;
  std::string uid;
  std::string annotations;  ///< JSON object of those that are read, of pods without a node; "" when there are none
  std::uint32_t spec = 0, status = 0, labels = 0;  ///< indices into ClusterDump
  bool deleted = false;                            ///< terminating: still holds what it holds
  bool per_node = false;                           ///< of a DaemonSet that has no pods yet: one for every node
  bool topology_managed = false;                   ///< Kueue chose its topology domain and counts it by its Workload
  ObjectPlace place;

  /// Succeeded and Failed pods hold nothing any more.
  [[nodiscard]] bool finished() const { return phase == "Succeeded" || phase == "Failed"; }
  /// "namespace/name".
  [[nodiscard]] std::string full_name() const { return name_space.empty() ? name : name_space + "/" + name; }
};

struct NodeRecord {
  objects::Node node;
  ObjectPlace place;
};

struct OtherPlace {
  ObjectPlace place;
  std::size_t pods_before = 0;  ///< how many of ClusterDump::pods came before it in the input
};

/// The Kubernetes objects of some inputs, in input order.
struct ClusterDump {
  std::vector<std::string> sources;  ///< names of the inputs
  std::vector<NodeRecord> nodes;
  std::deque<PodRecord> pods;  ///< many and large: a vector would hold twice their size while it grows
  std::vector<Shared<objects::PodSpec>> pod_specs;
  std::vector<std::string>
      pod_group_names;  ///< spec.schedulingGroup.podGroupName by index of `pod_specs`; may be shorter
  std::vector<Shared<objects::PodStatus>> pod_statuses;
  std::vector<Shared<objects::Labels>> pod_labels;
  std::vector<Document> others;              ///< every other object, one document each
  std::vector<OtherPlace> other_places;      ///< of `others`
  std::map<std::string, std::size_t> kinds;  ///< how many objects of each kind
  Diagnostics warnings;

  [[nodiscard]] bool empty() const { return nodes.empty() && pods.empty() && others.empty(); }
};

}  // namespace gpusched::io
