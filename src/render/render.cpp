#include "gpusched/render/render.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "gpusched/base/text.hpp"
#include "render/case_writers.hpp"
#include "render/cases.hpp"
#include "render/csv.hpp"
#include "render/html_pages.hpp"
#include "render/names.hpp"
#include "render/tables.hpp"
#include "render/trace_events.hpp"
#include "render/yaml.hpp"

namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

struct TableRenderer {
  std::string_view kind;
  void (*render)(const Json&, const TableOptions&, std::string&);
};

// The kinds that have a table of their own. The others are Kubernetes objects, which are printed as JSON.
constexpr std::array kTables = {
    TableRenderer{"PlacementReport", &placement_table},
    TableRenderer{"FragmentationReport", &fragmentation_table},
    TableRenderer{"MigLayoutReport", &mig_layout_table},
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
    TableRenderer{"VersionReport", &version_table},
    TableRenderer{"CheckReport", &check_table},
};

std::string json(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string table(const Json& document, bool wide, const Options& options) {
  const std::string kind = kind_of(document);
  std::string text;
  for (const TableRenderer& table : kTables) {
    if (table.kind == kind) {
      if (document.contains("whatIf")) {
        what_if_lines(document, kind, {wide, options.headers}, text);
      }
      table.render(document, {wide, options.headers}, text);
      return text;
    }
  }
  return json(document);
}

std::string print_table(const report::Document& document, const Options& options) {
  return table(document.brief == nullptr ? *document.json : *document.brief, false, options);
}
std::string print_wide(const report::Document& document, const Options& options) {
  return table(*document.json, true, options);
}
std::string print_json(const report::Document& document, const Options&) {
  return json(*document.json);
}
std::string print_yaml(const report::Document& document, const Options&) {
  return yaml(*document.json);
}
std::string print_names(const report::Document& document, const Options&) {
  return names(*document.json);
}
std::string write_csv(const report::Document& document, const Options& options) {
  return csv(*document.json, options.headers);
}
std::string write_csv_events(const report::Document& document, const Options& options) {
  return csv_events(*document.json, options.headers);
}
std::string write_mermaid(const report::Document& document, const Options&) {
  return chain_mermaid(*document.json);
}
std::string write_markdown(const report::Document& document, const Options& options) {
  return markdown(cases_of(document, kind_of(*document.json)), print_table(document, options));
}
std::string write_junit(const report::Document& document, const Options&) {
  return junit(cases_of(document, kind_of(*document.json)));
}
std::string write_sarif(const report::Document& document, const Options&) {
  return sarif(cases_of(document, kind_of(*document.json)));
}

std::string write_html(const report::Document& document, const Options&) {
  return html_page(*document.json);
}
std::string write_trace(const report::Document& document, const Options&) {
  return trace_events(*document.json);
}

bool any(const Json&) {
  return true;
}
bool is_chain(const Json& document) {
  return kind_of(document) == "ChainReport";
}
bool lists_cases(const Json& document) {
  return has_cases(kind_of(document));
}
/// Of a simulation whose pods have a time and a place.
bool has_stays(const Json& document) {
  return document.contains("stays");
}

/// A form of an answer. A new one is a value of Format and a row in its place.
struct Writer {
  Format format;
  std::string_view name;                ///< the word of --report
  bool printed;                         ///< -o offers it, too
  bool draws;                           ///< shows who holds which GPU
  bool (*knows)(const Json& document);  ///< whether the document has this form
  std::string (*write)(const report::Document& document, const Options& options);
};

constexpr std::array kWriters = {
    Writer{Format::kTable, "table", true, false, &any, &print_table},
    Writer{Format::kWide, "wide", true, true, &any, &print_wide},
    Writer{Format::kJson, "json", true, false, &any, &print_json},
    Writer{Format::kYaml, "yaml", true, false, &any, &print_yaml},
    Writer{Format::kName, "name", true, false, &has_names, &print_names},
    Writer{Format::kCsv, "csv", false, false, &has_csv, &write_csv},
    Writer{Format::kCsvEvents, "csv-events", false, false, &has_csv_events, &write_csv_events},
    Writer{Format::kMermaid, "mermaid", false, false, &is_chain, &write_mermaid},
    Writer{Format::kMarkdown, "markdown", false, false, &any, &write_markdown},
    Writer{Format::kJunit, "junit", false, false, &lists_cases, &write_junit},
    Writer{Format::kSarif, "sarif", false, false, &lists_cases, &write_sarif},
    Writer{Format::kHtml, "html", false, true, &any, &write_html},
    Writer{Format::kTrace, "trace", false, true, &has_stays, &write_trace},
};

constexpr auto kFormatNames = [] {
  std::array<std::string_view, kWriters.size()> names;
  for (std::size_t i = 0; i < kWriters.size(); ++i) {
    names[i] = kWriters[i].name;
  }
  return names;
}();

const Writer& writer_of(Format format) {
  return kWriters[static_cast<std::size_t>(format)];
}

static_assert([] {
  for (std::size_t i = 0; i < kWriters.size(); ++i) {
    if (kWriters[i].format != static_cast<Format>(i)) return false;
  }
  return true;
}());

}  // namespace

std::span<const std::string_view> format_names() {
  return kFormatNames;
}

std::optional<Format> parse_format(std::string_view name) {
  const auto found = std::ranges::find(kWriters, name, &Writer::name);
  return found == kWriters.end() ? std::nullopt : std::optional(found->format);
}

std::string_view name_of(Format format) {
  return writer_of(format).name;
}

bool is_printed(Format format) {
  return writer_of(format).printed;
}

bool tells_places(Format format) {
  return format == Format::kJunit || format == Format::kSarif;
}

bool draws(Format format) {
  return writer_of(format).draws;
}

bool can_render(const report::Document& document, Format format) {
  return writer_of(format).knows(*document.json);
}

std::string render(const report::Document& document, Format format, const Options& options) {
  return writer_of(format).write(document, options);
}

}  // namespace gpusched::render
