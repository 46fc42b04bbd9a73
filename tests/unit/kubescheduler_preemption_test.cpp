#include <catch2/catch.hpp>
#include <functional>

#include "gpusched/kubescheduler/predict.hpp"
#include "support/kube_objects.hpp"

namespace gpusched::kubescheduler {
namespace {

using testing::simple_node;
using testing::simple_pod;
using Names = std::vector<std::string>;

Prediction predict_in(ClusterObjects objects, const objects::Pod& pod, SchedulerVersion version = {}) {
  PredictOptions options;
  options.rules = rules_for(version);
  return predict(Snapshot(std::move(objects), options.rules.requests), pod, options);
}

objects::Pod started(objects::Pod pod, std::int64_t seconds) {
  pod.start_time = objects::Timestamp{seconds, 0};
  return pod;
}

objects::PodDisruptionBudget budget(std::int32_t allowed) {
  objects::PodDisruptionBudget budget;
  budget.meta.name = "budget";
  budget.meta.namespace_name = "default";
  budget.selector.emplace().match_labels = {{"app", "guarded"}};
  budget.disruptions_allowed = allowed;
  return budget;
}

/// Two nodes of 2 GPUs.
ClusterObjects gpu_nodes() {
  ClusterObjects objects;
  objects.nodes = {simple_node("n1", 2), simple_node("n2", 2)};
  return objects;
}

struct Case {
  const char* name;
  std::vector<objects::Pod> pods;
  std::vector<objects::PodDisruptionBudget> budgets;
  std::vector<std::pair<std::string, Names>> preemptions;  ///< node and victims
};

TEST_CASE("preemption chooses nodes and victims") {
  objects::Pod guarded = simple_pod("guarded", "n1", 2, 1);
  guarded.meta.labels.edit() = {{"app", "guarded"}};
  objects::Pod terminating = simple_pod("a", "n1", 2, 1);
  terminating.meta.deletion_timestamp.emplace();
  const Case c = GENERATE_COPY(
      Case{"lowest-priority-goes",
           {simple_pod("a", "n1", 2, 5), simple_pod("b", "n2", 2, 3)},
           {},
           {{"n2", {"default/b"}}}},
      Case{"important-pods-are-reprieved",
           {simple_pod("a", "n1", 1, 5), simple_pod("b", "n1", 1, 1), simple_pod("c", "n2", 2, 50)},
           {},
           {{"n1", {"default/b"}}}},
      Case{"fewest-victims-after-equal-priorities",
           {simple_pod("a", "n1", 1, 1), simple_pod("b", "n1", 1, 1), simple_pod("c", "n2", 2, 1)},
           {},
           {{"n1", {"default/b"}}, {"n2", {"default/c"}}}},
      Case{"youngest-of-the-highest-goes",
           {started(simple_pod("a", "n1", 2, 1), 100), started(simple_pod("b", "n2", 2, 1), 200)},
           {},
           {{"n2", {"default/b"}}}},
      Case{"budgets-come-first", {guarded, simple_pod("b", "n2", 2, 9)}, {budget(0)}, {{"n2", {"default/b"}}}},
      Case{"a-budget-with-room-does-not-count",
           {guarded, simple_pod("b", "n2", 2, 9)},
           {budget(1)},
           {{"n1", {"default/guarded"}}}},
      Case{"a-terminating-victim-is-not-deleted-again", {terminating, simple_pod("b", "n2", 2, 9)}, {}, {{"n1", {}}}});
  CAPTURE(c.name);
  ClusterObjects objects = gpu_nodes();
  objects.pods = c.pods;
  objects.disruption_budgets = c.budgets;
  const Prediction prediction = predict_in(std::move(objects), simple_pod("p", "", 1, 10));
  REQUIRE(prediction.verdict == Verdict::kUnschedulable);
  std::vector<std::pair<std::string, Names>> found;
  for (const Preemption& preemption : prediction.preemptions) {
    found.emplace_back(preemption.node, preemption.victims);
  }
  CHECK(found == c.preemptions);
  CHECK(prediction.nominated_node == c.preemptions.front().first);
}

TEST_CASE("the message tells what preemption found") {
  ClusterObjects objects = gpu_nodes();
  objects.pods = {simple_pod("a", "n1", 2, 1), simple_pod("b", "n2", 2, 50)};
  const std::string histogram = "0/2 nodes are available: 2 Insufficient nvidia.com/gpu. ";
  const objects::Pod pod = simple_pod("p", "", 1, 10);
  CHECK(predict_in(objects, pod).message ==
        histogram + "preemption: found a potential placement for pod on node n1, preempting 1 victims");
  CHECK(predict_in(objects, pod, {36, 5}).message == "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.");
  CHECK(predict_in(objects, simple_pod("p", "", 1, 0)).message ==
        histogram + "preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.");
  CHECK(predict_in(objects, simple_pod("p", "", 1, 0), {35, 8}).message ==
        histogram +
            "no new claims to deallocate, preemption: 0/2 nodes are available: 2 No preemption victims found for "
            "incoming pod.");
  CHECK(predict_in(objects, simple_pod("p", "", 3, 10)).message ==
        histogram + "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.");
}

TEST_CASE("equal candidates give several messages") {
  ClusterObjects objects = gpu_nodes();
  objects.pods = {simple_pod("a", "n1", 2), simple_pod("b", "n2", 2)};
  const Prediction prediction = predict_in(std::move(objects), simple_pod("p", "", 1, 10));
  CHECK(prediction.messages.size() == 2);
  CHECK(prediction.message == prediction.messages.front());
  CHECK(prediction.preemptions.size() == 2);
}

TEST_CASE("a pod waits for the victims of its last preemption") {
  objects::Pod victim = simple_pod("victim", "n1", 2);
  victim.meta.deletion_timestamp.emplace();
  victim.status.edit().conditions = {{"DisruptionTarget", "True", "PreemptionByScheduler", ""}};
  ClusterObjects objects = gpu_nodes();
  objects.pods = {victim, simple_pod("b", "n2", 2, 50)};
  objects::Pod pod = simple_pod("p", "", 1, 10);
  pod.nominated_node_name = "n1";
  CHECK(predict_in(std::move(objects), pod).message ==
        "0/2 nodes are available: 2 Insufficient nvidia.com/gpu. preemption: not eligible due to a terminating pod on "
        "the nominated node.");
}

TEST_CASE("removing a pod can satisfy rules between pods") {
  ClusterObjects objects;
  objects.nodes = {simple_node("n1")};
  objects::Pod other = simple_pod("other", "n1");
  other.meta.labels.edit() = {{"app", "web"}};
  objects.pods = {other};
  objects::Pod pod = simple_pod("p", "", 0, 10);
  SECTION("anti-affinity") {
    objects::PodAffinityTerm term;
    term.label_selector.emplace().match_labels = {{"app", "web"}};
    term.topology_key = "kubernetes.io/hostname";
    pod.spec.edit().affinity.pod_anti.emplace().required = {term};
  }
  SECTION("ports") {
    objects.pods[0].spec.edit().containers[0].ports = {{80, 80, "", ""}};
    pod.spec.edit().containers[0].ports = {{80, 80, "", ""}};
  }
  const Prediction prediction = predict_in(std::move(objects), pod);
  CHECK(prediction.nominated_node == "n1");
  CHECK(prediction.victims == Names{"default/other"});
}

}  // namespace
}  // namespace gpusched::kubescheduler
