#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gpusched/base/text.hpp"
#include "render/case_lists.hpp"
#include "render/tables.hpp"

// The answer of check: as a table and as test cases.
namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

std::string raw(const Json& object, const char* key) {
  return object.at(key).get<std::string>();
}
std::string text(const Json& object, const char* key) {
  return escape_control(object.at(key).get_ref<const std::string&>());
}

/// "exit: expected 0, found 1"
std::string mismatch_line(const Json& mismatch) {
  const std::string what = mismatch.contains("pointer") ? text(mismatch, "pointer") : text(mismatch, "what");
  return mismatch.contains("diff")
             ? fmt::format("{} differs from {}", what, text(mismatch, "expected"))
             : fmt::format("{}: expected {}, found {}", what, text(mismatch, "expected"), text(mismatch, "found"));
}

/// Each line of a diff, so that no output can steer the terminal.
std::vector<std::string> diff_lines(const Json& mismatch) {
  std::vector<std::string> lines;
  const std::string diff = mismatch.value("diff", std::string());
  for (std::size_t start = 0; start < diff.size();) {
    const std::size_t end = std::min(diff.find('\n', start), diff.size());
    lines.push_back(escape_control(std::string_view(diff).substr(start, end - start)));
    start = end + 1;
  }
  return lines;
}

std::string_view word_of(const std::string& state) {
  return state == "failed" ? "FAILED" : state == "worse" ? "WORSE" : state == "passed" ? "ok" : std::string_view(state);
}

void question_lines(const Json& question, const TableOptions& options, std::string& out) {
  const std::string state = raw(question, "state");
  out += fmt::format("{:<8}{}", word_of(state), text(question, "name"));
  const bool details = !question.at("passed").get<bool>() || state == "worse";
  out += details ? fmt::format("  {}:{}\n", text(question, "suite"), question.at("line").dump()) : "\n";
  if (details || options.wide) {
    out += fmt::format("          $ gpusched {}\n", text(question, "command"));
  }
  for (const Json& worse : question.value("worse", Json::array())) {
    out += fmt::format("          {}\n", escape_control(worse.get<std::string>()));
  }
  for (const Json& mismatch : question.at("mismatches")) {
    out += fmt::format("          {}\n", mismatch_line(mismatch));
    for (const std::string& line : diff_lines(mismatch)) {
      out += fmt::format("            {}\n", line);
    }
  }
  for (const Json& updated : question.value("updated", Json::array())) {
    out += fmt::format("          updated {}\n", escape_control(updated.get<std::string>()));
  }
}

}  // namespace

void check_table(const Json& report, const TableOptions& options, std::string& out) {
  for (const Json& question : report.at("questions")) {
    question_lines(question, options, out);
  }
  const auto passed = report.at("passed").get<std::size_t>();
  const auto failed = report.at("failed").get<std::size_t>();
  out += fmt::format("{} of {} questions passed", passed, passed + failed);
  out += report.contains("worse")
             ? fmt::format(", {} got worse since {}", report.at("worse").get<std::size_t>(), text(report, "baseline"))
             : "";
  out += '\n';
}

void check_cases(const Json& report, std::vector<Case>& cases) {
  for (const Json& question : report.at("questions")) {
    const std::string state = raw(question, "state");
    Case result{.kind = "question",
                .name = raw(question, "name"),
                .result = state,
                .location = {raw(question, "suite"), question.at("line").get<std::uint32_t>(), ""}};
    for (const Json& worse : question.value("worse", Json::array())) {
      result.findings.push_back(finding("GPU403", worse.get<std::string>()));
    }
    for (const Json& mismatch : question.at("mismatches")) {
      Finding& failed = result.findings.emplace_back(finding("GPU402", mismatch_line(mismatch)));
      failed.details = diff_lines(mismatch);
      if (&mismatch == &question.at("mismatches").front()) {
        failed.details.insert(failed.details.begin(), fmt::format("$ gpusched {}", raw(question, "command")));
      }
      failed.level = report.contains("baseline") ? Level::kWarning : Level::kError;
    }
    cases.push_back(std::move(result));
  }
}

}  // namespace gpusched::render
