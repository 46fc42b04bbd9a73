#include "gpusched/io/disruption.hpp"

#include <fmt/format.h>

#include <map>

#include "gpusched/io/core_objects.hpp"
#include "io/dump_model.hpp"
#include "io/seen_objects.hpp"

// PodDisruptionBudgets of a dump, and which of its bound pods they cover.
namespace gpusched::io {

namespace {

/// An IntOrString as text.
std::string int_or_text(const Value& spec, std::string_view key) {
  const Value* const value = spec.find(key);
  return value != nullptr && (value->is_number() || value->is_string()) ? std::string(value->text()) : std::string();
}

}  // namespace

std::vector<objects::DisruptionRule> read_disruption_rules(const ClusterDump& dump, Diagnostics& diagnostics) {
  std::vector<objects::DisruptionRule> rules;
  for (const Document& document : dump.others) {
    const Value* const kind = document.root.find("kind");
    if (kind == nullptr || !kind->is_string() || kind->text() != "PodDisruptionBudget") {
      continue;
    }
    Decoder decoder(document);
    objects::DisruptionRule& rule = rules.emplace_back();
    rule.budget = decode_pod_disruption_budget(decoder, document.root);
    if (const Value* const spec = document.root.find("spec"); spec != nullptr && spec->is_object()) {
      rule.min_available = int_or_text(*spec, "minAvailable");
      rule.max_unavailable = int_or_text(*spec, "maxUnavailable");
    }
    const Value* const status = document.root.find("status");
    rule.has_status = status != nullptr && status->is_object() && status->find("disruptionsAllowed") != nullptr;
    std::ranges::move(decoder.take_diagnostics(), std::back_inserter(diagnostics));
  }
  return rules;
}

std::vector<std::int32_t> allowed_disruptions(const ClusterDump& dump, std::span<const objects::DisruptionRule> rules,
                                              const std::function<void(std::size_t, std::uint32_t)>& covered) {
  std::map<std::string_view, std::vector<std::uint32_t>> by_namespace;
  for (std::uint32_t i = 0; i < rules.size(); ++i) {
    by_namespace[rules[i].budget.meta.namespace_name].push_back(i);
  }
  std::vector<std::int32_t> all(rules.size());
  std::vector<std::int32_t> healthy(rules.size());
  std::map<std::pair<std::string_view, std::uint32_t>, std::vector<std::uint32_t>> answers;  // by namespace and labels
  for (std::size_t pod = 0; pod < dump.pods.size(); ++pod) {
    const PodRecord& record = dump.pods[pod];
    const auto found = by_namespace.find(record.name_space);
    if (found == by_namespace.end() || record.finished()) {
      continue;
    }
    const auto [answer, added] = answers.try_emplace({found->first, record.labels});
    for (const std::uint32_t i : added ? std::span(found->second) : std::span<std::uint32_t>()) {
      if (objects::covers(rules[i].budget, record.name_space, dump.pod_labels[record.labels])) {
        answer->second.push_back(i);
      }
    }
    for (const std::uint32_t i : answer->second) {
      ++all[i];
      healthy[i] += !record.node_name.empty() && !record.deleted && record.phase != "Pending" ? 1 : 0;
      if (covered) {
        covered(pod, i);
      }
    }
  }
  std::vector<std::int32_t> allowed;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    allowed.push_back(objects::disruptions_allowed(rules[i], all[i], healthy[i]));
  }
  return allowed;
}

void DumpModel::read_budgets() {
  const std::vector<objects::DisruptionRule> rules = read_disruption_rules(dump_, model_.diagnostics_);
  std::vector<std::size_t> bound(dump_.pods.size(), model_.bound_.size());  // by pod: its place in bound_
  std::size_t next = model_.bound_.size();
  for (std::size_t pod = dump_.pods.size(); pod-- > 0;) {
    if (!dump_.pods[pod].node_name.empty() && !dump_.pods[pod].finished()) {
      bound[pod] = --next;
    }
  }
  const auto base = static_cast<std::uint32_t>(model_.budgets_.size());
  const std::vector<std::int32_t> allowed = allowed_disruptions(dump_, rules, [&](std::size_t pod, std::uint32_t rule) {
    if (bound[pod] < model_.bound_.size()) {
      model_.bound_[bound[pod]].facts.budgets.push_back(base + rule);
    }
  });
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const objects::ObjectMeta& meta = rules[i].budget.meta;
    model_.budgets_.push_back({fmt::format("{}/{}", meta.namespace_name, meta.name), allowed[i]});
  }
}

}  // namespace gpusched::io
