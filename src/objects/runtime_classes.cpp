#include <fmt/format.h>

#include <algorithm>

#include "gpusched/objects/pod_admission.hpp"

namespace gpusched::objects {

namespace {

/// Equal amounts under equal names, in whatever order and suffix.
bool same_amounts(const ResourceList& a, const ResourceList& b) {
  return a.size() == b.size() && std::ranges::all_of(a, [&](const auto& entry) {
           const Quantity* const other = find(b, entry.first);
           return other != nullptr && *other == entry.second;
         });
}

/// Whether the first toleration tolerates everything that the second does.
/// Source: k8s.io/kubernetes v1.37.2, pkg/util/tolerations.
bool is_superset(const Toleration& a, const Toleration& b) {
  if (a == b) {
    return true;
  }
  const bool exists = a.op == "Exists";
  if ((a.key != b.key && !(a.key.empty() && exists)) || (!a.effect.empty() && a.effect != b.effect)) {
    return false;
  }
  if (a.effect == "NoExecute" && a.toleration_seconds &&
      (!b.toleration_seconds || *a.toleration_seconds < *b.toleration_seconds)) {
    return false;
  }
  return exists || ((a.op == "Equal" || a.op.empty()) && b.op == "Equal" && a.value == b.value);
}

/// Those of the first list, then those of the second, without any that another one makes superfluous.
std::vector<Toleration> merged(const std::vector<Toleration>& first, const std::vector<Toleration>& second) {
  std::vector<Toleration> all = first;
  all.insert(all.end(), second.begin(), second.end());
  std::vector<Toleration> kept;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool covered = std::ranges::any_of(kept, [&](const Toleration& t) { return is_superset(t, all[i]); }) ||
                         std::any_of(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end(),
                                     [&](const Toleration& t) { return !(t == all[i]) && is_superset(t, all[i]); });
    if (!covered) {
      kept.push_back(all[i]);
    }
  }
  return kept;
}

}  // namespace

std::string apply_runtime_class(Pod& pod, const RuntimeClass& runtime_class) {
  if (!runtime_class.overhead.empty()) {
    if (!pod.spec->overhead.empty() && !same_amounts(pod.spec->overhead, runtime_class.overhead)) {
      return "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
    }
    pod.spec.edit().overhead = runtime_class.overhead;
  }
  for (const auto& [key, value] : runtime_class.node_selector) {
    const std::string* const own = find(pod.spec->node_selector, key);
    if (own != nullptr && *own != value) {
      return fmt::format("conflict: runtimeClass.scheduling.nodeSelector[{0}] = {1}; pod.spec.nodeSelector[{0}] = {2}",
                         key, value, *own);
    }
    if (own == nullptr) {
      pod.spec.edit().node_selector.emplace_back(key, value);
    }
  }
  if (!runtime_class.tolerations.empty()) {
    pod.spec.edit().tolerations = merged(pod.spec->tolerations, runtime_class.tolerations);
  }
  return {};
}

}  // namespace gpusched::objects
