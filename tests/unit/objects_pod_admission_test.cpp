#include "gpusched/objects/pod_admission.hpp"

#include <catch2/catch.hpp>

using namespace gpusched;
using namespace gpusched::objects;

namespace {

Quantity amount(std::string_view text) {
  return *try_parse_quantity(text);
}

Pod pod(ResourceList requests, ResourceList limits = {}) {
  Pod made;
  made.meta.name = "train";
  made.meta.namespace_name = "ml";
  made.spec.edit().containers.emplace_back().name = "main";
  made.spec.edit().containers.front().resources.requests = std::move(requests);
  made.spec.edit().containers.front().resources.limits = std::move(limits);
  return made;
}

ResourceQuota quota(ResourceList hard, ResourceList used) {
  ResourceQuota made;
  made.meta.name = "q";
  made.meta.namespace_name = "ml";
  made.hard = std::move(hard);
  made.used = std::move(used);
  return made;
}

}  // namespace

TEST_CASE("limit ranges: what a container leaves out comes from the last item for containers") {
  LimitRange range;
  range.limits.resize(3);
  range.limits[0].type = "Container";
  range.limits[0].default_requests = {{"cpu", amount("1")}, {"memory", amount("1Gi")}};
  range.limits[1].type = "Pod";
  range.limits[1].default_requests = {{"cpu", amount("9")}};
  range.limits[2].type = "Container";
  range.limits[2].default_requests = {{"cpu", amount("2")}};
  Pod changed = pod({{"memory", amount("3Gi")}});
  add_limit_defaults(changed, range);
  const ResourceList& requests = changed.spec->containers.front().resources.requests;
  CHECK(find(requests, "cpu")->to_string() == "2");
  CHECK(find(requests, "memory")->to_string() == "3Gi");
}

TEST_CASE("limit ranges: bounds in the API server's words") {
  LimitRange range;
  LimitRangeItem& item = range.limits.emplace_back();
  item.type = "Container";
  const auto error = [&](const Pod& asked) { return limit_range_error(asked, range); };

  SECTION("minimum") {
    item.min = {{"cpu", amount("500m")}};
    CHECK(error(pod({})) == "minimum cpu usage per Container is 500m.  No request is specified");
    CHECK(error(pod({{"cpu", amount("100m")}})) == "minimum cpu usage per Container is 500m, but request is 100m");
    CHECK(error(pod({{"cpu", amount("1")}}, {{"cpu", amount("400m")}})) ==
          "minimum cpu usage per Container is 500m, but limit is 400m");
    CHECK(error(pod({{"cpu", amount("500m")}})).empty());
  }
  SECTION("maximum") {
    item.max = {{"memory", amount("1Gi")}};
    CHECK(error(pod({{"memory", amount("1Gi")}})) ==
          "maximum memory usage per Container is 1Gi.  No limit is specified");
    CHECK(error(pod({}, {{"memory", amount("2Gi")}})) == "maximum memory usage per Container is 1Gi, but limit is 2Gi");
    CHECK(error(pod({}, {{"memory", amount("1024Mi")}})).empty());
  }
  SECTION("ratio") {
    item.max_limit_request_ratio = {{"cpu", amount("2")}};
    CHECK(error(pod({{"cpu", amount("1")}}, {{"cpu", amount("3")}})) ==
          "cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000");
    CHECK(error(pod({}, {{"cpu", amount("3")}})) ==
          "cpu max limit to request ratio per Container is 2, but no request is specified or request is 0");
    CHECK(error(pod({{"cpu", amount("1500m")}}, {{"cpu", amount("3")}})).empty());
  }
  SECTION("several findings") {
    item.max = {{"memory", amount("1Gi")}, {"cpu", amount("1")}};
    CHECK(error(pod({}, {{"cpu", amount("2")}, {"memory", amount("2Gi")}})) ==
          "[maximum cpu usage per Container is 1, but limit is 2, maximum memory usage per Container is 1Gi, but limit "
          "is "
          "2Gi]");
  }
  SECTION("a pod is the sum of its containers, without its overhead") {
    item.type = "Pod";
    item.max = {{"cpu", amount("3")}};
    Pod two = pod({{"cpu", amount("2")}}, {{"cpu", amount("2")}});
    two.spec.edit().overhead = {{"cpu", amount("2")}};
    CHECK(error(two).empty());
    two.spec.edit().containers.push_back(two.spec->containers.front());
    CHECK(error(two) == "maximum cpu usage per Pod is 3, but limit is 4");
  }
}

TEST_CASE("runtime classes: overhead, selector and tolerations") {
  RuntimeClass kata;
  kata.overhead = {{"cpu", amount("250m")}};
  kata.node_selector = {{"kata", "yes"}};
  kata.tolerations = {{"kata", "Exists", "", "", {}}};
  Pod changed = pod({});
  changed.spec.edit().tolerations = {{"kata", "Equal", "yes", "NoSchedule", {}}, {"other", "Exists", "", "", {}}};
  CHECK(apply_runtime_class(changed, kata).empty());
  CHECK(find(changed.spec->overhead, "cpu")->to_string() == "250m");
  CHECK(*find(changed.spec->node_selector, "kata") == "yes");
  // The wider toleration replaces the narrower one.
  CHECK(changed.spec->tolerations ==
        std::vector<Toleration>{{"other", "Exists", "", "", {}}, kata.tolerations.front()});

  Pod own = pod({});
  own.spec.edit().overhead = {{"cpu", amount("1")}};
  CHECK(apply_runtime_class(own, kata) == "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  Pod elsewhere = pod({});
  elsewhere.spec.edit().node_selector = {{"kata", "no"}};
  CHECK(apply_runtime_class(elsewhere, kata) ==
        "conflict: runtimeClass.scheduling.nodeSelector[kata] = yes; pod.spec.nodeSelector[kata] = no");
}

TEST_CASE("quotas: charged in all or none") {
  const Pod one = pod({{"nvidia.com/gpu", amount("1")}}, {{"nvidia.com/gpu", amount("1")}});
  std::vector<ResourceQuota> quotas{
      quota({{"pods", amount("5")}}, {{"pods", amount("1")}}),
      quota({{"requests.nvidia.com/gpu", amount("2")}}, {{"requests.nvidia.com/gpu", amount("1")}})};
  CHECK(charge_quotas(one, quotas).empty());
  CHECK(find(quotas[0].used, "pods")->to_string() == "2");
  CHECK(find(quotas[1].used, "requests.nvidia.com/gpu")->to_string() == "2");
  CHECK(charge_quotas(one, quotas) ==
        "exceeded quota: q, requested: requests.nvidia.com/gpu=1, used: requests.nvidia.com/gpu=2, limited: "
        "requests.nvidia.com/gpu=2");
  CHECK(find(quotas[0].used, "pods")->to_string() == "2");
}

TEST_CASE("quotas: which ones cover a pod") {
  const Pod one = pod({{"nvidia.com/gpu", amount("1")}}, {{"nvidia.com/gpu", amount("1")}});
  const ResourceQuota full = quota({{"pods", amount("0")}}, {{"pods", amount("0")}});
  const auto refused = [&](ResourceQuota asked, const Pod& by) {
    std::vector<ResourceQuota> quotas{std::move(asked)};
    return !charge_quotas(by, quotas).empty();
  };
  const auto scoped = [&](QuotaScope scope) {
    ResourceQuota made = full;
    made.scopes = {std::move(scope)};
    return made;
  };
  CHECK(refused(full, one));
  ResourceQuota elsewhere = full;
  elsewhere.meta.namespace_name = "other";
  CHECK_FALSE(refused(elsewhere, one));
  // Neither cpu nor memory is asked for.
  CHECK(refused(scoped({"BestEffort", "Exists", {}}), one));
  CHECK_FALSE(refused(scoped({"NotBestEffort", "Exists", {}}), one));
  CHECK(refused(scoped({"NotBestEffort", "Exists", {}}), pod({{"cpu", amount("1")}})));
  CHECK_FALSE(refused(scoped({"PriorityClass", "In", {"high"}}), one));
  CHECK(refused(scoped({"PriorityClass", "NotIn", {"high"}}), one));
  Pod high = one;
  high.spec.edit().priority_class_name = "high";
  CHECK(refused(scoped({"PriorityClass", "In", {"high"}}), high));
  CHECK(refused(scoped({"PriorityClass", "Exists", {}}), high));
  CHECK_FALSE(refused(scoped({"PriorityClass", "DoesNotExist", {}}), high));
  CHECK_FALSE(refused(scoped({"CrossNamespacePodAffinity", "Exists", {}}), one));
  // A quota of services is none of pods.
  CHECK_FALSE(refused(quota({{"services", amount("0")}}, {}), one));
  std::vector<ResourceQuota> unknown{quota({{"pods", amount("3")}}, {})};
  CHECK(charge_quotas(one, unknown) == "status unknown for quota: q, resources: pods");
}
