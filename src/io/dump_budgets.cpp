#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "gpusched/io/core_objects.hpp"
#include "gpusched/objects/disruption.hpp"
#include "io/dump_model.hpp"

// PodDisruptionBudgets of a dump, and which of its bound pods they cover.
namespace gpusched::io {

namespace {

/// An IntOrString as text.
std::string int_or_text(const Value& spec, std::string_view key) {
  const Value* const value = spec.find(key);
  return value != nullptr && (value->is_number() || value->is_string()) ? std::string(value->text()) : std::string();
}

std::vector<objects::DisruptionRule> read_all(const ClusterDump& dump, Diagnostics& diagnostics) {
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
    for (Diagnostic& diagnostic : decoder.take_diagnostics()) {
      diagnostic.line = diagnostic.column = 0;  // of the text that is left after reading
      diagnostics.push_back(std::move(diagnostic));
    }
  }
  return rules;
}

}  // namespace

void DumpModel::read_budgets() {
  const std::vector<objects::DisruptionRule> rules = read_all(dump_, model_.diagnostics_);
  std::map<std::string_view, std::vector<std::uint32_t>> by_namespace;
  for (std::uint32_t i = 0; i < rules.size(); ++i) {
    by_namespace[rules[i].budget.meta.namespace_name].push_back(i);
  }
  std::vector<std::int32_t> covered(rules.size());
  std::vector<std::int32_t> healthy(rules.size());
  const auto base = static_cast<std::uint32_t>(model_.budgets_.size());
  std::map<std::pair<std::string_view, std::uint32_t>, std::vector<std::uint32_t>> answers;  // by namespace and labels
  std::size_t bound =
      model_.bound_.size() - static_cast<std::size_t>(std::ranges::count_if(dump_.pods, [](const PodRecord& record) {
        return !record.node_name.empty() && !record.finished();
      }));
  for (const PodRecord& record : dump_.pods) {
    const auto found = by_namespace.find(record.name_space);
    const bool runs = !record.node_name.empty() && !record.finished();
    if (found != by_namespace.end() && !record.finished()) {
      const auto [answer, added] = answers.try_emplace({found->first, record.labels});
      for (const std::uint32_t i : added ? std::span(found->second) : std::span<std::uint32_t>()) {
        if (objects::covers(rules[i].budget, record.name_space, dump_.pod_labels[record.labels])) {
          answer->second.push_back(i);
        }
      }
      for (const std::uint32_t i : answer->second) {
        ++covered[i];
        healthy[i] += runs && !record.deleted && record.phase != "Pending" ? 1 : 0;
        if (runs) {
          model_.bound_[bound].facts.budgets.push_back(base + i);
        }
      }
    }
    bound += runs ? 1 : 0;
  }
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const objects::ObjectMeta& meta = rules[i].budget.meta;
    model_.budgets_.push_back({fmt::format("{}/{}", meta.namespace_name, meta.name),
                               objects::disruptions_allowed(rules[i], covered[i], healthy[i])});
  }
}

}  // namespace gpusched::io
