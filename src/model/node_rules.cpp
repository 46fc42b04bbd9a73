#include "gpusched/model/node_rules.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace gpusched {

namespace {

bool tolerates(const Toleration& toleration, const Taint& taint) {
  if (toleration.effect && *toleration.effect != taint.effect) {
    return false;
  }
  if (toleration.key.valid() && toleration.key != taint.key) {
    return false;
  }
  return toleration.op == TolerationOperator::kExists || toleration.value == taint.value;
}

/// A requirement against a label's value, or against none.
bool satisfies(const ClusterShape& shape, const SelectorRequirement& requirement, std::optional<StringId> value) {
  const bool listed = value && std::ranges::find(requirement.values, *value) != requirement.values.end();
  switch (requirement.op) {
    case SelectorOperator::kIn:
      return listed;
    case SelectorOperator::kNotIn:
      return !listed;
    case SelectorOperator::kExists:
      return value.has_value();
    case SelectorOperator::kDoesNotExist:
      return !value.has_value();
    case SelectorOperator::kGt:
    case SelectorOperator::kLt: {
      std::int64_t number = 0;
      const std::string_view text = value ? shape.text(*value) : std::string_view();
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      const bool whole = error == std::errc() && end == text.data() + text.size();
      return whole &&
             (requirement.op == SelectorOperator::kGt ? number > requirement.number : number < requirement.number);
    }
  }
  return false;
}

}  // namespace

bool tolerates(std::span<const Taint> taints, std::span<const Toleration> tolerations) {
  return std::ranges::all_of(taints, [&](const Taint& taint) {
    return taint.effect == TaintEffect::kPreferNoSchedule ||
           std::ranges::any_of(tolerations, [&](const Toleration& t) { return tolerates(t, taint); });
  });
}

bool tolerates_cordon(const ClusterShape& shape, const PodClass& pod) {
  const StringId key = shape.strings.find("node.kubernetes.io/unschedulable");
  const Taint cordon{key, StringId{}, TaintEffect::kNoSchedule};
  return std::ranges::any_of(pod.tolerations, [&](const Toleration& toleration) {
    return (!toleration.key.valid() || key.valid()) && tolerates(toleration, cordon);
  });
}

bool matches(const LabelSet& labels, const LabelSet& selector) {
  return std::ranges::all_of(selector, [&](const auto& wanted) { return std::ranges::binary_search(labels, wanted); });
}

bool affinity_names_nodes(const PodClass& pod) {
  return std::ranges::any_of(pod.node_affinity, [](const SelectorTerm& term) {
    return std::ranges::any_of(term, [](const SelectorRequirement& requirement) { return !requirement.key.valid(); });
  });
}

bool matches_affinity(const ClusterShape& shape, const LabelSet& labels, StringId name, const PodClass& pod) {
  const auto holds = [&](const SelectorRequirement& requirement) {
    if (!requirement.key.valid()) {
      return satisfies(shape, requirement, name);
    }
    const auto found = std::ranges::lower_bound(labels, requirement.key, {}, &LabelSet::value_type::first);
    const bool present = found != labels.end() && found->first == requirement.key;
    return satisfies(shape, requirement, present ? std::optional(found->second) : std::nullopt);
  };
  return pod.node_affinity.empty() || std::ranges::any_of(pod.node_affinity, [&](const SelectorTerm& term) {
           return !term.empty() && std::ranges::all_of(term, holds);
         });
}

}  // namespace gpusched
