#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "gpusched/io/dra_objects.hpp"

namespace gpusched::io {
namespace {

Result<DraObjects> read(std::string text) {
  const Result<std::vector<Document>> documents = parse_documents({"objects.yaml", std::move(text)});
  REQUIRE(documents);
  return read_dra_objects(*documents);
}

constexpr const char* kClaimV1 = R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c, namespace: ml, uid: u-1, labels: {a: b}}
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu
        allocationMode: ExactCount
        count: 2
        selectors: [{cel: {expression: "true"}}, {}]
        capacity: {requests: {memory: 10Gi}}
    - name: any
      firstAvailable: [{name: big, deviceClassName: gpu, count: 1}]
    constraints: [{requests: [gpu], matchAttribute: gpu.example.com/island}]
    config: [{requests: [gpu], opaque: {driver: gpu.example.com, parameters: {b: 1, a: [true, null]}}}]
status:
  allocation:
    devices:
      results: [{request: gpu, driver: d, pool: p, device: x, shareID: s, consumedCapacity: {memory: 10Gi}}]
    nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [node]}]}]}
  reservedFor: [{resource: pods, name: p, uid: u-2}]
)";

}  // namespace

TEST_CASE("dra-objects-claim-of-every-version") {
  std::string beta1 = R"(
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {name: c}
spec: {devices: {requests: [{name: gpu, deviceClassName: gpu, count: 2}, {name: any, firstAvailable: [{name: s}]}]}}
)";
  const Result<DraObjects> v1 = read(kClaimV1);
  const Result<DraObjects> old = read(beta1);
  REQUIRE(v1);
  REQUIRE(old);
  const objects::ResourceClaim& claim = v1->claims.at(0);
  CHECK(claim.namespace_name + "/" + claim.name + " " + claim.uid == "ml/c u-1");
  const objects::DeviceRequirements& wanted = *claim.devices.requests.at(0).exactly;
  CHECK(wanted.device_class_name == "gpu");
  CHECK(wanted.count == 2);
  CHECK(wanted.selectors.at(0).cel == "true");
  CHECK_FALSE(wanted.selectors.at(1).cel);
  CHECK(wanted.capacity->requests.at(0).second.to_string() == "10Gi");
  CHECK(claim.devices.requests.at(1).first_available.at(0).name == "big");
  CHECK(claim.devices.constraints.at(0).match_attribute == "gpu.example.com/island");
  CHECK(claim.devices.config.at(0).configuration.opaque->parameters == R"({"b":1,"a":[true,null]})");
  CHECK(claim.allocation->results.at(0).share_id == "s");
  CHECK(claim.allocation->node_selector->terms.at(0).match_fields.at(0).values.at(0) == "node");
  CHECK(claim.reserved_for.at(0).name == "p");
  CHECK(old->claims.at(0).devices.requests.at(0).exactly->count == 2);
  CHECK_FALSE(old->claims.at(0).devices.requests.at(1).exactly);
}

TEST_CASE("dra-objects-slice-of-every-version") {
  for (const auto& [version, open, close] :
       {std::tuple{"v1", "", ""}, std::tuple{"v1beta2", "", ""}, std::tuple{"v1beta1", "basic: {", "}"}}) {
    DYNAMIC_SECTION(version) {
      const Result<DraObjects> read_back =
          read(std::string("apiVersion: resource.k8s.io/") + version +
               "\nkind: ResourceSlice\nmetadata: {name: s}\nspec:\n  driver: d\n  nodeName: node\n"
               "  pool: {name: p, generation: 3, resourceSliceCount: 1}\n"
               "  sharedCounters: [{name: set, counters: {mem: {value: 8Gi}}}]\n"
               "  devices:\n  - {name: x, " +
               open +
               "attributes: {i: {int: 1}, b: {bool: true}, s: {string: t}, v: {version: 1.2.3}, l: {strings: [a, b]}, "
               "e: {}}, "
               "capacity: {mem: {value: 4Gi, requestPolicy: {default: 1Gi, validRange: {min: 1Gi, step: 1Gi}}}}, "
               "consumesCounters: [{counterSet: set, counters: {mem: {value: 4Gi}}}], "
               "taints: [{key: k, effect: NoSchedule}], bindingConditions: [], allowMultipleAllocations: true" +
               close + "}\n");
      REQUIRE(read_back);
      const objects::ResourceSlice& slice = read_back->slices.at(0);
      CHECK(slice.spec.pool == objects::ResourcePool{"p", 3, 1});
      CHECK(slice.spec.node_name == "node");
      const objects::Device& device = slice.spec.devices.at(0);
      REQUIRE(device.attributes.size() == 6);
      CHECK(device.attributes[0].second == objects::AttributeValue(std::int64_t{1}));
      CHECK(device.attributes[3].second == objects::AttributeValue(objects::Version{"1.2.3"}));
      CHECK(device.attributes[4].second == objects::AttributeValue(std::vector<std::string>{"a", "b"}));
      CHECK(device.attributes[5].second == objects::AttributeValue());
      CHECK(device.capacity.at(0).second.request_policy.value()->valid_range->step->to_string() == "1Gi");
      CHECK(device.consumes_counters.at(0).counters.at(0).second.to_string() == "4Gi");
      CHECK(device.taints.at(0).key == "k");
      CHECK(device.empty_binding_conditions);
      CHECK(device.allow_multiple_allocations == true);
    }
  }
}

TEST_CASE("dra-objects-lists-and-other-kinds") {
  const Result<DraObjects> objects = read(R"({"apiVersion": "v1", "kind": "List", "items": [
    {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu"},
     "spec": {"selectors": [{"cel": {"expression": "true"}}], "extendedResourceName": "example.com/gpu"}},
    {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceTaintRule", "metadata": {"name": "r"},
     "spec": {"deviceSelector": {"pool": "p"}, "taint": {"key": "k", "effect": "NoExecute"}}},
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}},
    {"apiVersion": "v1", "kind": "List", "items": []}]})");
  REQUIRE(objects);
  CHECK(objects->classes.at(0).extended_resource_name == "example.com/gpu");
  CHECK(objects->taint_rules.at(0).selector->pool == "p");
  CHECK_FALSE(objects->taint_rules.at(0).selector->driver);
  CHECK(objects->other_kinds == std::map<std::string, std::size_t>{{"Pod", 1}});
}

TEST_CASE("dra-objects-errors-name-their-place") {
  const Result<DraObjects> twice = read(
      "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: a}}\n---\n"
      "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: a}}\n");
  REQUIRE_FALSE(twice);
  CHECK(twice.error()[0].code == "duplicate-object");
  CHECK(twice.error()[0].message == "a second DeviceClass named \"a\"; the first is at objects.yaml:1");
  const Result<DraObjects> wrong = read(
      "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a}\n"
      "spec: {devices: {requests: [{name: r, exactly: {count: many}}]}}\n");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error()[0].pointer == "/spec/devices/requests/0/exactly/count");
}

TEST_CASE("dra-objects-defaults") {
  objects::DeviceClaim claim;
  claim.requests.push_back({"r", objects::DeviceRequirements{}, {}});
  claim.requests[0].exactly->tolerations.emplace_back();
  set_defaults(claim);
  CHECK(claim.requests[0].exactly->allocation_mode == "ExactCount");
  CHECK(claim.requests[0].exactly->count == 1);
  CHECK(claim.requests[0].exactly->tolerations[0].op == "Equal");
}

}  // namespace gpusched::io
