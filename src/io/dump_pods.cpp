#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "gpusched/objects/pod_requests.hpp"
#include "io/dump_model.hpp"
#include "io/pod_groups.hpp"

// Pods of a dump as pod classes.
namespace gpusched::io {

namespace {

TolerationOperator operator_of(std::string_view text) {
  return text == "Exists" ? TolerationOperator::kExists : TolerationOperator::kEqual;
}

std::optional<TaintEffect> effect_of(std::string_view text) {
  if (text.empty()) {
    return std::nullopt;
  }
  return text == "PreferNoSchedule" ? TaintEffect::kPreferNoSchedule
         : text == "NoExecute"      ? TaintEffect::kNoExecute
                                    : TaintEffect::kNoSchedule;
}

std::optional<SelectorOperator> selector_operator(std::string_view text) {
  static constexpr std::array<std::string_view, 6> kNames = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
  const auto found = std::ranges::find(kNames, text);
  return found == kNames.end() ? std::nullopt : std::optional(static_cast<SelectorOperator>(found - kNames.begin()));
}

/// Static pods are owned by their Node.
PodControl control_of(const PodRecord& record) {
  const std::string& kind = record.owner_kind;
  return kind == "DaemonSet" || kind == "Node"                  ? PodControl::kStays
         : record.owner_name.empty() && record.workload.empty() ? PodControl::kNone
                                                                : PodControl::kController;
}

/// The one whole number that Gt and Lt compare with.
bool read_number(const std::vector<std::string>& values, std::int64_t& number) {
  if (values.size() != 1) {
    return false;
  }
  const std::string& text = values.front();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

void DumpModel::read_bound_pods() {
  model_.bound_.reserve(model_.bound_.size() + dump_.pods.size());
  for (const PodRecord& record : dump_.pods) {
    if (!record.node_name.empty() && !record.finished()) {
      const PodClassId id = pod_class(record);
      model_.bound_.push_back(
          {model_.builder_.text(record.full_name()), id, model_.builder_.text(record.node_name), facts(record), {}});
    }
  }
}

void DumpModel::read_pending_pods() {
  for (const PodRecord& record : dump_.pods) {
    const objects::PodSpec& spec = dump_.pod_specs[record.spec];
    if (!record.node_name.empty() || record.finished() || record.deleted || !asked(record)) {
      continue;
    }
    if (!spec.scheduling_gates.empty()) {
      Diagnostic& diagnostic = model_.notes_.emplace_back();
      diagnostic.severity = Severity::kWarning;
      diagnostic.code = "gated-pod";
      diagnostic.message =
          fmt::format("left out: the scheduling gate \"{}\" holds it back", spec.scheduling_gates.front());
      diagnostic.object = fmt::format("pod {}", record.full_name());
      continue;
    }
    const PodClassId id = pod_class(record);
    model_.pods_.push_back(
        {model_.builder_.text(record.full_name()), id, facts(record), record.per_node, pod_group(dump_, record)});
    if (!spec.resource_claims.empty() && claims_noted_.insert(record.spec).second) {
      Diagnostic& diagnostic = model_.notes_.emplace_back();
      diagnostic.severity = Severity::kWarning;
      diagnostic.code = "claims-left-alone";
      diagnostic.message = "it is placed without the devices of its ResourceClaims, which are not allocated here";
      diagnostic.object = fmt::format("pod {}", record.full_name());
      diagnostic.hint =
          fmt::format("gpusched k8s --pod {} finds a node that can allocate them, gpusched dra allocates claims",
                      record.full_name());
    }
  }
}

objects::PodOwner DumpModel::owner(const PodRecord& record) const {
  return record.owner_name.empty()
             ? objects::PodOwner{"Pod", record.name}
             : objects::pod_owner(record.owner_kind, record.owner_name, dump_.pod_labels[record.labels]);
}

PodFacts DumpModel::facts(const PodRecord& record) {
  const auto [kind, name] = owner(record);
  return {text_or_none(record.name_space),
          model_.builder_.text(
              fmt::format("{}{}{}/{}", record.name_space, record.name_space.empty() ? "" : "/", kind, name)),
          text_or_none(record.started.empty() ? record.created : record.started),
          control_of(record),
          {},
          false,
          asked(record),
          !dump_.pod_specs[record.spec]->resource_claims.empty()};
}

bool DumpModel::asked(const PodRecord& record) const {
  const DumpOptions& options = model_.options_;
  const std::string_view own = record.name_space.empty() ? "default" : std::string_view(record.name_space);
  return (options.name_space.empty() || own == options.name_space) &&
         objects::matches(options.selector, dump_.pod_labels[record.labels]);
}

PodClassId DumpModel::pod_class(const PodRecord& record) {
  const auto [entry, added] = pod_classes_.try_emplace({record.spec, record.status});
  if (!added) {
    return entry->second;
  }
  objects::Pod whole;
  whole.spec = dump_.pod_specs[record.spec];
  whole.status = dump_.pod_statuses[record.status];
  const objects::PodDemand demand = objects::pod_demand(whole, {.use_status = !record.node_name.empty()});
  PodClass pod;
  pod.any_sharing = true;
  pod.non_zero_cpu = demand.non_zero_milli_cpu;
  pod.non_zero_memory = demand.non_zero_memory;
  pod.requests = {{kCpu, demand.requests.milli_cpu},
                  {kMemory, demand.requests.memory},
                  {kEphemeralStorage, demand.requests.ephemeral_storage}};
  pod.priority = whole.spec->priority.value_or(0);
  pod.preempts = whole.spec->preemption_policy != "Never";
  read_devices(demand.requests, pod);
  read_placement_rules(whole.spec, pod);
  return entry->second = model_.builder_.pod_class(std::move(pod));
}

void DumpModel::read_devices(const objects::ResourceAmounts& amounts, PodClass& pod) {
  for (const auto& [name, amount] : amounts.scalars) {
    const ResourceId id = model_.builder_.resource(name);
    const ResourceRole role = classify_resource(name).role;
    if (role == ResourceRole::kDevice && pod.gpus == 0 && amount > 0 && amount <= INT32_MAX) {
      pod.gpu_resource = id;
      pod.gpus = static_cast<std::int32_t>(amount);
    } else if (role == ResourceRole::kMig && amount > 0 && amount <= INT32_MAX) {
      const std::string_view profile = std::string_view(name).substr(name.find("mig-") + 4);
      pod.mig.push_back({model_.builder_.text(profile), id, static_cast<std::int32_t>(amount)});
    } else {
      pod.requests.emplace_back(id, amount);
    }
  }
}

void DumpModel::read_placement_rules(const objects::PodSpec& spec, PodClass& pod) {
  for (const auto& [key, value] : spec.node_selector) {
    pod.node_selector.emplace_back(model_.builder_.text(key), model_.builder_.text(value));
  }
  for (const objects::Toleration& toleration : spec.tolerations) {
    if (toleration.op == "Lt" || toleration.op == "Gt") {
      continue;  // tolerates nothing: the feature gate of these operators is off up to 1.37
    }
    pod.tolerations.push_back({text_or_none(toleration.key), operator_of(toleration.op), text_or_none(toleration.value),
                               effect_of(toleration.effect)});
  }
  if (!spec.affinity.node || !spec.affinity.node->required) {
    return;
  }
  for (const objects::NodeSelectorTerm& term : spec.affinity.node->required->terms) {
    SelectorTerm& requirements = pod.node_affinity.emplace_back();
    for (const objects::NodeSelectorRequirement& expression : term.match_expressions) {
      requirements.push_back(requirement(expression, false));
    }
    for (const objects::NodeSelectorRequirement& field : term.match_fields) {
      requirements.push_back(requirement(field, true));
    }
  }
}

SelectorRequirement DumpModel::requirement(const objects::NodeSelectorRequirement& from, bool field) {
  SelectorRequirement result;
  result.key = field ? StringId{} : model_.builder_.text(from.key);
  const std::optional<SelectorOperator> op = selector_operator(from.op);
  const bool compares = op == SelectorOperator::kGt || op == SelectorOperator::kLt;
  if (!op || (compares && !read_number(from.values, result.number))) {
    return result;  // In without values: the API server would refuse it, and no node matches
  }
  result.op = *op;
  for (const std::string& value : from.values) {
    result.values.push_back(model_.builder_.text(value));
  }
  return result;
}

}  // namespace gpusched::io
