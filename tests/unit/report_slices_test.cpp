#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <string>

#include "gpusched/dra/slices.hpp"
#include "gpusched/model/shape_builder.hpp"
#include "gpusched/report/slices.hpp"

namespace gpusched::report {
namespace {

std::vector<objects::ResourceSlice> one_gpu() {
  ShapeBuilder builder;
  Board board;
  board.model = builder.text("A100-PCIE-80GB");
  board.memory_mib = 81920;
  NodeClass node_class;
  node_class.gpus.push_back({.board = builder.board(board), .island = 1});
  builder.node("node-1", builder.node_class(node_class));
  return *dra::slices_of(*std::move(builder).build(), {});
}

Quantity quantity(const char* text) {
  return *parse_quantity(text);
}

/// A slice with every field of the API set.
objects::ResourceSlice full_slice() {
  objects::Device device;
  device.name = "d";
  device.attributes = {{"i", std::int64_t{9223372036854775807}},
                       {"b", true},
                       {"s", std::string("x")},
                       {"v", objects::Version{"1.0.0"}},
                       {"is", std::vector<std::int64_t>{1, 2}},
                       {"bs", std::vector<bool>{true, false}},
                       {"ss", std::vector<std::string>{"a", "b"}},
                       {"vs", std::vector<objects::Version>{{"1.0.0"}, {"2.0.0"}}}};
  device.capacity = {
      {"memory",
       {quantity("8Gi"),
        objects::CapacityRequestPolicy{
            quantity("1Gi"), {}, objects::CapacityRange{quantity("1Gi"), quantity("8Gi"), quantity("1Gi")}}}},
      {"cores", {quantity("4"), objects::CapacityRequestPolicy{quantity("1"), {quantity("1"), quantity("2")}, {}}}}};
  device.consumes_counters = {{"set", {{"memory", quantity("1Gi")}}, {"group"}}};
  device.node_selector = objects::NodeSelector{{{{{"zone", "In", {"a"}}}, {{"metadata.name", "In", {"n"}}}}}};
  device.taints = {{"k", "v", "NoSchedule", "2026-01-01T00:00:00Z"}, {"k2", "", "None", ""}};
  device.binds_to_node = true;
  device.binding_conditions = {"Ready"};
  device.binding_failure_conditions = {"Failed"};
  device.allow_multiple_allocations = true;
  device.node_allocatable_resources = {{"cpu",
                                        {objects::NodeAllocatableMapping{"cores", quantity("2"), {}},
                                         objects::NodeAllocatableOverhead{quantity("100m"), quantity("50m")}}}};
  objects::ResourceSlice slice;
  slice.name = "s";
  slice.spec.driver = "d.io";
  slice.spec.pool = {"p", 3, 1};
  slice.spec.per_device_node_selection = true;
  slice.spec.devices = {device};
  slice.spec.partition_type_attribute = "d.io/s";
  slice.spec.skip_node_operations = {"*"};
  return slice;
}

const char* const kFullDevice =
    R"("attributes":{"i":{"int":9223372036854775807},"b":{"bool":true},"s":{"string":"x"},"v":{"version":"1.0.0"},)"
    R"("is":{"ints":[1,2]},"bs":{"bools":[true,false]},"ss":{"strings":["a","b"]},)"
    R"("vs":{"versions":["1.0.0","2.0.0"]}},)"
    R"("capacity":{"memory":{"value":"8Gi","requestPolicy":{"default":"1Gi","validRange":{"min":"1Gi","max":"8Gi",)"
    R"("step":"1Gi"}}},"cores":{"value":"4","requestPolicy":{"default":"1","validValues":["1","2"]}}},)"
    R"("consumesCounters":[{"counterSet":"set","counters":{"memory":{"value":"1Gi"}},)"
    R"("compatibilityGroups":["group"]}],)"
    R"("nodeSelector":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone","operator":"In","values":["a"]}],)"
    R"("matchFields":[{"key":"metadata.name","operator":"In","values":["n"]}]}]},)"
    R"("taints":[{"key":"k","value":"v","effect":"NoSchedule","timeAdded":"2026-01-01T00:00:00Z"},)"
    R"({"key":"k2","effect":"None"}],"bindsToNode":true,"bindingConditions":["Ready"],)"
    R"("bindingFailureConditions":["Failed"],"allowMultipleAllocations":true,)"
    R"("nodeAllocatableResources":{"cpu":{"mapping":{"capacityKey":"cores","capacityMultiplier":"2"},)"
    R"("overhead":{"perPod":"100m","perContainer":"50m"}}})";

std::string compact(const objects::ResourceSlice& slice, ApiVersion version) {
  return (*slices_report({&slice, 1}, version).json)["items"][0].dump();
}

TEST_CASE("lesson-slice-has-the-lesson-key-order", "[report][slices]") {
  const auto slices = one_gpu();
  CHECK(slices_report(slices, ApiVersion::kV1).json->dump(2) == R"({
  "apiVersion": "v1",
  "kind": "List",
  "items": [
    {
      "apiVersion": "resource.k8s.io/v1",
      "kind": "ResourceSlice",
      "metadata": {
        "name": "node-1-gpu.example.com"
      },
      "spec": {
        "driver": "gpu.example.com",
        "nodeName": "node-1",
        "pool": {
          "name": "node-1",
          "generation": 1,
          "resourceSliceCount": 1
        },
        "devices": [
          {
            "name": "gpu-0",
            "attributes": {
              "type": {
                "string": "gpu"
              },
              "model": {
                "string": "A100-PCIE-80GB"
              },
              "index": {
                "int": 0
              },
              "nvlinkIsland": {
                "int": 1
              },
              "timeSliced": {
                "bool": false
              }
            },
            "capacity": {
              "memory": {
                "value": "80Gi"
              }
            }
          }
        ]
      }
    }
  ]
})");
}

TEST_CASE("every-field-is-written", "[report][slices]") {
  const std::string spec =
      R"("kind":"ResourceSlice","metadata":{"name":"s"},"spec":{"driver":"d.io","perDeviceNodeSelection":true,)"
      R"("pool":{"name":"p","generation":3,"resourceSliceCount":1},"partitionTypeAttribute":"d.io/s",)"
      R"("skipNodeOperations":["*"],"devices":[{"name":"d",)";
  SECTION("v1") {
    CHECK(compact(full_slice(), ApiVersion::kV1) ==
          R"({"apiVersion":"resource.k8s.io/v1",)" + spec + kFullDevice + "}]}}");
  }
  SECTION("v1beta2-differs-by-its-name") {
    CHECK(compact(full_slice(), ApiVersion::kV1beta2) ==
          R"({"apiVersion":"resource.k8s.io/v1beta2",)" + spec + kFullDevice + "}]}}");
  }
  SECTION("v1beta1-nests-in-basic") {
    CHECK(compact(full_slice(), ApiVersion::kV1beta1) ==
          R"({"apiVersion":"resource.k8s.io/v1beta1",)" + spec + R"("basic":{)" + kFullDevice + "}}]}}");
  }
}

TEST_CASE("counters-and-node-selection-of-a-slice", "[report][slices]") {
  objects::ResourceSlice slice;
  slice.name = "s";
  slice.spec.driver = "d";
  slice.spec.pool = {"p", 0, 2};
  slice.spec.all_nodes = true;
  slice.spec.shared_counters = {{"set", {{"memory-slice-0", quantity("1")}}}};
  CHECK(compact(slice, ApiVersion::kV1) ==
        R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"s"},"spec":{"driver":"d",)"
        R"("allNodes":true,"pool":{"name":"p","generation":0,"resourceSliceCount":2},)"
        R"("sharedCounters":[{"name":"set","counters":{"memory-slice-0":{"value":"1"}}}]}})");
}

TEST_CASE("no-slices-is-an-empty-list", "[report][slices]") {
  CHECK(slices_report({}, ApiVersion::kV1).json->dump() == R"({"apiVersion":"v1","kind":"List","items":[]})");
}

TEST_CASE("device-without-fields", "[report][slices]") {
  objects::ResourceSlice slice;
  slice.spec.devices.resize(1);
  slice.spec.devices[0].name = "d";
  CHECK((*slices_report({&slice, 1}, ApiVersion::kV1).json)["items"][0]["spec"]["devices"].dump() ==
        R"([{"name":"d"}])");
  CHECK((*slices_report({&slice, 1}, ApiVersion::kV1beta1).json)["items"][0]["spec"]["devices"].dump() ==
        R"([{"name":"d","basic":{}}])");
}

TEST_CASE("api-version-names", "[report][slices]") {
  CHECK(parse_api_version("v1") == ApiVersion::kV1);
  CHECK(parse_api_version("resource.k8s.io/v1beta2") == ApiVersion::kV1beta2);
  CHECK(parse_api_version("v1beta1") == ApiVersion::kV1beta1);
  CHECK(parse_api_version("v1alpha3") == std::nullopt);
  CHECK(parse_api_version("") == std::nullopt);
}

}  // namespace
}  // namespace gpusched::report
