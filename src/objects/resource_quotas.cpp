#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "gpusched/base/text.hpp"
#include "gpusched/objects/pod_admission.hpp"
#include "gpusched/objects/pod_requests.hpp"
#include "objects/pod_limits.hpp"

namespace gpusched::objects {

namespace {

constexpr std::string_view kRequests = "requests.";
constexpr std::string_view kLimits = "limits.";
constexpr std::array<std::string_view, 3> kNative = {"cpu", "memory", "ephemeral-storage"};

using Usage = std::map<std::string, Quantity>;

/// What requests and limits count under the names that quotas use.
Usage usage_of(const ResourceList& requests, const ResourceList& limits) {
  Usage usage{{"pods", Quantity::from_int64(1)}};
  for (const std::string_view native : kNative) {
    const std::string name(native);
    if (const Quantity* const request = find(requests, name)) {
      usage[name] = *request;
      usage[std::string(kRequests) + name] = *request;
    }
    if (const Quantity* const limit = find(limits, name)) {
      usage[std::string(kLimits) + name] = *limit;
    }
  }
  for (const auto& [name, request] : requests) {
    if (is_hugepages(name)) {
      usage[name] = request;
    }
    if (is_hugepages(name) || is_extended_resource(name)) {
      usage[std::string(kRequests) + name] = request;
    }
  }
  return usage;
}

Usage usage_of(const Pod& pod) {
  Usage usage = usage_of(spec_requests(pod), spec_limits(pod));
  usage["count/pods"] = Quantity::from_int64(1);
  return usage;
}

/// Whether quotas of pods know the resource.
bool counts_for_pods(std::string_view name) {
  constexpr std::array<std::string_view, 2> kCounts = {"pods", "count/pods"};
  std::string_view native = name;
  bool request = false;
  if (native.starts_with(kRequests)) {
    native.remove_prefix(kRequests.size());
    request = true;
  } else if (native.starts_with(kLimits)) {
    native.remove_prefix(kLimits.size());
  }
  return std::ranges::find(kCounts, name) != kCounts.end() || std::ranges::find(kNative, native) != kNative.end() ||
         is_hugepages(native) || (request && native.contains('/'));
}

/// Whether no container and no pod-level list asks for cpu or memory.
bool is_best_effort(const Pod& pod) {
  const auto asks = [](const ResourceRequirements& resources) {
    return std::ranges::any_of(std::array{&resources.requests, &resources.limits}, [](const ResourceList* list) {
      return std::ranges::any_of(*list, [](const auto& entry) {
        return (entry.first == "cpu" || entry.first == "memory") && entry.second.sign() > 0;
      });
    });
  };
  const auto any = [&](const std::vector<Container>& containers) {
    return std::ranges::any_of(containers, [&](const Container& container) { return asks(container.resources); });
  };
  return !(pod.spec->resources && asks(*pod.spec->resources)) && !any(pod.spec->containers) &&
         !any(pod.spec->init_containers);
}

bool crosses_namespaces(const Pod& pod) {
  const auto crosses = [](const PodAffinityTerm& term) { return !term.namespaces.empty() || term.namespace_selector; };
  const auto any = [&](const PodAffinity& affinity) {
    return std::ranges::any_of(affinity.required, crosses) ||
           std::ranges::any_of(affinity.preferred, [&](const auto& weighted) { return crosses(weighted.term); });
  };
  const Affinity& affinity = pod.spec->affinity;
  return (affinity.pod && any(*affinity.pod)) || (affinity.pod_anti && any(*affinity.pod_anti));
}

bool class_matches(const Pod& pod, const QuotaScope& scope) {
  const std::string& name = pod.spec->priority_class_name;
  const bool listed = std::ranges::find(scope.values, name) != scope.values.end();
  if (scope.op == "In") {
    return !name.empty() && listed;
  }
  if (scope.op == "NotIn") {
    return name.empty() || !listed;
  }
  return (scope.op == "Exists") == !name.empty();
}

bool in_scope(const Pod& pod, const QuotaScope& scope) {
  if (scope.name == "PriorityClass") {
    return class_matches(pod, scope);
  }
  if (scope.name == "BestEffort" || scope.name == "NotBestEffort") {
    return is_best_effort(pod) == (scope.name == "BestEffort");
  }
  return scope.name == "NotTerminating" || (scope.name == "CrossNamespacePodAffinity" && crosses_namespaces(pod));
}

bool covers(const ResourceQuota& quota, const Pod& pod) {
  return quota.meta.namespace_name == pod.meta.namespace_name &&
         std::ranges::any_of(quota.hard, [](const auto& entry) { return counts_for_pods(entry.first); }) &&
         std::ranges::all_of(quota.scopes, [&](const QuotaScope& scope) { return in_scope(pod, scope); });
}

/// Where cpu or memory are limited, every container has to say how much it takes.
std::string missing_amounts(const ResourceQuota& quota, const Pod& pod) {
  constexpr std::array<std::string_view, 6> kToBeSaid = {"cpu",        "memory",          "requests.cpu",
                                                         "limits.cpu", "requests.memory", "limits.memory"};
  if (has_pod_level_requests(pod)) {
    return {};
  }
  std::map<std::string, std::set<std::string>> missing;
  for (const auto* const containers : {&pod.spec->containers, &pod.spec->init_containers}) {
    for (const Container& container : *containers) {
      const Usage said = usage_of(container.resources.requests, container.resources.limits);
      for (const auto& [name, hard] : quota.hard) {
        if (std::ranges::find(kToBeSaid, name) != kToBeSaid.end() && !said.contains(name)) {
          missing[name].insert(container.name);
        }
      }
    }
  }
  std::vector<std::string> parts;
  for (const auto& [name, containers] : missing) {
    parts.push_back(fmt::format("{} for: {}", name, join(containers, ",")));
  }
  return parts.empty() ? std::string()
                       : fmt::format("failed quota: {}: must specify {}", quota.meta.name, join(parts, "; "));
}

std::string unknown_usage(const ResourceQuota& quota) {
  std::vector<std::string> names;
  bool known = true;
  for (const auto& [name, hard] : quota.hard) {
    if (counts_for_pods(name)) {
      names.push_back(name);
      known = known && find(quota.used, name) != nullptr;
    }
  }
  std::ranges::sort(names);
  return known ? std::string()
               : fmt::format("status unknown for quota: {}, resources: {}", quota.meta.name, join(names, ","));
}

/// "requests.nvidia.com/gpu=2,pods=1" of the named resources that the list has.
std::string listed(const ResourceList& list, const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  for (const std::string& name : names) {
    if (const Quantity* const quantity = find(list, name)) {
      parts.push_back(fmt::format("{}={}", name, quantity->to_string()));
    }
  }
  return join(parts, ",");
}

/// Adds what the pod asks of the quota to its usage, or says what would be exceeded.
std::string charge(ResourceQuota& quota, const Usage& usage) {
  ResourceList requested;
  ResourceList used = quota.used;
  std::vector<std::string> exceeded;
  for (const auto& [name, amount] : usage) {  // by name
    const Quantity* const hard = find(quota.hard, name);
    if (hard == nullptr || amount.is_zero()) {
      continue;
    }
    requested.emplace_back(name, amount);
    const auto entry = std::ranges::find(used, name, [](const auto& e) -> const std::string& { return e.first; });
    Quantity& sum = entry == used.end() ? used.emplace_back(name, Quantity()).second : entry->second;
    sum.add(amount);
    if (*hard < sum) {
      exceeded.push_back(name);
    }
  }
  if (!exceeded.empty()) {
    return fmt::format("exceeded quota: {}, requested: {}, used: {}, limited: {}", quota.meta.name,
                       listed(requested, exceeded), listed(quota.used, exceeded), listed(quota.hard, exceeded));
  }
  quota.used = std::move(used);
  return {};
}

}  // namespace

std::string charge_quotas(const Pod& pod, std::vector<ResourceQuota>& quotas) {
  std::vector<ResourceQuota*> covering;
  for (ResourceQuota& quota : quotas) {
    if (covers(quota, pod)) {
      for (std::string error : {missing_amounts(quota, pod), unknown_usage(quota)}) {
        if (!error.empty()) {
          return error;
        }
      }
      covering.push_back(&quota);
    }
  }
  if (covering.empty()) {
    return {};
  }
  const Usage usage = usage_of(pod);
  std::vector<ResourceQuota> charged;
  for (const ResourceQuota* const quota : covering) {
    if (std::string error = charge(charged.emplace_back(*quota), usage); !error.empty()) {
      return error;
    }
  }
  for (std::size_t i = 0; i < covering.size(); ++i) {
    *covering[i] = std::move(charged[i]);
  }
  return {};
}

}  // namespace gpusched::objects
