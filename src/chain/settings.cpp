#include "gpusched/chain/settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gpusched/base/ascii.hpp"
#include "gpusched/base/text.hpp"

namespace gpusched::chain {

namespace {

struct Switch {
  std::string_view name;
  bool Settings::* member;
};

constexpr std::array kSwitches = {
    Switch{"node-management-manual", &Settings::node_management_manual},
    Switch{"instance-type-mixed-on-node", &Settings::mixed_on_node},
    Switch{"instance-type-derived-from-node", &Settings::derived_from_node},
    Switch{"instance-type-drain-when-no-flavors", &Settings::drain_when_no_flavors},
    Switch{"instance-type-aware-cpu-manufacturer", &Settings::aware_cpu_manufacturer},
    Switch{"instance-general-resources-overcommit", &Settings::resources_overcommit},
    Switch{"workload-fit-affinity", &Settings::workload_fit_affinity},
    Switch{"devices-group-id-with-memory", &Settings::group_id_with_memory},
};

constexpr auto kNames = [] {
  std::array<std::string_view, kSwitches.size()> names;
  std::ranges::transform(kSwitches, names.begin(), &Switch::name);
  return names;
}();

/// "GPUSTACK_DEVICES_GROUP_ID_WITH_MEMORY" -> "devices-group-id-with-memory".
std::string plain_name(std::string_view name) {
  constexpr std::string_view kEnvironment = "GPUSTACK_";
  if (!name.starts_with(kEnvironment)) return std::string(name);
  std::string plain(name.substr(kEnvironment.size()));
  std::ranges::transform(plain, plain.begin(), [](char c) { return c == '_' ? '-' : ascii_lower(c); });
  return plain;
}

}  // namespace

std::span<const std::string_view> setting_names() {
  return kNames;
}

bool is_setting(std::string_view name) {
  return std::ranges::find(kNames, plain_name(name)) != kNames.end();
}

Result<bool> set(Settings& settings, std::string_view name, std::string_view value) {
  const auto found = std::ranges::find(kSwitches, plain_name(name), &Switch::name);
  if (found == kSwitches.end()) {
    const std::string nearest = suggest(name, kNames);
    return fail("unknown-setting", fmt::format("no setting {}; there are {}", quote(name), join(kNames, ", ")),
                nearest.empty() ? "" : fmt::format("did you mean {}?", nearest));
  }
  if (value != "true" && value != "false") {
    return fail("invalid-setting", fmt::format("setting {} takes true or false, not {}", found->name, quote(value)));
  }
  settings.*found->member = value == "true";
  return true;
}

}  // namespace gpusched::chain
