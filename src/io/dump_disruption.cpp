#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "gpusched/io/core_objects.hpp"
#include "gpusched/io/decode.hpp"
#include "io/dump_model.hpp"

// What evicting the bound pods of a dump would mean: who starts them again, and the budgets that cover them.
namespace gpusched::io {

namespace {

bool is_budget(const Document& document) {
  const Value* const kind = document.root.find("kind");
  const Value* const version = document.root.find("apiVersion");
  return kind != nullptr && kind->is_string() && kind->text() == "PodDisruptionBudget" && version != nullptr &&
         version->is_string() && version->text().starts_with("policy/");
}

}  // namespace

void DumpModel::read_budgets() {
  for (const Document& document : dump_.others) {
    if (!is_budget(document)) {
      continue;
    }
    Decoder decoder(document);
    budgets_.push_back(decode_pod_disruption_budget(decoder, document.root));
    std::ranges::move(decoder.take_diagnostics(), std::back_inserter(model_.diagnostics_));
  }
  first_budget_ = static_cast<std::uint32_t>(model_.budgets_.size());
  const auto name = [](const objects::PodDisruptionBudget& budget) {
    return fmt::format("{}/{}", budget.meta.namespace_name, budget.meta.name);
  };
  std::ranges::sort(budgets_, {}, name);
  for (const objects::PodDisruptionBudget& budget : budgets_) {
    model_.budgets_.push_back({model_.builder_.text(name(budget)), budget.disruptions_allowed, {}});
  }
}

PodRunner DumpModel::runner(const PodRecord& record) {
  if (record.owner_kind.empty()) {
    return PodRunner::kNobody;
  }
  return record.owner_kind == "DaemonSet" || record.owner_kind == "Node" ? PodRunner::kNode : PodRunner::kController;
}

// A budget of policy/v1 with an empty selector covers its namespace, one without a selector nothing. Source:
// getPodDisruptionBudgets in pkg/registry/core/pod/storage/eviction.go of Kubernetes 1.37.
const std::vector<std::uint32_t>& DumpModel::budgets(const PodRecord& record) {
  const auto [entry, added] = covering_.try_emplace({record.name_space, record.labels});
  if (added) {
    for (std::uint32_t i = 0; i < budgets_.size(); ++i) {
      const objects::PodDisruptionBudget& budget = budgets_[i];
      if (budget.meta.namespace_name == record.name_space && budget.selector &&
          objects::matches(*budget.selector, dump_.pod_labels[record.labels])) {
        entry->second.push_back(first_budget_ + i);
      }
    }
  }
  return entry->second;
}

}  // namespace gpusched::io
