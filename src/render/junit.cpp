#include <fmt/format.h>

#include "render/case_writers.hpp"
#include "render/escape.hpp"

namespace gpusched::render {

namespace {

/// The findings of a level and above, each with its rule, then its details.
std::string finding_lines(const Case& each, bool bad) {
  std::string text;
  for (const Finding& found : each.findings) {
    if ((found.level >= Level::kUndecided) != bad) {
      continue;
    }
    text += fmt::format("{} {}: {}\n", found.rule->id, found.rule->name, found.message);
    for (const std::string& detail : found.details) {
      text += fmt::format("  {}\n", detail);
    }
  }
  return text;
}

void problem(std::string_view element, const Case& each, std::string& out) {
  const Level level = each.level();
  for (const Finding& found : each.findings) {
    if (found.level == level) {
      out += fmt::format("      <{} type=\"{} {}\" message=\"{}\">{}</{}>\n", element, found.rule->id, found.rule->name,
                         xml_attribute(found.message), xml_text(finding_lines(each, true)), element);
      return;
    }
  }
}

void test_case(const Cases& cases, const Case& each, std::string& out) {
  out += fmt::format("    <testcase classname=\"gpusched.{}.{}\" name=\"{}\" time=\"0\"", cases.command, each.kind,
                     xml_attribute(each.name));
  if (!each.location.file.empty()) {
    out += fmt::format(" file=\"{}\"", xml_attribute(each.location.file));
  }
  if (each.location.line > 0) {
    out += fmt::format(" line=\"{}\"", each.location.line);
  }
  out += ">\n";
  if (!each.passed()) {
    problem(each.level() == Level::kError ? "failure" : "error", each, out);
  }
  std::string notes = each.result.empty() ? "" : each.result + "\n";
  notes += finding_lines(each, false);
  if (!notes.empty()) {
    out += fmt::format("      <system-out>{}</system-out>\n", xml_text(notes));
  }
  out += "    </testcase>\n";
}

}  // namespace

std::string junit(const Cases& cases) {
  const std::string counts =
      fmt::format("name=\"gpusched {}\" tests=\"{}\" failures=\"{}\" errors=\"{}\"", cases.command, cases.cases.size(),
                  cases.count(Level::kError), cases.count(Level::kUndecided));
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n  <testsuite {} skipped=\"0\" time=\"0\">\n",
      counts, counts);
  for (const Case& each : cases.cases) {
    test_case(cases, each, out);
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace gpusched::render
