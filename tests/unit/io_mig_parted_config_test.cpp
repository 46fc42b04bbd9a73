#include "gpusched/io/mig_parted_config.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace gpusched;
using namespace gpusched::io;

namespace {

Result<std::vector<MigPartedConfig>> read(const std::string& text) {
  const auto documents = parse_documents({"config.yaml", text});
  REQUIRE(documents);
  return read_mig_parted_configs(documents->front());
}

std::string first_error(const std::string& text) {
  const auto configs = read(text);
  return configs ? "" : configs.error().front().pointer + ": " + configs.error().front().message;
}

std::string rule(const std::string& fields) {
  return "version: v1\nmig-configs: {c: [{" + fields + "}]}";
}

constexpr const char* kConfigs = R"(
version: v1
mig-configs:
  all-disabled:
    - {devices: all, mig-enabled: false}
  mine:
    - {device-filter: ["0x20B210DE", "0x20B010DE"], devices: all, mig-enabled: true, mig-devices: {3g.40gb: 1, 4g.40gb: 1}}
    - {device-filter: "0x20B210DE", devices: [2, 3], mig-enabled: true, mig-devices: {1g.10gb: 7, 2g.20gb: 0}}
)";

std::string layout(std::string_view config, const char* board, std::int64_t gpu) {
  const auto configs = read(kConfigs);
  REQUIRE(configs);
  for (const MigPartedConfig& candidate : *configs) {
    if (candidate.name != config) continue;
    const mig::Board& found = *mig::find_board(board);
    const auto result = layout_of(candidate, found, gpu);
    if (!result) return result.error().front().message;
    return result->mig_enabled ? mig::entries_text(found, result->entries) : "off";
  }
  return "missing";
}

}  // namespace

TEST_CASE("mig-parted-config-the-last-rule-for-a-gpu-counts") {
  CHECK(layout("mine", "A100-SXM4-80GB", 0) == "3g.40gb, 4g.40gb");
  CHECK(layout("mine", "A100-SXM4-80GB", 3) == "1g.10gb, 1g.10gb, 1g.10gb, 1g.10gb, 1g.10gb, 1g.10gb, 1g.10gb");
  CHECK(layout("all-disabled", "A30", -1) == "off");
  CHECK(layout("mine", "A30", 0) == "no rule of the MIG configuration \"mine\" is for NVIDIA A30 as GPU 0");
  CHECK(layout("mine", "A100-SXM4-40GB", 0) ==
        "MIG profile \"3g.40gb\" of the configuration \"mine\" not found on NVIDIA A100-SXM4-40GB");
}

TEST_CASE("mig-parted-config-errors") {
  CHECK(first_error("mig-configs: {c: [{devices: all, mig-enabled: false}]}").find("version") != std::string::npos);
  CHECK(first_error("version: v2\nmig-configs: {c: [{devices: all, mig-enabled: false}]}") ==
        "/version: unknown version: v2");
  CHECK(first_error("version: v1\nmig-configs: {}") == "/mig-configs: at least one entry in 'mig-configs' is required");
  CHECK(first_error("version: v1\nmig-configs: {c: []}") == "/mig-configs/c: at least one entry in \"c\" is required");
  CHECK(first_error(rule("devices: all, mig-enabled: true")) ==
        "/mig-configs/c/0: missing required field 'mig-devices' when 'mig-enabled' is true");
  CHECK(first_error(rule("devices: all, mig-enabled: false, mig-devices: {1g.5gb: 1}")) ==
        "/mig-configs/c/0/mig-devices: MIG devices included when 'mig-enabled' is false");
  CHECK(first_error(rule("devices: all, mig-enabled: true, mig-devices: {1g.5gb: 0}")) ==
        "/mig-configs/c/0/mig-devices: all counts for all MigProfiles are 0");
  CHECK(
      first_error(rule("devices: some, mig-enabled: false")).starts_with("/mig-configs/c/0/devices: expected \"all\""));
  for (const std::string devices : {"[-1]", "[1.5]", "[1e3]", "[32000]", "[x]"}) {
    CHECK(first_error(rule("devices: " + devices + ", mig-enabled: false")).find("expected a GPU index") !=
          std::string::npos);
  }
  CHECK(first_error(rule("device-filter: A100, devices: all, mig-enabled: false")).find("expected a PCI id") !=
        std::string::npos);
  CHECK(first_error(rule("device: all, devices: all, mig-enabled: false")).find("has no key") != std::string::npos);
  CHECK(first_error("version: v1\nsharing: {}").find("expected \"mig-configs\"") != std::string::npos);
}

TEST_CASE("mig-parted-config-in-a-config-map") {
  const auto configs = read(
      "kind: ConfigMap\ndata:\n  config.yaml: |\n    version: v1\n    mig-configs:\n      a:\n        - {devices: all, "
      "mig-enabled: true, mig-devices: {}}\n");
  REQUIRE(configs);
  REQUIRE(configs->size() == 1);
  CHECK(configs->front().rules.front().devices.empty());
  CHECK_FALSE(read("kind: ConfigMap\nmetadata: {name: x}"));
}
