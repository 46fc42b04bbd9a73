#include "cli/k8s_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "gpusched/base/text.hpp"
#include "gpusched/io/scheduler_configuration.hpp"

namespace gpusched::cli {

namespace {

using kubescheduler::SchedulerVersion;

constexpr std::int32_t kOldestMinor = 34;
constexpr std::int32_t kNewestMinor = 37;

void warn(std::string code, std::string message, Diagnostics& warnings) {
  Diagnostic& warning = warnings.emplace_back();
  warning.severity = Severity::kWarning;
  warning.code = std::move(code);
  warning.message = std::move(message);
}

/// A control plane is never older than its kubelets.
std::optional<SchedulerVersion> newest_kubelet(const std::vector<objects::Node>& nodes) {
  std::optional<SchedulerVersion> newest;
  for (const objects::Node& node : nodes) {
    if (const auto version = parse_scheduler_version(node.status.kubelet_version);
        version && (!newest || *newest < *version)) {
      newest = version;
    }
  }
  return newest;
}

/// Texts that newer releases no longer write; the newest release that does.
std::optional<SchedulerVersion> release_of_messages(const std::vector<objects::Pod>& pods, Diagnostics& notes) {
  struct Mark {
    std::string_view text;
    SchedulerVersion version;
  };
  constexpr std::array kMarks = {Mark{"node(s) had untolerated taint {", {34, 0}},
                                 Mark{"no new claims to deallocate", {36, SchedulerVersion::kNewestPatch}},
                                 Mark{"still not schedulable, preemption", {36, SchedulerVersion::kNewestPatch}}};
  for (const Mark& mark : kMarks) {
    for (const objects::Pod& pod : pods) {
      const objects::PodCondition* const recorded = find_condition(pod.status, "PodScheduled");
      if (recorded != nullptr && recorded->message.find(mark.text) != std::string::npos) {
        Diagnostic& note = notes.emplace_back();
        note.severity = Severity::kNote;
        note.code = "version-from-message";
        note.message =
            fmt::format("the recorded text {} was last written by Kubernetes 1.{}: the answer is of that release",
                        quote(mark.text), mark.version.minor);
        return mark.version;
      }
    }
  }
  return std::nullopt;
}

Result<SchedulerVersion> scheduler_version(const Arguments& arguments, const objects::ClusterObjects& cluster,
                                           Diagnostics& warnings) {
  const std::string_view asked = arguments.get("k8s-version");
  std::optional<SchedulerVersion> version =
      asked.empty() ? newest_kubelet(cluster.nodes) : parse_scheduler_version(asked);
  if (!asked.empty() && !version) {
    return bad_usage(fmt::format("--k8s-version takes a release of Kubernetes, not {}", quote(asked)),
                     "for example 1.37 or 1.34.0");
  }
  if (!version) {
    version = release_of_messages(cluster.pods, warnings).value_or(SchedulerVersion());
  }
  if (version->minor < kOldestMinor || version->minor > kNewestMinor) {
    warn("unknown-version",
         fmt::format("Kubernetes 1.{} is not known: the answer is that of 1.{}, messages may differ", version->minor,
                     std::clamp(version->minor, kOldestMinor, kNewestMinor)),
         warnings);
  }
  return *version;
}

Result<bool> set_features(const Arguments& arguments, kubescheduler::SchedulerRules& rules, Diagnostics& warnings) {
  for (const std::string& word : arguments.list("features")) {
    const std::size_t equals = word.find('=');
    const std::string_view name = std::string_view(word).substr(0, equals);
    const std::string_view value = equals == std::string::npos ? "" : std::string_view(word).substr(equals + 1);
    if (name.empty() || (value != "true" && value != "false")) {
      return bad_usage(fmt::format("--features takes NAME=true|false,..., not {}", quote(word)),
                       "for example --features DRAExtendedResource=false");
    }
    if (!kubescheduler::set_feature_gate(rules, name, value == "true")) {
      warn("unknown-feature", fmt::format("the feature gate {} changes nothing here", quote(name)), warnings);
    }
  }
  return true;
}

}  // namespace

std::optional<SchedulerVersion> parse_scheduler_version(std::string_view text) {
  text.remove_prefix(text.starts_with('v') ? 1 : 0);
  if (!text.starts_with("1.")) {
    return std::nullopt;
  }
  text.remove_prefix(2);
  const auto number = [](std::string_view digits) {
    const std::optional<std::int64_t> value = parse_whole_number(digits);
    return value && *value >= 0 && *value < SchedulerVersion::kNewestPatch
               ? std::optional(static_cast<std::int32_t>(*value))
               : std::nullopt;
  };
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::optional<std::int32_t> minor = number(text.substr(0, end));
  if (!minor) {
    return std::nullopt;
  }
  SchedulerVersion version{*minor, SchedulerVersion::kNewestPatch};
  if (end == text.size()) {
    return version;
  }
  const std::string_view rest = text.substr(end + 1);
  const std::optional<std::int32_t> patch =
      number(rest.substr(0, std::min(rest.find_first_not_of("0123456789"), rest.size())));
  if (text[end] != '.' || !patch) {
    return std::nullopt;
  }
  version.patch = *patch;
  return version;
}

Result<kubescheduler::PredictOptions> predict_options(const Arguments& arguments, Inputs& inputs,
                                                      const objects::ClusterObjects& cluster, Diagnostics& warnings) {
  kubescheduler::PredictOptions options;
  const Result<SchedulerVersion> version = scheduler_version(arguments, cluster, warnings);
  if (!version) {
    return std::unexpected(version.error());
  }
  options.rules = kubescheduler::rules_for(*version);
  if (const Result<bool> set = set_features(arguments, options.rules, warnings); !set) {
    return std::unexpected(set.error());
  }
  constexpr std::int64_t kMaxSteps = 1'000'000'000'000;
  const Result<std::optional<std::int64_t>> steps = arguments.whole_number("max-steps", 1, kMaxSteps);
  if (!steps) {
    return std::unexpected(steps.error());
  }
  if (*steps) {
    options.max_steps = static_cast<std::uint64_t>(**steps);
  }
  const Result<std::optional<std::int64_t>> timeout = arguments.whole_number("dra-timeout-steps", 0, kMaxSteps);
  if (!timeout) {
    return std::unexpected(timeout.error());
  }
  if (*timeout) {
    options.dra_timeout_steps = static_cast<std::uint64_t>(**timeout);
  }
  if (!arguments.has("scheduler-config")) {
    return options;
  }
  const Result<std::vector<io::Document>> documents = inputs.documents("scheduler-config");
  if (!documents) {
    return std::unexpected(documents.error());
  }
  if (documents->size() != 1) {
    return bad_usage(fmt::format("--scheduler-config takes one document, found {}", documents->size()));
  }
  Result<objects::SchedulerConfiguration> configuration =
      io::read_scheduler_configuration(documents->front(), warnings);
  if (!configuration) {
    return std::unexpected(std::move(configuration.error()));
  }
  options.configuration = std::move(*configuration);
  return options;
}

}  // namespace gpusched::cli
