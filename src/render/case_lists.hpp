#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "render/cases.hpp"

namespace gpusched::render {

// One function for each kind of document.
void placement_cases(const nlohmann::ordered_json& report, std::vector<Case>& cases);
void fragmentation_cases(const nlohmann::ordered_json& report, std::vector<Case>& cases);
void mig_layout_cases(const nlohmann::ordered_json& report, std::vector<Case>& cases);
void pending_cases(const nlohmann::ordered_json& report, std::vector<Case>& cases);
void pending_list_cases(const nlohmann::ordered_json& list, std::vector<Case>& cases);
void workload_cases(const nlohmann::ordered_json& report, std::vector<Case>& cases);
void verification_cases(const nlohmann::ordered_json& report, std::vector<Case>& cases);
void allocation_cases(const nlohmann::ordered_json& report, std::vector<Case>& cases);
void selector_cases(const nlohmann::ordered_json& report, std::vector<Case>& cases);
void gang_cases(const nlohmann::ordered_json& report, std::vector<Case>& cases);
void chain_cases(const nlohmann::ordered_json& report, std::vector<Case>& cases);
void check_cases(const nlohmann::ordered_json& report, std::vector<Case>& cases);
void chain_diff_cases(const nlohmann::ordered_json& report, std::vector<Case>& cases);

/// What `place` was asked beside placing (--drainable, --defrag, --min-nodes, --compare). True when it was asked such a
/// question: the exit code is its answer then, and the pods are what it stands on.
bool search_cases(const nlohmann::ordered_json& report, std::vector<Case>& cases);
/// The member `repartition` of a FragmentationReport.
void repartition_cases(const nlohmann::ordered_json& repartition, std::vector<Case>& cases);

[[nodiscard]] Finding finding(std::string_view rule_id, std::string message);
/// "blocked by taint: the pod does not ..."
[[nodiscard]] std::string explanation_text(const nlohmann::ordered_json& part);
/// "explanation" and "fixes" of a report, a line each.
[[nodiscard]] std::vector<std::string> explanation_texts(const nlohmann::ordered_json& report);

}  // namespace gpusched::render
