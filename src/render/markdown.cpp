#include <fmt/format.h>

#include <algorithm>

#include "gpusched/base/text.hpp"
#include "render/case_writers.hpp"
#include "render/escape.hpp"

namespace gpusched::render {

namespace {

// GitHub takes comments of 65 536 characters. Parts end at a line that would make them longer than this.
constexpr std::size_t kMaxFailures = 30'000;
constexpr std::size_t kMaxPassed = 10'000;
constexpr std::size_t kMaxTable = 15'000;
constexpr std::size_t kMaxText = 1'000;  // of one name or message
constexpr std::size_t kMaxRow = 10'000;  // a longer one is left out, the rows after it are not
constexpr std::size_t kMaxDetails = 10;  // lines of one row

std::string_view mark(Level level) {
  switch (level) {
    case Level::kNote:
      return "✅";
    case Level::kWarning:
      return "⚠️";
    case Level::kUndecided:
      return "❔";
    case Level::kError:
      return "❌";
  }
  return {};
}

/// What is cut before it is escaped, so that no escape is cut.
std::string cell(std::string_view text) {
  return markdown_text(shorten(text, kMaxText));
}

std::string row(const Case& each) {
  std::string why;
  std::size_t lines = 0;
  const auto add = [&](const std::string& line) {
    if (lines++ < kMaxDetails) {
      why += (why.empty() ? "" : "<br>") + line;
    }
  };
  for (const Finding& found : each.findings) {
    add(fmt::format("{} {}", found.rule->id, cell(found.message)));
    for (const std::string& detail : found.details) {
      add("• " + cell(detail));
    }
  }
  if (lines > kMaxDetails) {
    why += fmt::format("<br>… and {} more lines", lines - kMaxDetails);
  }
  return fmt::format("| {} | {} {} | {} | {} |\n", mark(each.level()), each.kind, cell(each.name), cell(each.result),
                     why);
}

std::string passed_row(const Case& each) {
  return fmt::format("| {} {} | {} |\n", each.kind, cell(each.name), cell(each.result));
}

/// A table of the cases that are wanted, as many as there is room for.
template <class Wanted, class Row>
std::string table_of(const Cases& cases, std::string_view header, std::size_t room, Wanted wanted, Row make_row) {
  std::string rows;
  std::size_t left_out = 0;
  bool is_full = false;
  for (const Case& each : cases.cases) {
    if (!wanted(each)) {
      continue;
    }
    const std::string line = is_full ? std::string() : make_row(each);
    is_full = is_full || (line.size() <= kMaxRow && rows.size() + line.size() > room);
    if (is_full || line.size() > kMaxRow) {
      ++left_out;
    } else {
      rows += line;
    }
  }
  std::string out = rows.empty() ? std::string() : std::string(header) + rows;
  if (left_out > 0) {
    out += fmt::format("\nand {} more\n", left_out);
  }
  return out;
}

std::string title(const Cases& cases) {
  const std::size_t errors = cases.count(Level::kError);
  const std::size_t undecided = cases.count(Level::kUndecided);
  const std::size_t warnings = cases.count(Level::kWarning);
  const Level worst = errors > 0      ? Level::kError
                      : undecided > 0 ? Level::kUndecided
                      : warnings > 0  ? Level::kWarning
                                      : Level::kNote;
  std::string text = fmt::format("### {} gpusched {}: {} of {} passed", mark(worst), cases.command,
                                 cases.cases.size() - errors - undecided, cases.cases.size());
  if (undecided > 0) {
    text += fmt::format(", {} undecided", undecided);
  }
  if (warnings > 0) {
    text += fmt::format(", {} with a warning", warnings);
  }
  return text + "\n";
}

std::string folded(std::string_view summary, std::string_view content) {
  return fmt::format("\n<details><summary>{}</summary>\n\n{}\n</details>\n", summary, content);
}

std::string first_lines(std::string_view text, std::size_t room) {
  if (text.size() <= room) {
    return std::string(text);
  }
  const std::size_t end = text.rfind('\n', room);
  return std::string(text.substr(0, end == std::string_view::npos ? 0 : end + 1)) + "…\n";
}

}  // namespace

std::string markdown(const Cases& cases, std::string_view table) {
  std::string out;
  if (!cases.cases.empty()) {
    out += title(cases);
    const auto is_clean = [](const Case& each) { return each.findings.empty(); };
    const std::string problems = table_of(
        cases, "\n| | what | answer | why |\n|---|---|---|---|\n", kMaxFailures,
        [&](const Case& each) { return !is_clean(each); }, row);
    out += problems;
    const auto clean = static_cast<std::size_t>(std::ranges::count_if(cases.cases, is_clean));
    if (clean > 0) {
      out += folded(fmt::format("{} without a finding", clean),
                    table_of(cases, "| what | answer |\n|---|---|\n", kMaxPassed, is_clean, passed_row));
    }
  }
  if (!table.empty()) {
    const std::string block = markdown_code_block(first_lines(table, kMaxTable));
    out += cases.cases.empty() ? block : folded("the whole answer", block);
  }
  return out;
}

}  // namespace gpusched::render
