#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gpusched/kueue/topology.hpp"
#include "gpusched/objects/kueue_input.hpp"

namespace gpusched::kueue {

using PodClass = Id<struct PodClassTag>;

/// Something that an object says wrongly: the path below the pod spec, and the resources.
struct SpecError {
  std::string path;
  std::vector<std::string> resources;
  std::string_view rule;
};

/// What Kueue looks at in the pod template of a pod set. Pod sets that are equal in it share one.
struct PodContent {
  objects::PodSpec spec;  ///< with requests from RuntimeClass, LimitRanges and limits
  std::optional<objects::PodSetTopologyRequest> topology;
  ResourceRow quota;     ///< of one pod, what counts against quota: without excluded resources, transformed
  ResourceRow requests;  ///< of one pod, what counts on nodes
  std::vector<SpecError> above_limits;
  std::vector<SpecError> out_of_range;  ///< of the namespace's LimitRanges
};

/// The contents of all pod sets. Source: Kueue v0.17.0, pkg/workload/resources.go, workload.go, util/limitrange.
class PodClasses {
 public:
  /// Everything must outlive it.
  PodClasses(const objects::KueueObjects& objects, const objects::KueueConfiguration& configuration,
             StringTable& resource_names);

  PodClass intern(const objects::PodSet& pod_set, const std::string& name_space);
  [[nodiscard]] const PodContent& operator[](PodClass pod_class) const { return contents_[pod_class.index()]; }

 private:
  struct Entry {
    const objects::PodSet* original = nullptr;
    const objects::LimitRangeItem* limits = nullptr;  // of its namespace
  };

  PodContent make(const objects::PodSet& pod_set, const std::string& name_space);
  void fill_requests(objects::PodSpec& spec, const objects::LimitRangeItem* container_limits) const;
  [[nodiscard]] ResourceRow quota_row(const objects::ResourceList& requests) const;
  [[nodiscard]] objects::ResourceList transformed(const objects::ResourceList& requests) const;

  const objects::KueueObjects& objects_;
  const objects::KueueConfiguration& configuration_;
  StringTable& names_;
  std::map<std::string, std::map<std::string, objects::LimitRangeItem>> limits_;  // by namespace and type
  std::vector<PodContent> contents_;
  std::vector<Entry> entries_;
  std::unordered_multimap<std::size_t, PodClass> by_hash_;
};

}  // namespace gpusched::kueue
