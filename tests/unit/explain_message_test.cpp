#include "gpusched/explain/message.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

namespace gpusched::explain {
namespace {

using Reasons = std::vector<CountedReason>;

std::string verdict_of(std::string_view text) {
  const Finding first = explain_message(parse_message(text)).front();
  return first.verdict + (first.by.empty() ? "" : " by " + first.by);
}

TEST_CASE("a message is taken apart") {
  const SchedulingMessage message = parse_message(
      "0/3 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 2 "
      "Insufficient "
      "nvidia.com/gpu. preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No "
      "preemption "
      "victims found for incoming pod.");
  CHECK(message.source == "kube-scheduler");
  CHECK(message.nodes == 3);
  CHECK(message.reasons == Reasons{{1, "node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }"},
                                   {2, "Insufficient nvidia.com/gpu"}});
  CHECK(message.preemption ==
        Reasons{{1, "Preemption is not helpful for scheduling"}, {2, "No preemption victims found for incoming pod"}});
  CHECK_FALSE(message.cut);
}

TEST_CASE("messages that people mangled or that other releases wrote") {
  SECTION("two full stops at the end") {
    CHECK(parse_message(
              "0/8 nodes are available: 8 Insufficient nvidia.com/gpu. preemption: 0/8 nodes are available: 8 No "
              "preemption victims found for incoming pod..")
              .preemption == Reasons{{8, "No preemption victims found for incoming pod"}});
  }
  SECTION("the claims' part of 1.34") {
    const SchedulingMessage message = parse_message(
        "0/1 nodes are available: 1 cannot allocate all claims. still not schedulable, preemption: 0/1 nodes are "
        "available: 1 Preemption is not helpful for scheduling.");
    CHECK(message.reasons == Reasons{{1, "cannot allocate all claims"}});
    CHECK(message.claims == "still not schedulable");
  }
  SECTION("one text for all nodes") {
    const SchedulingMessage message = parse_message(
        "0/2 nodes are available: resource claim default/single-gpu is in the process of being allocated. no new "
        "claims "
        "to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.");
    CHECK(message.pre_filter == "resource claim default/single-gpu is in the process of being allocated");
    CHECK(message.reasons.empty());
  }
  SECTION("a blank before the slash, an extender's reason") {
    const SchedulingMessage message = parse_message(
        "0 /3 nodes are available: 1 Insufficient GPU Memory in one device, 2 Insufficient aliyun.com/gpu-mem");
    CHECK(message.nodes == 3);
    CHECK(message.reasons ==
          Reasons{{1, "Insufficient GPU Memory in one device"}, {2, "Insufficient aliyun.com/gpu-mem"}});
  }
  SECTION("cut in the middle") {
    CHECK(parse_message("0/1 nodes are available: 1 Insufficient nvidia.com/gpu. preemption: 0/1 nodes").cut);
    CHECK(parse_message("0/9 nodes are available: 9 Insufficient nvidia.com/gpu. preemption: 0/9 nodes are ...").cut);
  }
  SECTION("a comma inside a reason") {
    CHECK(parse_message("0/4 nodes are available: 4 node(s) had taint {a: b}, that the pod didn't tolerate.").reasons ==
          Reasons{{4, "node(s) had taint {a: b}, that the pod didn't tolerate"}});
  }
  SECTION("no header, no count") {
    CHECK(parse_message("1 Insufficient devices.kubevirt.io/kvm, 1 Insufficient devices.kubevirt.io/tun")
              .reasons.size() == 2);
    CHECK(parse_message("node(s) had untolerated taint {nvidia.com/gpu: true}").source == "kube-scheduler");
    CHECK(parse_message("0/2 nodes: cannot allocate all claims").pre_filter == "cannot allocate all claims");
  }
  SECTION("other components") {
    CHECK(parse_message(
              "couldn't assign flavors to pod set worker: insufficient unused quota for nvidia.com/gpu in flavor "
              "gpu-flavor, 4 more needed")
              .source == "kueue");
    const SchedulingMessage kai = parse_message(
        "no nodes with enough resources were found: 3 node(s) didn't have enough resources: GPU memory. 3 node(s) "
        "didn't "
        "have enough resources: GPUs.");
    CHECK(kai.source == "kai-scheduler");
    CHECK(kai.reasons.size() == 2);
    CHECK(parse_message("hello").source == "unknown");
    CHECK(parse_message("").source == "unknown");
  }
}

TEST_CASE("the suffix tells busy from never fits") {
  CHECK(verdict_of("0/1 nodes are available: 1 Insufficient nvidia.com/gpu. preemption: 0/1 nodes are available: 1 No "
                   "preemption victims found for incoming pod.") == "busy");
  CHECK(verdict_of("0/1 nodes are available: 1 Insufficient nvidia.com/gpu. preemption: 0/1 nodes are available: 1 "
                   "Preemption is not helpful for scheduling.") == "never fits");
  CHECK(verdict_of("0/14 nodes are available: 14 Insufficient nvidia.com/gpu.") == "busy or never fits");
  CHECK(verdict_of("0/3 nodes are available: 3 node(s) had untolerated taint(s).") == "blocked by taint");
  CHECK(
      verdict_of("0/3 nodes are available: 1 Insufficient nvidia.com/gpu, 2 node(s) had untolerated taint(s). "
                 "preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 Preemption is "
                 "not helpful for scheduling.") == "busy");
  CHECK(verdict_of("0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found") ==
        "waiting for a volume");
  CHECK(
      verdict_of("running \"DynamicResources\" filter plugin: class gpu.nvidia.com: selector #0: CEL runtime error: no "
                 "such key: type") == "error");
  CHECK(verdict_of("no nodes available to schedule pods") == "no nodes");
  CHECK(
      verdict_of("couldn't assign flavors to pod set main: insufficient unused quota for nvidia.com/gpu in flavor x, 8 "
                 "more needed") == "blocked by quota");
  CHECK(verdict_of("6/6 tasks in gang unschedulable: pod group is not ready, 6 Pending, 6 minAvailable") ==
        "another scheduler");
}

TEST_CASE("counts above the number of nodes are explained, and the dump to gather is named") {
  const std::vector<Finding> findings = explain_message(parse_message(
      "0/2 nodes are available: 1 Insufficient nvidia.com/gpucores, 1 Insufficient nvidia.com/gpumem, 1 node(s) had "
      "untolerated taint {node-role.kubernetes.io/control-plane: }."));
  const bool said = std::ranges::any_of(findings, [](const Finding& finding) {
    return finding.text == "the counts add up to 3, more than 2 nodes: one node may be short of several resources";
  });
  CHECK(said);
  CHECK(findings.back().verdict == "gather");
  CHECK(explain_message(parse_message("0/2 nodes are available: 2 cannot allocate all claims.")).back().text ==
        "kubectl get nodes,pods,priorityclasses,poddisruptionbudgets,resourceclaims,resourceslices,deviceclasses,"
        "devicetaintrules -A -o json > dump.json; then: gpusched k8s dump.json --pod NAMESPACE/NAME");
}

}  // namespace
}  // namespace gpusched::explain
