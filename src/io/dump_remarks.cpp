#include "io/dump_remarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

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

Diagnostic looks_partial(std::string_view why) {
  return remark(Severity::kWarning, "partial-dump",
                fmt::format("the dump looks partial: {}; what other pods hold is unknown and counts as free", why),
                fmt::format("{} writes what is needed", kWholeDump));
}

/// "" when the pods are of several namespaces.
std::string one_namespace(const ClusterDump& dump) {
  const std::string_view first = dump.pods.front().name_space;
  return std::ranges::all_of(dump.pods, [&](const PodRecord& pod) { return pod.name_space == first; })
             ? fmt::format("all {} pods are of the namespace {}", dump.pods.size(), first.empty() ? "(none)" : first)
             : std::string();
}

/// Why the pods cannot be all of a cluster; "" when nothing says so. Every cluster has DaemonSets (or static pods) and
/// a kube-system beside what people run; a few pods that bear no mark of an API server are somebody's small example,
/// which is whole.
std::string partial(const ClusterDump& dump) {
  bool on_every_node = false;
  bool of_a_server = dump.pods.size() >= kManyPods;
  for (const PodRecord& pod : dump.pods) {
    on_every_node |= pod.owner_kind == "DaemonSet" || pod.owner_kind == "Node";
    of_a_server |= !pod.uid.empty() || !pod.created.empty() || !pod.started.empty();
  }
  if (!of_a_server) {
    return {};
  }
  std::string why = one_namespace(dump);
  return why.empty() && !on_every_node ? "no pod is of a DaemonSet" : why;
}

}  // namespace

std::optional<Diagnostic> pods_of_one_namespace(const ClusterDump& dump) {
  const bool of_a_server =
      std::ranges::any_of(dump.pods, [](const PodRecord& pod) { return !pod.uid.empty() && !pod.created.empty(); });
  const std::string why = of_a_server ? one_namespace(dump) : std::string();
  return why.empty() ? std::nullopt : std::optional(looks_partial(why));
}

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
    remarks.push_back(looks_partial(why));
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
