#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace gpusched::render {

struct TableOptions {
  bool wide = false;
  bool headers = true;
};

/// Rows of cells in aligned columns, two blanks apart; columns of numbers are aligned to the right.
class Columns {
 public:
  explicit Columns(std::vector<std::string> header) : rows_{std::move(header)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// Appends the rows; `right[i]` aligns column i to the right. Trailing blanks are cut.
  void write(std::string& out, const std::vector<bool>& right, bool with_header, std::size_t indent) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// A wider cell overflows its column, so that one long name does not pad every other line.
inline constexpr std::size_t kMaxColumnWidth = 60;
/// What a cell asks of its column, in cells of the terminal.
[[nodiscard]] std::size_t column_width(std::string_view cell);

void placement_table(const nlohmann::ordered_json& report, const TableOptions& options, std::string& out);
void fragmentation_table(const nlohmann::ordered_json& report, const TableOptions& options, std::string& out);
void mig_layout_table(const nlohmann::ordered_json& report, const TableOptions& options, std::string& out);
void allocation_table(const nlohmann::ordered_json& report, const TableOptions& options, std::string& out);
/// Why claims have no devices: what becomes of each kind of node's devices, hints, changes that help.
/// `several`: requests are named with their claims.
void why_not_lines(const nlohmann::ordered_json& why, const std::string& what, bool several, std::string& out);
void selector_table(const nlohmann::ordered_json& report, const TableOptions& options, std::string& out);
/// A PendingReport, and a List of them.
void pending_table(const nlohmann::ordered_json& report, const TableOptions& options, std::string& out);
void pending_list_table(const nlohmann::ordered_json& list, const TableOptions& options, std::string& out);

void chain_table(const nlohmann::ordered_json& report, const TableOptions& options, std::string& out);
void chain_diff_table(const nlohmann::ordered_json& report, const TableOptions& options, std::string& out);
/// A ChainReport as a Mermaid flowchart with counts on its arrows.
[[nodiscard]] std::string chain_mermaid(const nlohmann::ordered_json& report);
void workload_table(const nlohmann::ordered_json& report, const TableOptions& options, std::string& out);
void version_table(const nlohmann::ordered_json& report, const TableOptions& options, std::string& out);
void verification_table(const nlohmann::ordered_json& report, const TableOptions& options, std::string& out);
void message_table(const nlohmann::ordered_json& report, const TableOptions& options, std::string& out);
/// "blocked by taint: the pod does not …"
void finding_line(const nlohmann::ordered_json& finding, std::string_view indent, std::string& out);
/// The findings of a report, a line each, and its fixes if it has any.
void explanation_lines(const nlohmann::ordered_json& report, std::string_view indent, std::string& out);

/// A figure of an answer before and after edits of the cluster.
struct WhatIfRow {
  std::string figure, before, after;
};
/// The figures of a report with `whatIf`; none for a kind that has no figures.
[[nodiscard]] std::vector<WhatIfRow> what_if_rows(const nlohmann::ordered_json& report, std::string_view kind);
/// The part `whatIf` of a report: the edits, and the figures before and after them.
void what_if_lines(const nlohmann::ordered_json& report, std::string_view kind, const TableOptions& options,
                   std::string& out);

/// The part `admission` of a report: what Kueue's queues decided.
void admission_lines(const nlohmann::ordered_json& admission, const TableOptions& options, std::string& out);
void gang_report_table(const nlohmann::ordered_json& report, const TableOptions& options, std::string& out);

void check_table(const nlohmann::ordered_json& report, const TableOptions& options, std::string& out);

/// Rows that a table has unless more are asked for; beyond, equal ones are grouped or counted.
inline constexpr std::size_t kMaxRows = 50;

/// "[0, 1, 2]"
[[nodiscard]] std::string index_list(const nlohmann::ordered_json& indices);

/// The member `cluster` of a report in characters: a line for each node, when there are not too many.
void cluster_map_lines(const nlohmann::ordered_json& report, std::string& out);

/// The part that placement and fragmentation share: the sizes, time-sliced capacity and the GPUs in MIG mode.
void fragmentation_lines(const nlohmann::ordered_json& report, const TableOptions& options, std::string& out);

}  // namespace gpusched::render
