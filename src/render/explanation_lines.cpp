#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "render/cells.hpp"
#include "render/tables.hpp"

namespace gpusched::render {

void finding_line(const nlohmann::ordered_json& finding, std::string_view indent, std::string& out) {
  const std::string by = finding.contains("by") ? " by " + text(finding.at("by")) : "";
  out += fmt::format("{}{}{}: {}\n", indent, text(finding.at("verdict")), by, text(finding.at("text")));
}

void explanation_lines(const nlohmann::ordered_json& report, std::string_view indent, std::string& out) {
  for (const auto& finding : report.at("explanation")) {
    finding_line(finding, indent, out);
  }
  if (!report.contains("fixes")) {
    return;
  }
  for (const auto& fix : report.at("fixes")) {
    out += fmt::format("{}fix: {}: {}\n", indent, text(fix.at("change")), text(fix.at("effect")));
  }
}

void message_table(const nlohmann::ordered_json& report, const TableOptions&, std::string& out) {
  explanation_lines(report, "", out);
}

}  // namespace gpusched::render
