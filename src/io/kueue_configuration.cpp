#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gpusched/base/text.hpp"
#include "gpusched/io/kueue_objects.hpp"
#include "io/core_fields.hpp"
#include "io/go_duration.hpp"

namespace gpusched::io {

namespace {

using namespace core;
using objects::KueueConfiguration;
using objects::KueueFeatures;

/// In whole seconds, rounded down.
std::optional<std::int64_t> read_duration(ObjectReader& reader, std::string_view key) {
  constexpr std::int64_t kMillisecondsPerSecond = 1000;
  const auto milliseconds = read_go_duration(reader, key);
  return milliseconds ? std::optional(*milliseconds / kMillisecondsPerSecond) : std::nullopt;
}

objects::WaitForPodsReady read_wait(Decoder& decoder, const Value& value) {
  constexpr std::int64_t kDefaultTimeout = 300;  // v1beta1; v1beta2 requires it
  static constexpr std::array<std::string_view, 2> kTimestamps = {"Eviction", "Creation"};
  ObjectReader reader(decoder, value, "waitForPodsReady");
  reader.ignore_other_keys();
  objects::WaitForPodsReady wait;
  wait.timeout_seconds = read_duration(reader, "timeout").value_or(kDefaultTimeout);
  wait.recovery_timeout_seconds = read_duration(reader, "recoveryTimeout").value_or(wait.timeout_seconds);
  if (wait.recovery_timeout_seconds == 0) {
    wait.recovery_timeout_seconds.reset();
  }
  wait.block_admission = reader.optional_bool("blockAdmission").value_or(false);
  reader.object("requeuingStrategy", [&](const Value& strategy) {
    ObjectReader fields(decoder, strategy, "requeuing strategy");
    fields.ignore_other_keys();
    wait.order_by_eviction = fields.optional_one_of("timestamp", kTimestamps).value_or(0) == 0;
    wait.backoff_base_seconds = fields.optional_int64("backoffBaseSeconds", 0, kMaxInt32).value_or(60);
    wait.backoff_max_seconds = fields.optional_int64("backoffMaxSeconds", 0, kMaxInt32).value_or(3600);
    if (const auto limit = fields.optional_int64("backoffLimitCount", 0, kMaxInt32)) {
      wait.backoff_limit_count = static_cast<std::int32_t>(*limit);
    }
  });
  return wait;
}

objects::FairSharing read_fair_sharing(Decoder& decoder, const Value& value) {
  static constexpr std::array<std::string_view, 2> kStrategies = {"LessThanOrEqualToFinalShare",
                                                                  "LessThanInitialShare"};
  ObjectReader reader(decoder, value, "fairSharing");
  reader.ignore_other_keys();
  objects::FairSharing fair;
  reader.array("preemptionStrategies", [&](const Value& item, std::size_t) {
    const auto found = std::ranges::find(kStrategies, item.text());
    if (!item.is_string() || found == kStrategies.end()) {
      decoder.error(item, "wrong-strategy",
                    fmt::format("{} is not one of {}", describe(item), join(kStrategies, ", ")));
      return;
    }
    fair.strategies.push_back(static_cast<objects::FairStrategy>(found - kStrategies.begin()));
  });
  return fair;
}

void read_resources_section(Decoder& decoder, const Value& value, KueueConfiguration& configuration) {
  static constexpr std::array<std::string_view, 2> kStrategies = {"Retain", "Replace"};
  ObjectReader reader(decoder, value, "resources");
  reader.ignore_other_keys();
  configuration.exclude_resource_prefixes = read_strings(reader, "excludeResourcePrefixes");
  configuration.transformations = read_list(reader, "transformations", [&](const Value& item) {
    ObjectReader fields(decoder, item, "transformation");
    fields.ignore_other_keys();
    objects::ResourceTransformation transformation;
    transformation.input = fields.required_string("input");
    transformation.replace = fields.optional_one_of("strategy", kStrategies).value_or(0) == 1;
    transformation.multiply_by = read_string(fields, "multiplyBy");
    transformation.outputs = read_resources(decoder, fields, "outputs").value_or(objects::ResourceList());
    return transformation;
  });
}

struct Gate {
  std::string_view name;
  bool KueueFeatures::* member;
};

constexpr std::array kGates = {
    Gate{"PartialAdmission", &KueueFeatures::partial_admission},
    Gate{"FlavorFungibility", &KueueFeatures::flavor_fungibility},
    Gate{"PrioritySortingWithinCohort", &KueueFeatures::priority_sorting_within_cohort},
    Gate{"TopologyAwareScheduling", &KueueFeatures::topology_aware_scheduling},
    Gate{"TASProfileMixed", &KueueFeatures::tas_profile_mixed},
    Gate{"TASBalancedPlacement", &KueueFeatures::tas_balanced_placement},
    Gate{"TASMultiLayerTopology", &KueueFeatures::tas_multi_layer_topology},
    Gate{"TASRespectNodeAffinityPreferred", &KueueFeatures::tas_respect_preferred_node_affinity},
    Gate{"FairSharingPreemptWithinNominal", &KueueFeatures::fair_sharing_preempt_within_nominal},
    Gate{"FairSharingPrioritizeNonBorrowing", &KueueFeatures::fair_sharing_prioritize_non_borrowing},
    Gate{"SchedulerTimestampPreemptionBuffer", &KueueFeatures::scheduler_timestamp_preemption_buffer},
    Gate{"ReclaimablePods", &KueueFeatures::reclaimable_pods},
};

void read_gates(Decoder& decoder, const Value& value, KueueFeatures& features) {
  ObjectReader reader(decoder, value, "feature gates");
  reader.ignore_other_keys();
  for (const Member& member : value.members()) {
    const auto on = reader.optional_bool(member.key());
    const auto gate = std::ranges::find(kGates, member.key(), &Gate::name);
    if (gate == kGates.end()) {
      decoder.warn(member.value, "gate-not-read",
                   fmt::format("the feature gate {} is not read: its default applies", quote(member.key())));
    } else if (on) {
      features.*gate->member = *on;
    }
  }
}

KueueConfiguration read_configuration(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "Kueue configuration");
  reader.ignore_other_keys();
  KueueConfiguration configuration;
  const std::string version = read_string(reader, "apiVersion");
  if (!version.empty() && !version.starts_with("config.kueue.x-k8s.io/")) {
    reader.error("apiVersion", "wrong-api-version",
                 fmt::format("{} is not config.kueue.x-k8s.io/v1beta1 or v1beta2", quote(version)));
  }
  const bool on_by_switch = version == "config.kueue.x-k8s.io/v1beta1";  // v1beta2: on when the section is there
  reader.object("waitForPodsReady", [&](const Value& item) {
    const Value* const enable = item.find("enable");
    if (!on_by_switch || (enable != nullptr && enable->as_bool())) {
      configuration.wait_for_pods_ready = read_wait(decoder, item);
    }
  });
  reader.object("fairSharing", [&](const Value& item) {
    const Value* const enable = item.find("enable");
    if (!on_by_switch || (enable != nullptr && enable->as_bool())) {
      configuration.fair_sharing = read_fair_sharing(decoder, item);
    }
  });
  reader.object("resources", [&](const Value& item) { read_resources_section(decoder, item, configuration); });
  reader.object("featureGates", [&](const Value& item) { read_gates(decoder, item, configuration.features); });
  return configuration;
}

}  // namespace

Result<KueueConfiguration> read_kueue_configuration(const Document& document) {
  const Value* const data = document.root.find("data");
  const Value* const text = data == nullptr ? nullptr : data->find("controller_manager_config.yaml");
  if (text != nullptr && text->is_string()) {
    auto inner = parse_documents({document.source_name(), std::string(text->text())});
    if (!inner) {
      return std::unexpected(std::move(inner.error()));
    }
    return read_kueue_configuration(inner->front());
  }
  Decoder decoder(document);
  KueueConfiguration configuration = read_configuration(decoder, document.root);
  if (decoder.failed()) {
    return std::unexpected(decoder.take_diagnostics());
  }
  return configuration;
}

}  // namespace gpusched::io
