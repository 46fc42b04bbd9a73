#pragma once

#include <string>
#include <string_view>

/// Texts of an input inside other formats, so that no name of an object can leave its place. Control characters,
/// direction marks and bytes that are not UTF-8 are made visible as in tables (escape_control).
namespace gpusched::render {

/// Lines made safe one by one, so that line feeds stay.
[[nodiscard]] std::string escape_lines(std::string_view text);

/// XML 1.0 content. Line feeds stay.
[[nodiscard]] std::string xml_text(std::string_view text);
/// An attribute's value in double quotes; readers would make blanks of line feeds, so they are references.
[[nodiscard]] std::string xml_attribute(std::string_view text);

/// A run of plain text in GitHub's and GitLab's Markdown, also in a table's cell: one line, no markup, no link, and
/// nobody is mentioned by it.
[[nodiscard]] std::string markdown_text(std::string_view text);

/// A fenced code block, whose fence is longer than any in the text.
[[nodiscard]] std::string markdown_code_block(std::string_view text);

/// A cell of a CSV file (RFC 4180), quoted where needed. A text that a spreadsheet would take for a formula gets a '
/// in front (OWASP, CSV injection); numbers stay numbers.
[[nodiscard]] std::string csv_cell(std::string_view text);

/// A file name as a URI reference (RFC 3986), as SARIF wants it.
[[nodiscard]] std::string uri_of_file(std::string_view path);

}  // namespace gpusched::render
