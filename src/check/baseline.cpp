#include "gpusched/check/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "check/values.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/io/decode.hpp"

namespace gpusched::check {

namespace {

using io::Value;

constexpr std::array<std::string_view, 1> kVersions = {"gpusched/v1alpha1"};
constexpr std::array<std::string_view, 1> kKinds = {"CheckReport"};
constexpr std::array<std::string_view, 4> kThresholds = {"atLeast", "atMost", "above", "below"};

Measure read_measure(io::Decoder& decoder, const Value& value) {
  io::ObjectReader reader(decoder, value, "threshold");
  reader.ignore_other_keys();
  return {std::string(reader.required_string("pointer")),
          static_cast<Relation>(static_cast<std::size_t>(Relation::kAtLeast) +
                                reader.required_one_of("relation", kThresholds)),
          std::string(reader.required_decimal("limit")), std::string(reader.required_decimal("value"))};
}

}  // namespace

Result<Baseline> read_baseline(const io::Document& document) {
  Baseline baseline;
  io::Decoder decoder(document);
  {
    io::ObjectReader root(decoder, document.root, "baseline");
    root.ignore_other_keys();
    static_cast<void>(root.required_one_of("apiVersion", kVersions));
    static_cast<void>(root.required_one_of("kind", kKinds));
    if (!decoder.failed() && root.require("questions") != nullptr) {
      root.array("questions", [&](const Value& value, std::size_t) {
        io::ObjectReader question(decoder, value, "question");
        question.ignore_other_keys();
        const std::string name(question.required_string("name"));
        question.set_name(name);
        const std::string suite = plain_path(question.required_string("suite"));
        EarlierResult& result = baseline[{suite, name}];
        result.passed = question.required_bool("passed");
        question.array("thresholds", [&](const Value& measure, std::size_t) {
          result.measures.push_back(read_measure(decoder, measure));
        });
      });
    }
  }
  Diagnostics found = decoder.take_diagnostics();
  if (!found.empty()) {
    return std::unexpected(std::move(found));
  }
  return baseline;
}

std::string plain_path(std::string_view path) {
  std::vector<std::string_view> parts;
  const bool absolute = path.starts_with('/');
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (part == ".." && !parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
  }
  return (absolute ? "/" : "") + join(parts, "/");
}

std::vector<std::string> got_worse(const Judgement& now, const EarlierResult* earlier) {
  std::vector<std::string> worse;
  if (earlier == nullptr || earlier->passed) {
    if (!now.mismatches.empty()) {
      worse.emplace_back(earlier == nullptr ? "is new, and fails" : "passed in the baseline");
    }
  }
  for (const Measure& measure : now.measures) {
    if (earlier == nullptr) {
      break;
    }
    const auto before = std::ranges::find_if(earlier->measures, [&](const Measure& other) {
      return other.pointer == measure.pointer && other.relation == measure.relation;
    });
    if (before == earlier->measures.end()) {
      continue;
    }
    const bool more_is_better = measure.relation == Relation::kAtLeast || measure.relation == Relation::kAbove;
    const int order = compare_numbers(measure.value, before->value);
    if (more_is_better ? order < 0 : order > 0) {
      worse.push_back(fmt::format("{} was {}, is {}", measure.pointer, before->value, measure.value));
    }
  }
  return worse;
}

}  // namespace gpusched::check
