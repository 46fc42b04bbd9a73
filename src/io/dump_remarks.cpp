#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "io/dump_model.hpp"

// What a dump lacks and what of it is left alone, so that nobody takes half a cluster for a whole one.
namespace gpusched::io {

namespace {

constexpr std::string_view kWholeDump = "kubectl get nodes,pods,resourceslices,resourceclaims -A -o json";

/// Kinds that are read here or say nothing about what fits.
constexpr std::array<std::string_view, 4> kRead = {"Node", "Pod", "ResourceSlice", "ResourceClaim"};

Diagnostic remark(Severity severity, std::string code, std::string message, std::string hint = {}) {
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  return diagnostic;
}

/// So many pods nobody writes by hand.
constexpr std::size_t kManyPods = 10;

/// Why the pods cannot be all of a cluster; "" when nothing says so. Every cluster has DaemonSets (or static pods) and
/// a kube-system beside what people run; a few pods that bear no mark of an API server are somebody's small example,
/// which is whole.
std::string partial(const ClusterDump& dump) {
  std::set<std::string_view> namespaces;
  bool on_every_node = false;
  bool of_a_server = dump.pods.size() >= kManyPods;
  for (const PodRecord& pod : dump.pods) {
    namespaces.insert(pod.name_space);
    on_every_node |= pod.owner_kind == "DaemonSet" || pod.owner_kind == "Node";
    of_a_server |= !pod.uid.empty() || !pod.created.empty() || !pod.started.empty();
  }
  if (!of_a_server) {
    return {};
  }
  if (namespaces.size() == 1) {
    return fmt::format("all {} pods are of the namespace {}", dump.pods.size(),
                       namespaces.begin()->empty() ? "(none)" : *namespaces.begin());
  }
  return on_every_node ? std::string() : std::string("no pod is of a DaemonSet");
}

}  // namespace

Diagnostics dump_remarks(const ClusterDump& dump) {
  Diagnostics remarks;
  if (dump.empty()) {
    return remarks;
  }
  if (dump.pods.empty()) {
    remarks.push_back(remark(Severity::kWarning, "no-pods",
                             "the dump has no pods: what is in use is unknown, everything counts as free",
                             fmt::format("{} writes what is needed", kWholeDump)));
  } else if (const std::string why = partial(dump); !why.empty()) {
    remarks.push_back(
        remark(Severity::kWarning, "partial-dump",
               fmt::format("the dump looks partial: {}; what other pods hold is unknown and counts as free", why),
               fmt::format("{} writes what is needed", kWholeDump)));
  }
  const bool claims = std::ranges::any_of(dump.pods, [&](const PodRecord& pod) {
    return !pod.finished() && !dump.pod_specs[pod.spec]->resource_claims.empty();
  });
  if (claims && !dump.kinds.contains("ResourceClaim")) {
    remarks.push_back(remark(Severity::kWarning, "no-resource-claims",
                             "pods use ResourceClaims and the dump has none: which devices they hold is unknown",
                             fmt::format("{} writes what is needed", kWholeDump)));
  }
  std::string others;
  for (const auto& [kind, count] : dump.kinds) {
    if (std::ranges::find(kRead, kind) == kRead.end()) {
      others += fmt::format("{}{} {}", others.empty() ? "" : ", ", count, kind.empty() ? "without a kind" : kind);
    }
  }
  if (!others.empty()) {
    remarks.push_back(remark(Severity::kNote, "left-alone", fmt::format("left alone: {}", others)));
  }
  return remarks;
}

}  // namespace gpusched::io
