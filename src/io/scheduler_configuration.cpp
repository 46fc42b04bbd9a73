#include "gpusched/io/scheduler_configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include "gpusched/base/text.hpp"
#include "gpusched/io/decode.hpp"
#include "io/excerpt.hpp"
#include "io/plugin_args.hpp"

namespace gpusched::io {

namespace {

using objects::EnabledPlugin;
using objects::ExtensionPoint;
using objects::PluginSet;
using objects::SchedulerConfiguration;
using objects::SchedulerProfile;

constexpr std::string_view kKind = "KubeSchedulerConfiguration";
constexpr std::array<std::string_view, 3> kApiVersions = {
    "kubescheduler.config.k8s.io/v1", "kubescheduler.config.k8s.io/v1beta3", "kubescheduler.config.k8s.io/v1beta2"};
constexpr std::string_view kDefaultSchedulerName = "default-scheduler";
constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMinInt32 = std::numeric_limits<std::int32_t>::min();

/// The plugins of kube-scheduler 1.37 (pkg/scheduler/framework/plugins/names).
constexpr std::array<std::string_view, 24> kPlugins = {
    "DefaultBinder",     "DefaultPreemption",  "DeferredPodScheduling",
    "DynamicResources",  "GangScheduling",     "ImageLocality",
    "InterPodAffinity",  "NodeAffinity",       "NodeDeclaredFeatures",
    "NodeName",          "NodePorts",          "NodeResourcesBalancedAllocation",
    "NodeResourcesFit",  "NodeUnschedulable",  "NodeVolumeLimits",
    "PodGroupPodsCount", "PodTopologySpread",  "PrioritySort",
    "SchedulingGates",   "TaintToleration",    "TopologyPlacementGenerator",
    "VolumeBinding",     "VolumeRestrictions", "VolumeZone",
};

/// Plugins that v1 refuses by name; NodeVolumeLimits took over.
constexpr std::array<std::string_view, 4> kRemovedPlugins = {"AzureDiskLimits", "CinderLimits", "EBSLimits",
                                                             "GCEPDLimits"};

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != std::ranges::end(names);
}

/// Reads one configuration; check_profiles has the rules between profiles.
class ConfigurationReader {
 public:
  explicit ConfigurationReader(const Document& document) : decoder_(document) {}

  SchedulerConfiguration read();
  Diagnostics take_diagnostics() { return decoder_.take_diagnostics(); }

 private:
  void read_header(ObjectReader& reader);
  void read_tuning(ObjectReader& reader);
  SchedulerProfile read_profile(const Value& value, bool alone);
  void read_plugins(const Value& value, SchedulerProfile& profile);
  PluginSet read_plugin_set(const Value& value);
  void check_plugin(const Value& value, std::string_view name);
  void read_plugin_config(const Value& value, SchedulerProfile& profile, std::vector<std::string_view>& seen);
  void read_extenders(ObjectReader& reader);
  void read_extender(const Value& value);
  void check_profiles(const Value& list);
  void profile_error(const Value& list, std::size_t index, std::string code, std::string message);

  Decoder decoder_;
  SchedulerConfiguration configuration_;
  std::vector<std::string> ignored_by_extenders_;
  std::size_t binders_ = 0;
  bool beta_ = false;
};

std::optional<std::int32_t> optional_percentage(ObjectReader& reader) {
  constexpr std::int64_t kMaxPercentage = 100;
  const auto number = reader.optional_int64("percentageOfNodesToScore", 0, kMaxPercentage);
  return number ? std::optional(static_cast<std::int32_t>(*number)) : std::nullopt;
}

SchedulerConfiguration ConfigurationReader::read() {
  ObjectReader reader(decoder_, decoder_.document().root, "scheduler configuration");
  read_header(reader);
  read_tuning(reader);
  configuration_.percentage_of_nodes_to_score = optional_percentage(reader);
  const Value* const profiles = reader.find("profiles");
  const bool alone = profiles == nullptr || profiles->items().size() == 1;
  reader.array("profiles",
               [&](const Value& item, std::size_t) { configuration_.profiles.push_back(read_profile(item, alone)); });
  if (configuration_.profiles.empty()) {
    configuration_.profiles.emplace_back();
  }
  if (profiles != nullptr && profiles->items().size() == configuration_.profiles.size()) {
    check_profiles(*profiles);
  }
  read_extenders(reader);
  return std::move(configuration_);
}

void ConfigurationReader::read_header(ObjectReader& reader) {
  const std::size_t version = reader.optional_one_of("apiVersion", kApiVersions).value_or(0);
  beta_ = version != 0;
  if (const auto kind = reader.optional_string("kind"); kind && *kind != kKind) {
    reader.error("kind", "wrong-kind", fmt::format("expected the kind {}, found {}", kKind, quote(*kind)));
    reader.ignore_other_keys();
  }
  if (beta_) {
    decoder_.warn(decoder_.document().root, "old-api-version",
                  fmt::format("{} is read as v1; current schedulers refuse it", kApiVersions[version]),
                  fmt::format("write {}", kApiVersions[0]));
    for (const std::string_view key : {"metadata", "healthzBindAddress", "metricsBindAddress"}) {
      (void)reader.find(key);
    }
  }
}

/// Members that change no prediction, but whose values kube-scheduler checks.
void ConfigurationReader::read_tuning(ObjectReader& reader) {
  (void)reader.optional_int64("parallelism", 1, kMaxInt32);
  const std::int64_t initial = reader.optional_int64("podInitialBackoffSeconds", 1).value_or(1);
  constexpr std::int64_t kDefaultMaxBackoff = 10;
  if (const auto max = reader.optional_int64("podMaxBackoffSeconds"); max.value_or(kDefaultMaxBackoff) < initial) {
    reader.error(max ? "podMaxBackoffSeconds" : "podInitialBackoffSeconds", "out-of-range",
                 fmt::format("podMaxBackoffSeconds ({}) is less than podInitialBackoffSeconds ({})",
                             max.value_or(kDefaultMaxBackoff), initial));
  }
  for (const std::string_view key : {"enableProfiling", "enableContentionProfiling", "delayCacheUntilActive"}) {
    (void)reader.optional_bool(key);
  }
  for (const std::string_view key : {"leaderElection", "clientConnection"}) {
    reader.object(key, [](const Value&) {});
  }
}

SchedulerProfile ConfigurationReader::read_profile(const Value& value, bool alone) {
  SchedulerProfile profile;
  ObjectReader reader(decoder_, value, "profile");
  // Only a lone profile gets the default name.
  const auto name = alone ? reader.optional_string("schedulerName") : reader.required_string("schedulerName");
  profile.scheduler_name = name.value_or(kDefaultSchedulerName);
  if (profile.scheduler_name.empty() && value.find("schedulerName") != nullptr) {
    reader.error("schedulerName", "empty-name", "schedulerName must not be empty");
  }
  if (!profile.scheduler_name.empty()) {
    reader.set_name(profile.scheduler_name);
  }
  profile.percentage_of_nodes_to_score = optional_percentage(reader);
  reader.object("plugins", [&](const Value& plugins) { read_plugins(plugins, profile); });
  std::vector<std::string_view> seen;
  reader.array("pluginConfig", [&](const Value& item, std::size_t) { read_plugin_config(item, profile, seen); });
  return profile;
}

void ConfigurationReader::read_plugins(const Value& value, SchedulerProfile& profile) {
  ObjectReader reader(decoder_, value, "plugins");
  for (std::size_t point = 0; point < objects::kExtensionPointNames.size(); ++point) {
    reader.object(objects::kExtensionPointNames[point],
                  [&](const Value& set) { profile.plugins[point] = read_plugin_set(set); });
  }
}

PluginSet ConfigurationReader::read_plugin_set(const Value& value) {
  PluginSet set;
  ObjectReader reader(decoder_, value, "plugin set");
  reader.array("enabled", [&](const Value& item, std::size_t) {
    ObjectReader plugin(decoder_, item, "plugin");
    EnabledPlugin enabled;
    enabled.name = plugin.required_string("name");
    if (const auto weight = plugin.optional_int64("weight", kMinInt32, kMaxInt32)) {
      enabled.weight = static_cast<std::int32_t>(*weight);
    }
    check_plugin(item, enabled.name);
    set.enabled.push_back(std::move(enabled));
  });
  reader.array("disabled", [&](const Value& item, std::size_t) {
    ObjectReader plugin(decoder_, item, "plugin");
    set.disabled.emplace_back(plugin.required_string("name"));
    (void)plugin.find("weight");
  });
  return set;
}

void ConfigurationReader::check_plugin(const Value& value, std::string_view name) {
  if (contains(kRemovedPlugins, name) && !beta_) {
    decoder_.error(value, "removed-plugin", fmt::format("the plugin {} was removed from kube-scheduler", name),
                   "NodeVolumeLimits does its work");
  } else if (!name.empty() && !contains(kPlugins, name)) {
    const std::string similar = suggest(name, kPlugins);
    decoder_.warn(value, "unknown-plugin",
                  fmt::format("{} is not a plugin of kube-scheduler: what it does is left out", quote(name)),
                  similar.empty() ? "" : fmt::format("did you mean {}?", similar));
  }
}

void ConfigurationReader::read_plugin_config(const Value& value, SchedulerProfile& profile,
                                             std::vector<std::string_view>& seen) {
  ObjectReader reader(decoder_, value, "pluginConfig entry");
  const std::string_view name = reader.required_string("name");
  if (contains(seen, name)) {
    reader.error("name", "duplicate-plugin-config", fmt::format("the args of {} are given twice", quote(name)));
  }
  seen.push_back(name);
  check_plugin(value, name);
  const Value* const args = reader.find("args");
  if (args == nullptr || (args->is_object() && args->members().empty())) {
    return;
  }
  decoder_.at_key("args", [&] {
    if (name == "NodeResourcesFit") {
      profile.node_resources_fit = read_node_resources_fit_args(decoder_, *args);
    } else if (name == "NodeResourcesBalancedAllocation") {
      profile.balanced_allocation = read_balanced_allocation_args(decoder_, *args);
    } else if (name == "NodeAffinity") {
      profile.added_affinity = read_node_affinity_args(decoder_, *args);
    } else if (name == "PodTopologySpread") {
      profile.pod_topology_spread = read_pod_topology_spread_args(decoder_, *args);
    } else if (name == "InterPodAffinity") {
      profile.inter_pod_affinity = read_inter_pod_affinity_args(decoder_, *args);
    } else if (name == "VolumeBinding") {
      profile.volume_binding = read_volume_binding_args(decoder_, *args);
    } else if (name == "DynamicResources") {
      profile.dynamic_resources = read_dynamic_resources_args(decoder_, *args);
    } else if (name == "DefaultPreemption") {
      check_default_preemption_args(decoder_, *args);
    } else {
      profile.other_plugin_args.emplace_back(name);
      if (contains(kPlugins, name)) {
        decoder_.warn(*args, "args-not-read", fmt::format("the args of {} are not read: its defaults apply", name));
      }
    }
  });
}

void ConfigurationReader::profile_error(const Value& list, std::size_t index, std::string code, std::string message) {
  decoder_.at_key("profiles", [&] {
    decoder_.at_index(index, [&] { decoder_.error(list.items()[index], std::move(code), std::move(message)); });
  });
}

void ConfigurationReader::check_profiles(const Value& list) {
  const std::vector<SchedulerProfile>& profiles = configuration_.profiles;
  const PluginSet& first_sort = profiles.front().plugins_at(ExtensionPoint::kQueueSort);
  if (first_sort.enabled.size() > 1) {
    profile_error(list, 0, "queue-sort", "only one queueSort plugin can be enabled");
  }
  for (std::size_t i = 1; i < profiles.size(); ++i) {
    const std::string& name = profiles[i].scheduler_name;
    if (!name.empty() && configuration_.find_profile(name) != &profiles[i]) {
      profile_error(list, i, "duplicate-profile", fmt::format("two profiles have the schedulerName {}", quote(name)));
    }
    if (profiles[i].plugins_at(ExtensionPoint::kQueueSort) != first_sort) {
      profile_error(
          list, i, "queue-sort",
          fmt::format("the queueSort plugins of the profile {} differ from those of the first profile", quote(name)));
    }
  }
}

void ConfigurationReader::read_extenders(ObjectReader& reader) {
  reader.array("extenders", [&](const Value& item, std::size_t) { read_extender(item); });
  if (binders_ > 1) {
    reader.error("extenders", "several-binders", fmt::format("{} extenders bind pods, one is allowed", binders_));
  }
  if (ignored_by_extenders_.empty()) {
    return;
  }
  for (SchedulerProfile& profile : configuration_.profiles) {  // kube-scheduler replaces the list of the args, too
    profile.node_resources_fit.ignored_resources = ignored_by_extenders_;
  }
}

void ConfigurationReader::read_extender(const Value& value) {
  objects::SchedulerExtender extender;
  ObjectReader reader(decoder_, value, "extender");
  extender.url_prefix = reader.optional_string("urlPrefix").value_or("");
  (void)reader.optional_string("filterVerb");
  (void)reader.optional_string("preemptVerb");
  const std::int64_t weight = reader.optional_int64("weight").value_or(0);
  if (!reader.optional_string("prioritizeVerb").value_or("").empty() && weight <= 0) {
    reader.error("weight", "out-of-range", "an extender that prioritizes needs a weight of at least 1");
  }
  binders_ += reader.optional_string("bindVerb").value_or("").empty() ? 0U : 1U;
  for (const std::string_view key : {"enableHTTPS", "tlsConfig", "httpTimeout", "nodeCacheCapable", "ignorable"}) {
    (void)reader.find(key);
  }
  reader.array("managedResources", [&](const Value& item, std::size_t) {
    ObjectReader resource(decoder_, item, "managed resource");
    const std::string_view name = resource.required_string("name");
    extender.managed_resources.emplace_back(name);
    if (resource.optional_bool("ignoredByScheduler").value_or(false)) {
      ignored_by_extenders_.emplace_back(name);
    }
  });
  decoder_.warn(
      value, "extender-not-simulated",
      fmt::format("the extender {} is not asked: it may refuse or prefer other nodes", quote(extender.url_prefix)));
  configuration_.extenders.push_back(std::move(extender));
}

bool looks_like_configuration(const Value& root) {
  const Value* const kind = root.find("kind");
  return kind != nullptr ? kind->text() == kKind : root.find("profiles") != nullptr;
}

Result<SchedulerConfiguration> read_plain(const Document& document, Diagnostics& warnings) {
  ConfigurationReader reader(document);
  SchedulerConfiguration configuration = reader.read();
  Diagnostics errors;
  for (Diagnostic& diagnostic : reader.take_diagnostics()) {
    (diagnostic.severity == Severity::kError ? errors : warnings).push_back(std::move(diagnostic));
  }
  if (!errors.empty()) {
    return std::unexpected(std::move(errors));
  }
  return configuration;
}

/// The documents in the entries of a ConfigMap's data that are configurations; entries of other kinds are passed over.
Result<std::vector<Document>> configurations_of(const Document& config_map) {
  std::vector<Document> found;
  const Value* const data = config_map.root.find("data");
  for (const Member& entry : data == nullptr ? std::span<const Member>{} : data->members()) {
    const std::string_view text = entry.value.text();
    Result<std::vector<Document>> documents = parse_documents(
        {.name = fmt::format("{}: data/{}", config_map.source_name(), entry.key()), .bytes = std::string(text)});
    if (!documents && text.find(kKind) != text.npos) {
      return std::unexpected(std::move(documents.error()));
    }
    if (documents) {
      std::ranges::copy_if(*documents, std::back_inserter(found),
                           [](const Document& document) { return looks_like_configuration(document.root); });
    }
  }
  return found;
}

}  // namespace

Result<SchedulerConfiguration> read_scheduler_configuration(const Document& document, Diagnostics& warnings) {
  const Value* const kind = document.root.find("kind");
  if (kind == nullptr || kind->text() != "ConfigMap") {
    return read_plain(document, warnings);
  }
  const Result<std::vector<Document>> found = configurations_of(document);
  if (!found) {
    return std::unexpected(found.error());
  }
  if (found->size() == 1) {
    return read_plain(found->front(), warnings);
  }
  Decoder decoder(document);
  decoder.error(
      document.root, "not-one-configuration",
      fmt::format("the data of the ConfigMap holds {} scheduler configurations, expected one", found->size()));
  return std::unexpected(decoder.take_diagnostics());
}

}  // namespace gpusched::io
