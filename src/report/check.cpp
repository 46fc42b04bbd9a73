#include "gpusched/report/check.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/header.hpp"

namespace gpusched::report {

namespace {

using Json = nlohmann::ordered_json;

Json mismatch_list(const std::vector<check::Mismatch>& mismatches) {
  Json list = Json::array();
  for (const check::Mismatch& mismatch : mismatches) {
    Json& entry = list.emplace_back(Json{{"what", check::name_of(mismatch.what)}});
    if (mismatch.what == check::Mismatch::What::kField) {
      entry["pointer"] = mismatch.pointer;
    }
    entry["expected"] = mismatch.expected;
    entry["found"] = mismatch.found;
    if (!mismatch.diff.empty()) {
      entry["diff"] = mismatch.diff;
    }
  }
  return list;
}

/// Numbers keep their digits as far as JSON's reader here can hold them; others are given as texts.
Json number(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(text) : value;
}

Json measure_list(const std::vector<check::Measure>& measures) {
  Json list = Json::array();
  for (const check::Measure& measure : measures) {
    list.push_back({{"pointer", measure.pointer},
                    {"relation", check::name_of(measure.relation)},
                    {"limit", number(measure.limit)},
                    {"value", number(measure.value)}});
  }
  return list;
}

/// "passed", "failed"; with a baseline also "known" (failed before, no worse) and "worse".
std::string_view state_of(const CheckedQuestion& question, bool with_baseline) {
  if (with_baseline && !question.worse.empty()) {
    return "worse";
  }
  if (question.passed()) {
    return question.updated.empty() ? "passed" : "updated";
  }
  return with_baseline ? "known" : "failed";
}

Json question_object(const CheckedQuestion& question, bool with_baseline) {
  Json object{{"suite", question.suite->file()},
              {"line", question.question->line},
              {"name", question.question->name},
              {"command", check::command_line(question.command)},
              {"exit", question.exit},
              {"passed", question.passed()},
              {"state", state_of(question, with_baseline)},
              {"mismatches", mismatch_list(question.judgement.mismatches)},
              {"thresholds", measure_list(question.judgement.measures)}};
  if (!question.updated.empty()) {
    object["updated"] = question.updated;
  }
  if (with_baseline) {
    object["worse"] = question.worse;
  }
  return object;
}

}  // namespace

Document check_report(const std::vector<CheckedQuestion>& questions, const std::optional<std::string>& baseline) {
  Json report = document_header("CheckReport");
  if (baseline) {
    report["baseline"] = *baseline;
  }
  const auto passed = static_cast<std::size_t>(std::ranges::count_if(questions, &CheckedQuestion::passed));
  Json list = Json::array();
  for (const CheckedQuestion& question : questions) {
    list.push_back(question_object(question, baseline.has_value()));
  }
  report["questions"] = std::move(list);
  report["passed"] = passed;
  report["failed"] = questions.size() - passed;
  if (baseline) {
    report["worse"] = std::ranges::count_if(questions, [](const auto& each) { return !each.worse.empty(); });
  }
  return {std::make_shared<const Json>(std::move(report))};
}

bool all_good(const std::vector<CheckedQuestion>& questions, bool with_baseline) {
  return std::ranges::all_of(questions, [&](const CheckedQuestion& question) {
    return with_baseline ? question.worse.empty() : question.passed();
  });
}

}  // namespace gpusched::report
