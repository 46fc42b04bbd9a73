#pragma once

#include "gpusched/io/device_plugin_config.hpp"

namespace gpusched::io {

/// What is known of a kubelet by its device plugin: what the configuration (nullptr: none) says, and of `mps`, replicas
/// that are clients of MPS, that the plugin refuses more than one to a container unless the configuration allows it.
[[nodiscard]] inline KubeletFacts kubelet_facts(const DevicePluginConfig* config, bool mps) {
  KubeletFacts facts = config == nullptr ? KubeletFacts{} : config->kubelet;
  facts.mps |= mps;
  facts.one_replica_only |= mps && config == nullptr;
  return facts;
}

}  // namespace gpusched::io
