#include "gpusched/io/device_plugin_config.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace gpusched;
using namespace gpusched::io;

namespace {

Result<std::vector<DevicePluginConfig>> read(const std::string& text, Diagnostics* warnings = nullptr) {
  const auto documents = parse_documents({"plugin.yaml", text});
  REQUIRE(documents);
  Diagnostics ignored;
  return read_device_plugin_configs(documents->front(), warnings == nullptr ? ignored : *warnings);
}

std::string first_error(const std::string& text) {
  const auto configs = read(text);
  return configs ? "" : configs.error().front().pointer + ": " + configs.error().front().message;
}

DevicePluginConfig one(const std::string& text) {
  const auto configs = read(text);
  REQUIRE(configs);
  REQUIRE(configs->size() == 1);
  return configs->front();
}

}  // namespace

TEST_CASE("device-plugin-config-of-time-slicing") {
  const DevicePluginConfig config = one(R"(
version: v1
flags: {migStrategy: mixed, plugin: {deviceListStrategy: [envvar], sharedDevicesAllocationPolicy: packed}}
sharing:
  timeSlicing:
    renameByDefault: true
    failRequestsGreaterThanOne: true
    resources:
      - {name: nvidia.com/gpu, replicas: 4}
      - {name: mig-1g.10gb, replicas: 2}
)");
  CHECK(config.mig_strategy == mig::Strategy::kMixed);
  CHECK_FALSE(config.kubelet.mps);
  CHECK(config.kubelet.one_replica_only);
  CHECK(config.kubelet.packed);
  CHECK(config.replicas_of("nvidia.com/gpu.shared") == 4);
  CHECK(config.replicas_of("nvidia.com/gpu") == 4);
  CHECK(config.replicas_of("nvidia.com/mig-1g.10gb") == 2);
  CHECK(config.replicas_of("nvidia.com/mig-2g.20gb") == 1);
}

TEST_CASE("device-plugin-config-defaults") {
  CHECK_FALSE(one("sharing: {timeSlicing: {resources: [{name: gpu, replicas: 2}]}}").kubelet.one_replica_only);
  const DevicePluginConfig mps = one("version: v1\nsharing: {mps: {resources: [{name: gpu, replicas: 10}]}}");
  CHECK(mps.kubelet.mps);
  CHECK(mps.kubelet.one_replica_only);
  CHECK_FALSE(one("sharing: {mps: {failRequestsGreaterThanOne: false, resources: [{name: gpu, replicas: 2}]}}")
                  .kubelet.one_replica_only);
  CHECK(one("version: v1").shared.empty());
}

TEST_CASE("device-plugin-config-what-the-plugin-overrides-is-a-warning") {
  Diagnostics warnings;
  const auto configs = read(R"(
version: v1
sharings: {}
sharing: {timeSlicing: {resources: [{name: gpu, rename: gpu.mine, devices: [0, 1], replicas: 3}]}}
)",
                            &warnings);
  REQUIRE(configs);
  REQUIRE(warnings.size() == 3);
  CHECK(warnings[0].message == "the device plugin does not know \"sharings\"");
  CHECK(warnings[0].hint == "did you mean sharing?");
  CHECK(warnings[1].pointer == "/sharing/timeSlicing/resources/0/rename");
  CHECK(warnings[2].pointer == "/sharing/timeSlicing/resources/0/devices");
  CHECK(configs->front().shared.front().advertised == "nvidia.com/gpu");
}

TEST_CASE("device-plugin-config-errors") {
  CHECK(first_error("version: v2\nsharing: {}") == "/version: unknown version: v2; the device plugin reads v1");
  CHECK(first_error("sharing: {timeSlicing: {resources: []}}") == "/sharing/timeSlicing: no resources specified");
  CHECK(first_error("sharing: {mps: {resources: [{name: gpu, replicas: 49}]}}") ==
        "/sharing/mps: maximum allowed replicas exceeded: 49 > 48 clients of MPS on one GPU");
  CHECK(first_error("sharing: {timeSlicing: {resources: [{name: gpu, replicas: 1}]}}").find("/replicas: ") !=
        std::string::npos);
  CHECK(first_error("flags: {migStrategy: mix}").starts_with("/flags/migStrategy: "));
  CHECK(first_error("apiVersion: nvidia.com/v1\nkind: ClusterPolicy").ends_with("found a Kubernetes ClusterPolicy"));
  CHECK(first_error("version: v1\nmig-configs: {}").ends_with("found an object with \"mig-configs\""));
  CHECK(first_error("sharing: {timeSlicing: {resources: [{name: gpu, replicas: 2}]}, mps: {resources: [{name: gpu, "
                    "replicas: 2}]}}") == "/sharing/timeSlicing: timeSlicing and mps exclude each other");
}

TEST_CASE("device-plugin-config-map-has-one-for-each-node") {
  const auto configs = read(R"(
apiVersion: v1
kind: ConfigMap
metadata: {name: plugin}
data:
  default: "version: v1"
  shared: "version: v1\nsharing: {timeSlicing: {resources: [{name: gpu, replicas: 4}]}}"
)");
  REQUIRE(configs);
  REQUIRE(configs->size() == 2);
  CHECK(config_of_node(*configs, "shared")->shared.size() == 1);
  CHECK(config_of_node(*configs, "")->name == "default");
  CHECK(config_of_node(*configs, "other") == nullptr);
  const auto wrong = read("kind: ConfigMap\ndata: {config.json: '{\"gpu-config-profiles\": {}}'}");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().front().source == "plugin.yaml: data/config.json");
}
