#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gpusched/base/text.hpp"
#include "gpusched/explain/message.hpp"
#include "gpusched/objects/resources.hpp"

namespace gpusched::explain {

namespace {

constexpr std::string_view kInsufficient = "Insufficient ";
constexpr std::string_view kNoVictims = "No preemption victims found";
constexpr std::string_view kNotHelpful = "Preemption is not helpful";

/// What a reason of kube-scheduler is about, and what else a dump must hold to say more.
struct Meaning {
  std::string_view mark, by, text, kinds;
};

/// The first that the reason contains counts.
constexpr std::array kMeanings = {
    Meaning{"selector #", "error",
            "a CEL selector fails on a device: no node is tried any more, not even where the pod would fit",
            "resourceclaims,resourceslices,deviceclasses"},
    Meaning{"Too many pods", "", "the node has as many pods as it may have", ""},
    Meaning{"anti-affinity", "anti-affinity", "a pod is near that one of the two does not want as a neighbour",
            "namespaces"},
    Meaning{"pod affinity rules", "affinity", "the pod wants a neighbour that is not there", "namespaces"},
    Meaning{"node affinity", "selector", "nodeSelector or node affinity leaves the node out", ""},
    Meaning{"node selector", "selector", "nodeSelector leaves the node out", ""},
    Meaning{"requested node name", "selector", "the pod names another node", ""},
    Meaning{"taint", "taint", "the pod does not tolerate a taint; since 1.35 the text no longer names it", ""},
    Meaning{"unschedulable", "cordon", "the node is cordoned", ""},
    Meaning{"topology spread", "topology spread",
            "one more pod there would be uneven; tainted and cordoned nodes count too",
            "services,replicasets,statefulsets"},
    Meaning{"free ports", "ports", "another pod has the host port", ""},
    Meaning{"volume", "volume", "a volume cannot be had there",
            "persistentvolumeclaims,persistentvolumes,storageclasses,csinodes,csidrivers,csistoragecapacities"},
    Meaning{"Volume", "volume", "a volume cannot be had there",
            "persistentvolumeclaims,persistentvolumes,storageclasses,csinodes,csidrivers,csistoragecapacities"},
    Meaning{"persistentvolumeclaim", "volume", "the pod waits for its volume claim",
            "persistentvolumeclaims,persistentvolumes,storageclasses"},
    Meaning{"cannot allocate all claims", "claim",
            "no devices for the pod's ResourceClaims: none match, or others hold them",
            "resourceclaims,resourceslices,deviceclasses,devicetaintrules"},
    Meaning{"resource pools", "claim", "slices of one pool contradict each other", "resourceslices"},
    Meaning{"resourceclaim", "claim", "the claim is allocated for another node", "resourceclaims,resourceslices"},
    Meaning{"resource claim", "claim", "the claim is not ready", "resourceclaims,resourceclaimtemplates"},
    Meaning{"device class", "claim", "the DeviceClass is not there", "resourceclaims,deviceclasses"},
    Meaning{"required features", "node features", "the node's kubelet lacks a feature that the pod needs", ""},
    Meaning{"didn't match", "selector", "a rule of the pod leaves the node out", ""},
};

/// Older releases name the taint: "{key: value}".
std::string text_of(const Meaning& meaning, std::string_view reason) {
  const std::size_t brace = meaning.by == "taint" ? reason.find('{') : std::string_view::npos;
  return brace == std::string_view::npos ? std::string(meaning.text)
                                         : fmt::format("the pod does not tolerate the taint {}", reason.substr(brace));
}

const Meaning* meaning_of(std::string_view reason) {
  const auto known = std::ranges::find_if(
      kMeanings, [&](const Meaning& meaning) { return reason.find(meaning.mark) != std::string_view::npos; });
  return known == kMeanings.end() ? nullptr : &*known;
}

std::string resource_of(std::string_view reason) {
  return reason.starts_with(kInsufficient) ? std::string(reason.substr(kInsufficient.size())) : std::string();
}

bool is_resource_name(std::string_view name) {
  return !name.empty() && name.find(' ') == std::string_view::npos;
}

std::int64_t count_of(const std::vector<CountedReason>& reasons, std::string_view mark) {
  std::int64_t count = 0;
  for (const CountedReason& reason : reasons) {
    count += reason.reason.find(mark) == std::string::npos ? 0 : reason.count;
  }
  return count;
}

std::string nodes_text(std::int64_t count) {
  return count == 0 ? "the node" : count == 1 ? "1 node" : fmt::format("{} nodes", count);
}

/// The scarce resource of the message: an extended one before cpu and memory.
std::string scarce_resource(const SchedulingMessage& message) {
  std::string scarce;
  for (const CountedReason& reason : message.reasons) {
    const std::string name = resource_of(reason.reason);
    if (!name.empty() &&
        (scarce.empty() || (objects::is_extended_resource(name) && !objects::is_extended_resource(scarce)))) {
      scarce = name;
    }
  }
  return scarce;
}

/// "nvidia.com/gpu", "cpu, memory and nvidia.com/gpu": all that nodes are short of.
std::string short_resources(const SchedulingMessage& message) {
  std::vector<std::string> names;
  for (const CountedReason& reason : message.reasons) {
    if (std::string name = resource_of(reason.reason); !name.empty()) {
      names.push_back(std::move(name));
    }
  }
  if (names.size() < 2) {
    return join(names, "");
  }
  const std::string last = std::move(names.back());
  names.pop_back();
  return fmt::format("{} and {}", join(names, ", "), last);
}

Finding verdict_of_shortage(const SchedulingMessage& message, const std::string& resource) {
  const std::int64_t helpful = count_of(message.preemption, kNoVictims);
  const std::int64_t hopeless = count_of(message.preemption, kNotHelpful);
  const std::string all = short_resources(message);
  if (helpful > 0) {
    // Before 1.34 a request above a node's allocatable was not told from a full node (kubernetes#131345).
    return message.before_1_28
               ? Finding{"busy or never fits", "",
                         fmt::format(
                             "a text of 1.23 to 1.27, which does not tell nodes where {} is in use from nodes that "
                             "are too small",
                             resource)}
               : Finding{
                     "busy", "",
                     fmt::format("{} could hold the pod if {} were free, and no pod there may be evicted for it; wait, "
                                 "or make room (before 1.34 nodes that are too small read the same)",
                                 nodes_text(helpful),
                                 all == resource ? resource : fmt::format("what is short there ({})", all))};
  }
  if (hopeless > 0) {
    return {"never fits", "",
            fmt::format(
                "on no node would evicting pods help: those that are open to the pod have less {} than it asks for; "
                "waiting does not help",
                resource)};
  }
  if (message.preemption_text.starts_with("found a potential placement")) {
    return {"busy", "", fmt::format("preemption makes room: {}", message.preemption_text)};
  }
  return {
      "busy or never fits", "",
      fmt::format("the text has no \"preemption:\" part, which would tell whether {} is only in use or not there at "
                  "all",
                  resource)};
}

Finding verdict_of_kube_scheduler(const SchedulingMessage& message) {
  if (message.nodes == 0) {
    return {"no nodes", "", "the cluster has no nodes"};
  }
  if (!message.pre_filter.empty()) {
    const Meaning* const meaning = meaning_of(message.pre_filter);
    const std::string_view by = meaning == nullptr ? std::string_view() : meaning->by;
    return {by == "volume"  ? "waiting for a volume"
            : by == "claim" ? "waiting for a claim"
                            : "blocked",
            "", fmt::format("refused for all nodes at once: {}", message.pre_filter)};
  }
  if (const std::string resource = scarce_resource(message); is_resource_name(resource)) {
    return verdict_of_shortage(message, resource);
  }
  const auto most = std::ranges::max_element(message.reasons, {}, &CountedReason::count);
  if (most == message.reasons.end()) {
    return {"unknown", "", "the text gives no reason"};
  }
  const Meaning* const meaning = meaning_of(most->reason);
  if (meaning == nullptr) {
    return {"unknown", "",
            fmt::format("{} is none of kube-scheduler's own reasons: an extender or another plugin says so",
                        quote(most->reason, 120))};
  }
  if (meaning->by == "error") {
    return {"error", "", std::string(meaning->text)};
  }
  return {"blocked", std::string(meaning->by), text_of(*meaning, most->reason)};
}

Finding verdict_of_others(const SchedulingMessage& message) {
  const std::string text = message.reasons.empty() ? "" : message.reasons.front().reason;
  if (message.source == "kueue") {
    const bool quota = std::ranges::any_of(
        message.reasons, [](const CountedReason& reason) { return reason.reason.find("quota") != std::string::npos; });
    const bool topology = text.find("topology") != std::string::npos;
    return {"blocked",
            quota      ? "quota"
            : topology ? "topology"
                       : "",
            quota ? "Kueue has not admitted the workload: its queue's quota is used up; the pods are not tried before"
                  : "Kueue has not admitted the workload; the pods are not tried before"};
  }
  if (message.source == "cluster-autoscaler") {
    return {"blocked", "", "no node group that cluster-autoscaler may grow would take the pod"};
  }
  if (message.source == "DRA driver") {
    return {"does not start", "", "the pod is scheduled; the driver could not prepare its devices on the node"};
  }
  return {"another scheduler", "",
          fmt::format("{} decides about this pod; kube-scheduler's rules are not what it goes by", message.source)};
}

void add_kinds(std::string_view list, std::vector<std::string>& kinds) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    if (std::string kind(list.substr(0, end)); std::ranges::find(kinds, kind) == kinds.end()) {
      kinds.push_back(std::move(kind));
    }
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

/// What each reason means, and which objects a dump must hold to say more.
void explain_reasons(const SchedulingMessage& message, std::vector<std::string>& kinds,
                     std::vector<Finding>& findings) {
  const auto explain = [&](const std::string& reason, std::int64_t count) {
    if (const std::string resource = resource_of(reason); is_resource_name(resource)) {
      findings.push_back({"reason", "",
                          fmt::format("{}: {} is short there{}", nodes_text(count), resource,
                                      objects::is_extended_resource(resource)
                                          ? "; an allocatable of 0 and a name that nobody publishes read the same"
                                          : "")});
      return;
    }
    const Meaning* const meaning = meaning_of(reason);
    findings.push_back(
        {"reason", "",
         fmt::format("{}: {}", nodes_text(count),
                     meaning == nullptr ? fmt::format("{}: not a text of kube-scheduler 1.34 to 1.37", reason)
                                        : text_of(*meaning, reason))});
    if (meaning != nullptr) {
      add_kinds(meaning->kinds, kinds);
    }
  };
  for (const CountedReason& reason : message.reasons) {
    explain(reason.reason, reason.count);
  }
  if (!message.pre_filter.empty() && message.nodes != 0) {
    if (const Meaning* const meaning = meaning_of(message.pre_filter); meaning != nullptr) {
      add_kinds(meaning->kinds, kinds);
    }
  }
}

}  // namespace

std::vector<Finding> explain_message(const SchedulingMessage& message) {
  std::vector<Finding> findings;
  std::vector<std::string> kinds;
  const bool kube_scheduler = message.source == "kube-scheduler";
  if (kube_scheduler) {
    findings.push_back(verdict_of_kube_scheduler(message));
    explain_reasons(message, kinds, findings);
  } else if (message.source == "unknown") {
    findings.push_back({"unknown", "", "not a message of a scheduler that is known here"});
  } else {
    findings.push_back(verdict_of_others(message));
    for (const CountedReason& reason : message.reasons) {
      findings.push_back({"reason", "", reason.reason});
    }
  }
  std::int64_t sum = 0;
  for (const CountedReason& reason : message.reasons) {
    sum += reason.count;
  }
  if (kube_scheduler && message.nodes && sum > *message.nodes) {
    findings.push_back(
        {"note", "",
         fmt::format("the counts add up to {}, more than {} nodes: one node may be short of several resources", sum,
                     *message.nodes)});
  }
  if (kube_scheduler && message.reasons.size() > 0) {
    findings.push_back(
        {"note", "",
         "a node is counted under the first plugin that refuses it; what else is in the way there is not said"});
  }
  if (message.cut) {
    findings.push_back(
        {"note", "", "the text is cut: events end after 1024 bytes, the pod's PodScheduled condition does not"});
  }
  std::string list = "nodes,pods,priorityclasses,poddisruptionbudgets";
  for (const std::string& more : kinds) {
    list += "," + more;
  }
  if (message.source == "kueue") {
    list = "nodes,pods,workloads,clusterqueues,localqueues,resourceflavors,cohorts,topologies";
  }
  findings.push_back(
      {"gather", "",
       fmt::format("kubectl get {} -A -o json > dump.json; then: gpusched k8s dump.json --pod NAMESPACE/NAME", list)});
  return findings;
}

}  // namespace gpusched::explain
