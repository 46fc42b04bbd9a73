#include "gpusched/render/render.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "gpusched/base/text.hpp"
#include "render/csv.hpp"
#include "render/html_pages.hpp"
#include "render/names.hpp"
#include "render/tables.hpp"
#include "render/trace_events.hpp"
#include "render/yaml.hpp"

namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 10> kFormatNames = {"table", "wide",       "json",    "yaml", "name",
                                                           "csv",   "csv-events", "mermaid", "html", "trace"};

struct TableRenderer {
  std::string_view kind;
  void (*render)(const Json&, const TableOptions&, std::string&);
};

// The kinds that have a table of their own. The others are Kubernetes objects, which are printed as JSON.
constexpr std::array kTables = {
    TableRenderer{"PlacementReport", &placement_table},
    TableRenderer{"FragmentationReport", &fragmentation_table},
    TableRenderer{"AllocationReport", &allocation_table},
    TableRenderer{"SelectorReport", &selector_table},
    TableRenderer{"PendingReport", &pending_table},
    TableRenderer{"PendingReportList", &pending_list_table},
    TableRenderer{"ChainReport", &chain_table},
    TableRenderer{"ChainDiff", &chain_diff_table},
    TableRenderer{"WorkloadReport", &workload_table},
    TableRenderer{"MessageReport", &message_table},
    TableRenderer{"VerificationReport", &verification_table},
    TableRenderer{"GangReport", &gang_report_table},
};

std::string json(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string table(const Json& document, bool wide, const Options& options) {
  const std::string kind = kind_of(document);
  std::string text;
  for (const TableRenderer& table : kTables) {
    if (table.kind == kind) {
      table.render(document, {wide, options.headers}, text);
      return text;
    }
  }
  return json(document);
}

}  // namespace

std::span<const std::string_view> format_names() {
  return kFormatNames;
}

std::optional<Format> parse_format(std::string_view name) {
  for (std::size_t i = 0; i < kFormatNames.size(); ++i) {
    if (kFormatNames[i] == name) {
      return static_cast<Format>(i);
    }
  }
  return std::nullopt;
}

bool can_render(const report::Document& document, Format format) {
  switch (format) {
    case Format::kMermaid:
      return kind_of(*document.json) == "ChainReport";
    case Format::kTrace:
      return document.json->contains("stays");
    default:
      return true;
  }
}

std::string render(const report::Document& document, Format format, const Options& options) {
  switch (format) {
    case Format::kTable:
    case Format::kWide:
      return table(*document.json, format == Format::kWide, options);
    case Format::kJson:
      return json(*document.json);
    case Format::kYaml:
      return yaml(*document.json);
    case Format::kName:
      return names(*document.json);
    case Format::kCsv:
      return csv(*document.json, options.headers);
    case Format::kCsvEvents:
      return csv_events(*document.json, options.headers);
    case Format::kMermaid:
      return chain_mermaid(*document.json);
    case Format::kHtml:
      return html_page(*document.json);
    case Format::kTrace:
      return trace_events(*document.json);
  }
  return {};
}

}  // namespace gpusched::render
