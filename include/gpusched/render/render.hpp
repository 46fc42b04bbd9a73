#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/report/document.hpp"

namespace gpusched::render {

enum class Format : std::uint8_t {
  kTable,
  kWide,  ///< the table with more columns and lines
  kJson,
  kYaml,
  kName,       ///< one object a line, for xargs
  kCsv,        ///< a row for each entry of the document's main list
  kCsvEvents,  ///< a row for each event of a simulation
  kMermaid,    ///< a diagram, of a ChainReport only
  kMarkdown,   ///< for a job summary or a comment of GitHub or GitLab
  kJunit,      ///< JUnit's XML
  kSarif,      ///< SARIF 2.1.0
  kHtml,       ///< one page that needs nothing else
  kTrace,      ///< trace events of a simulation, for Perfetto
};

/// The words of `--report`, by Format.
[[nodiscard]] std::span<const std::string_view> format_names();
[[nodiscard]] std::optional<Format> parse_format(std::string_view name);
[[nodiscard]] std::string_view name_of(Format format);
/// Whether `-o` offers it, too.
[[nodiscard]] bool is_printed(Format format);

struct Options {
  bool headers = true;  ///< false: tables without their header line
};

/// Whether it tells where the objects of an answer stand (Document::locations).
[[nodiscard]] bool tells_places(Format format);

/// Whether it shows who holds which GPU, and wants a document with what only drawings need (report::Cluster::kShown).
/// The other forms are of a document without.
[[nodiscard]] bool draws(Format format);

/// Whether a document has that form: diagrams, traces and lists of test cases are of some kinds only.
[[nodiscard]] bool can_render(const report::Document& document, Format format);

/// A report document as text that ends with a line feed (empty when there is nothing to print). Control characters in
/// names are made visible in tables, so that no input can steer a terminal.
[[nodiscard]] std::string render(const report::Document& document, Format format, const Options& options = {});

/// "error: pods.json:12:5 /pods/3/gpus (pod train-8): …" and the hint on a line of its own.
[[nodiscard]] std::string diagnostic_text(const Diagnostic& diagnostic, bool color);
/// The diagnostic as one JSON object on a line.
[[nodiscard]] std::string diagnostic_json(const Diagnostic& diagnostic);

}  // namespace gpusched::render
