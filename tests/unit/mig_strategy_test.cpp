#include "gpusched/mig/strategy.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gpusched/mig/profile.hpp"

using namespace gpusched;
using namespace gpusched::mig;

namespace {

PluginGpu gpu(const char* model, const std::vector<std::string>& names) {
  const Board& board = *find_board(model);
  PluginGpu gpu{&board, true, {}};
  for (const std::string& name : names) gpu.instances.push_back(find_profile(board, name).value());
  return gpu;
}

PluginGpu whole() {
  return {};
}

/// "nvidia.com/gpu 2, nvidia.com/mig-1g.6gb 1", or the plugin's refusal.
std::string resources(const std::vector<PluginGpu>& gpus, Strategy strategy) {
  const auto result = advertised(gpus, strategy);
  if (!result) return result.error().front().message;
  std::string text;
  for (const auto& [name, count] : *result) text += (text.empty() ? "" : ", ") + name + " " + std::to_string(count);
  return text;
}

}  // namespace

TEST_CASE("mig-strategy-mixed-names-every-profile") {
  CHECK(resources({gpu("A30", {"1g.6gb", "1g.6gb", "2g.12gb"}), whole()}, Strategy::kMixed) ==
        "nvidia.com/gpu 1, nvidia.com/mig-1g.6gb 2, nvidia.com/mig-2g.12gb 1");
  CHECK(resources({gpu("H100-SXM-80GB", {"1g.10gb+me", "1g.20gb"})}, Strategy::kMixed) ==
        "nvidia.com/mig-1g.10gb.me 1, nvidia.com/mig-1g.20gb 1");
  CHECK(resources({gpu("RTX PRO 6000", {"1g.24gb+gfx", "1g.24gb+me.all", "1g.24gb-me"})}, Strategy::kMixed) ==
        "nvidia.com/mig-1g.24gb-me 1, nvidia.com/mig-1g.24gb.gfx 1, nvidia.com/mig-1g.24gb.me.all 1");
  CHECK(resources({gpu("A30", {})}, Strategy::kMixed).empty());
}

TEST_CASE("mig-strategy-single-wants-everything-alike") {
  CHECK(resources({gpu("A30", {"1g.6gb", "1g.6gb"}), gpu("A30", {"1g.6gb"})}, Strategy::kSingle) == "nvidia.com/gpu 3");
  CHECK(resources({whole(), whole()}, Strategy::kSingle) == "nvidia.com/gpu 2");
  CHECK(resources({gpu("A30", {"1g.6gb", "1g.6gb", "2g.12gb"})}, Strategy::kSingle) ==
        "more than one MIG device type present on node");
  CHECK(resources({gpu("A30", {"1g.6gb"}), whole()}, Strategy::kSingle) ==
        "all devices on the node must be configured with the same migEnabled value");
  CHECK(
      resources({gpu("A30", {"1g.6gb"}), gpu("A30", {})}, Strategy::kSingle) ==
      "at least one device with migEnabled=true was not configured correctly: device 1 has no MIG devices configured");
  // graphics is no attribute of a MIG device, media engines are
  CHECK(resources({gpu("RTX PRO 6000", {"1g.24gb", "1g.24gb+gfx"})}, Strategy::kSingle) == "nvidia.com/gpu 2");
  CHECK(resources({gpu("H100-SXM-80GB", {"1g.10gb", "1g.10gb+me"})}, Strategy::kSingle) ==
        "more than one MIG device type present on node");
  // figures that no source gives: then the name decides
  CHECK(resources({gpu("H20 SXM5 141GB", {"1g.18gb", "1g.18gb+me"})}, Strategy::kSingle) ==
        "more than one MIG device type present on node");
}

TEST_CASE("mig-strategy-none-sees-whole-gpus") {
  CHECK(resources({gpu("A30", {"1g.6gb"}), whole()}, Strategy::kNone) == "nvidia.com/gpu 2");
}
