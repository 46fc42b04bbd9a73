#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "gpusched/io/scheduler_input.hpp"
#include "gpusched/objects/pod_admission.hpp"
#include "gpusched/objects/pod_defaults.hpp"
#include "gpusched/objects/pod_validation.hpp"

// A pod from a file as the API server and the claim controller would leave it.
namespace gpusched::io {

namespace {

Diagnostic about(const objects::Pod& pod, Severity severity, std::string code, std::string message) {
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.object = fmt::format("pod {}/{}", pod.meta.namespace_name, pod.meta.name);
  return diagnostic;
}

bool has_class(const SchedulerInput& input, std::string_view name) {
  constexpr std::array<std::string_view, 2> kBuiltIn = {"system-cluster-critical", "system-node-critical"};
  return std::ranges::find(kBuiltIn, name) != kBuiltIn.end() ||
         std::ranges::find(input.cluster.priority_classes, name, [](const auto& c) -> std::string_view {
           return c.meta.name;
         }) != input.cluster.priority_classes.end();
}

/// The keys of labels that a term also compares become part of its selector. Source: k8s.io/kubernetes v1.37.2,
/// pkg/registry/core/pod/strategy.go.
void merge_label_keys(const objects::Labels& labels, objects::PodAffinityTerm& term) {
  if (!term.label_selector) {
    return;
  }
  const auto merge = [&](const std::vector<std::string>& keys, std::string_view op) {
    for (const std::string& key : keys) {
      const std::string* const value = objects::find(labels, key);
      objects::LabelSelectorRequirement requirement{key, std::string(op), {value == nullptr ? "" : *value}};
      auto& all = term.label_selector->match_expressions;
      if (value != nullptr && std::ranges::find(all, requirement) == all.end()) {
        all.push_back(std::move(requirement));
      }
    }
  };
  merge(term.match_label_keys, "In");
  merge(term.mismatch_label_keys, "NotIn");
}

void merge_label_keys(objects::Pod& pod) {
  objects::Affinity& rules = pod.spec.edit().affinity;
  for (auto* const affinity : {&rules.pod, &rules.pod_anti}) {
    if (!*affinity) {
      continue;
    }
    for (objects::PodAffinityTerm& term : (*affinity)->required) {
      merge_label_keys(pod.meta.labels, term);
    }
    for (objects::WeightedPodAffinityTerm& weighted : (*affinity)->preferred) {
      merge_label_keys(pod.meta.labels, weighted.term);
    }
  }
}

/// What the claim controller does; a template that is not there leaves the pod without its claim.
void make_claims(objects::Pod& pod, SchedulerInput& input) {
  for (const objects::PodResourceClaim& entry : pod.spec->resource_claims) {
    auto& statuses = pod.status.edit().resource_claim_statuses;
    if (!entry.template_name ||
        std::ranges::find(statuses, entry.name, &objects::PodResourceClaimStatus::name) != statuses.end()) {
      continue;
    }
    const auto found = std::ranges::find_if(input.claim_templates, [&](const objects::ResourceClaimTemplate& t) {
      return t.name == *entry.template_name && t.namespace_name == pod.meta.namespace_name;
    });
    if (found == input.claim_templates.end()) {
      continue;
    }
    objects::ResourceClaim claim;
    claim.name = fmt::format("{}-{}-00001", pod.meta.name, entry.name);
    claim.namespace_name = pod.meta.namespace_name;
    claim.uid = claim.namespace_name + "/" + claim.name;
    claim.owner_kind = "Pod";
    claim.owner_uid = pod.meta.uid;
    claim.devices = found->devices;
    statuses.push_back({entry.name, claim.name});
    input.cluster.resource_claims.push_back(std::move(claim));
  }
}

Diagnostic forbidden(const objects::Pod& pod, std::string_view refusal) {
  return about(pod, Severity::kError, "forbidden-pod",
               fmt::format("pods \"{}\" is forbidden: {}", pod.meta.name, refusal));
}

/// The plugins that change pods, in their order: LimitRanger, Priority, DefaultTolerationSeconds, RuntimeClass. Only a
/// new pod meets those that look at other objects. Returns the first refusal, else "".
std::string change_on_admission(objects::Pod& pod, const SchedulerInput& input, bool is_new) {
  for (const objects::LimitRange& range : input.limit_ranges) {
    if (is_new && range.meta.namespace_name == pod.meta.namespace_name) {
      objects::add_limit_defaults(pod, range);
    }
  }
  const std::string& class_name = pod.spec->priority_class_name;
  if (input.kinds.contains("PriorityClass") && !pod.spec->priority && !class_name.empty() &&
      !has_class(input, class_name)) {
    return fmt::format("no PriorityClass with name {} was found", class_name);
  }
  objects::admit(pod, input.cluster.priority_classes);
  const std::string& runtime = pod.spec->runtime_class_name;
  if (!is_new || runtime.empty() || !input.kinds.contains("RuntimeClass")) {
    return {};
  }
  const auto found = std::ranges::find(input.runtime_classes, runtime, [](const objects::RuntimeClass& runtime_class) {
    return std::string_view(runtime_class.meta.name);
  });
  return found == input.runtime_classes.end() ? fmt::format("pod rejected: RuntimeClass \"{}\" not found", runtime)
                                              : objects::apply_runtime_class(pod, *found);
}

/// The plugins that only look: LimitRanger once more, then ResourceQuota.
std::string check_on_admission(const objects::Pod& pod, SchedulerInput& input) {
  for (const objects::LimitRange& range : input.limit_ranges) {
    if (range.meta.namespace_name == pod.meta.namespace_name) {
      if (std::string refusal = objects::limit_range_error(pod, range); !refusal.empty()) {
        return refusal;
      }
    }
  }
  return objects::charge_quotas(pod, input.resource_quotas);
}

Diagnostic absent(std::string_view kind, std::string_view consequence, std::string_view resource) {
  Diagnostic warning;
  warning.severity = Severity::kWarning;
  warning.code = "absent-kind";
  warning.message = fmt::format("the input has no {}: {}", kind, consequence);
  warning.hint = fmt::format("add the output of kubectl get {} -A -o json", resource);
  return warning;
}

}  // namespace

Result<objects::Pod> store_pod(objects::Pod pod, SchedulerInput& input) {
  const bool is_new = pod.meta.uid.empty();
  if (is_new) {
    pod.meta.uid = fmt::format("{}/{}", pod.meta.namespace_name, pod.meta.name);
  }
  objects::set_defaults(pod);
  if (std::string refusal = change_on_admission(pod, input, is_new); !refusal.empty()) {
    return std::unexpected(Diagnostics{forbidden(pod, refusal)});
  }
  Diagnostics errors;
  for (const std::string& error : objects::extended_resource_errors(pod)) {
    errors.push_back(about(pod, Severity::kError, "invalid-pod",
                           fmt::format("The Pod \"{}\" is invalid: {}", pod.meta.name, error)));
  }
  if (!errors.empty()) {
    return std::unexpected(std::move(errors));
  }
  if (std::string refusal = is_new ? check_on_admission(pod, input) : std::string(); !refusal.empty()) {
    return std::unexpected(Diagnostics{forbidden(pod, refusal)});
  }
  merge_label_keys(pod);
  make_claims(pod, input);
  return pod;
}

Diagnostics absent_kinds(const SchedulerInput& input, std::span<const objects::Pod> pods) {
  const auto any = [&](auto&& uses) { return std::ranges::any_of(pods, uses); };
  const bool claims = any([](const objects::Pod& pod) { return !pod.spec->resource_claims.empty(); });
  const bool volumes = any([](const objects::Pod& pod) {
    return std::ranges::any_of(pod.spec->volumes, [](const objects::Volume& volume) {
      return volume.persistent_volume_claim.has_value() || volume.ephemeral;
    });
  });
  const bool classes =
      any([](const objects::Pod& pod) { return !pod.spec->priority_class_name.empty() && !pod.spec->priority; });
  struct Dependency {
    bool needed;
    std::string_view kind, consequence, resource;
  };
  const std::array dependencies = {
      Dependency{true, "Node", "there is nothing to schedule on", "nodes"},
      Dependency{true, "Pod", "every node counts as empty", "pods"},
      Dependency{claims, "ResourceClaim", "no claim exists", "resourceclaims"},
      Dependency{claims, "DeviceClass", "no class exists", "deviceclasses"},
      Dependency{claims, "ResourceSlice", "no node has devices", "resourceslices"},
      Dependency{volumes, "PersistentVolumeClaim", "no volume claim exists", "persistentvolumeclaims"},
      Dependency{classes, "PriorityClass", "the pod's priority counts as 0", "priorityclasses"},
  };
  // Claims that were made from templates need not be there.
  const auto made = [&](std::string_view kind) {
    return kind == "ResourceClaim" && !input.cluster.resource_claims.empty();
  };
  Diagnostics warnings;
  for (const Dependency& on : dependencies) {
    if (on.needed && !input.kinds.contains(std::string(on.kind)) && !made(on.kind)) {
      warnings.push_back(absent(on.kind, on.consequence, on.resource));
    }
  }
  return warnings;
}

}  // namespace gpusched::io
