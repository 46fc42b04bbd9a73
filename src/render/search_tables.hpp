#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "render/tables.hpp"

// The answers that search: sections of a PlacementReport and a FragmentationReport.
namespace gpusched::render {

void drainable_lines(const nlohmann::ordered_json& drainable, const TableOptions& options, std::string& out);
void defrag_lines(const nlohmann::ordered_json& defrag, const TableOptions& options, std::string& out);
void repartition_lines(const nlohmann::ordered_json& repartition, const TableOptions& options, std::string& out);
void min_nodes_lines(const nlohmann::ordered_json& min_nodes, const TableOptions& options, std::string& out);
void compare_lines(const nlohmann::ordered_json& compare, const TableOptions& options, std::string& out);

// The answers in a sentence, with what could steer a terminal made visible.
[[nodiscard]] std::string defrag_headline(const nlohmann::ordered_json& defrag);
[[nodiscard]] std::string repartition_headline(const nlohmann::ordered_json& repartition);
[[nodiscard]] std::string min_nodes_headline(const nlohmann::ordered_json& min_nodes);

/// "! …" for each thing that is to be said of evictions.
void eviction_remarks(const nlohmann::ordered_json& object, std::string_view indent, std::string& out);
/// "dgx-a (4), dgx-b (2)": how many pods go to which node, the first few nodes by name.
[[nodiscard]] std::string targets(const nlohmann::ordered_json& moves);
/// "GPUs [0, 1], instances 1g.10gb@0": what a pod gets, of an entry with `gpus` and perhaps `migInstances`.
[[nodiscard]] std::string device_list(const nlohmann::ordered_json& entry);

}  // namespace gpusched::render
