// The answers of Kubernetes' own CEL compiler for device selectors (k8s.io/dynamic-resource-allocation v0.37.2),
// replayed. Each line holds an expression, a device and what the real system said. A family's line at the end tells how
// many answers are equal; any other answer fails the test.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "gpusched/base/quantity.hpp"
#include "gpusched/cel/program.hpp"

namespace {

using nlohmann::json;
using namespace gpusched;  // NOLINT(google-build-using-namespace): a test reads better so

/// Where a real text is only a courtesy: what the original's program says when it fails inside.
bool is_courtesy(const std::string& text) {
  return text.starts_with("internal error: ");
}

std::filesystem::path corpus() {
  constexpr const char* kName = "cel-cases.jsonl";
  if (const char* folder = std::getenv("GPUSCHED_CONFORMANCE_DIR")) return std::filesystem::path(folder) / kName;
  const std::filesystem::path shared = std::filesystem::path("../shared/conformance") / kName;
  return std::filesystem::exists(shared) ? shared : std::filesystem::path("tests/conformance/data") / kName;
}

/// A device of the corpus, and what it points to.
class Input {
 public:
  explicit Input(const json& from)
      : driver_(from["driver"].get<std::string>()), device_(driver_, from.value("allowMultipleAllocations", false)) {
    const json none = json::object();
    for (const auto& [name, value] : (from.contains("attributes") ? from["attributes"] : none).items()) {
      add_attribute(text(name), value);
    }
    for (const auto& [name, value] : (from.contains("capacity") ? from["capacity"] : none).items()) {
      amounts_.push_back(*try_parse_quantity(value["value"].get<std::string>()));
      device_.add_capacity(text(name), amounts_.back());
    }
  }

  [[nodiscard]] const cel::Device& device() const { return device_; }

 private:
  std::string_view text(std::string text) { return texts_.emplace_back(std::move(text)); }

  void add_attribute(std::string_view name, const json& value) {
    std::vector<std::string_view> texts;
    for (const char* kind : {"strings", "versions"}) {
      if (!value.contains(kind)) continue;
      for (const json& element : value[kind]) texts.push_back(text(element.get<std::string>()));
    }
    if (value.contains("ints")) {
      const auto numbers = value["ints"].get<std::vector<std::int64_t>>();
      device_.add_attribute(name, std::span<const std::int64_t>(numbers));
    } else if (value.contains("bools")) {
      const auto bools = value["bools"].get<std::vector<bool>>();
      device_.add_attribute(name, &bools);
    } else if (value.contains("strings")) {
      device_.add_attribute(name, std::span<const std::string_view>(texts));
    } else if (value.contains("versions")) {
      device_.add_attribute(name, cel::VersionTexts{texts});
    } else if (value.contains("int")) {
      device_.add_attribute(name, value["int"].get<std::int64_t>());
    } else if (value.contains("bool")) {
      device_.add_attribute(name, value["bool"].get<bool>());
    } else if (value.contains("string")) {
      device_.add_attribute(name, text(value["string"].get<std::string>()));
    } else if (value.contains("version")) {
      device_.add_attribute(name, cel::VersionText{text(value["version"].get<std::string>())});
    } else {
      device_.add_attribute(name, std::monostate{});
    }
  }

  std::deque<std::string> texts_;
  std::deque<Quantity> amounts_;
  std::string driver_;
  cel::Device device_;
};

std::string kind_name(cel::CompileErrorKind kind) {
  switch (kind) {
    case cel::CompileErrorKind::kSyntax:
      return "syntax";
    case cel::CompileErrorKind::kCheck:
      return "check";
    case cel::CompileErrorKind::kOutputType:
      return "output-type";
    case cel::CompileErrorKind::kProgram:
      return "program";
  }
  return {};
}

std::string kind_name(cel::ErrorKind kind) {
  switch (kind) {
    case cel::ErrorKind::kNone:
      return {};
    case cel::ErrorKind::kRuntime:
      return "runtime";
    case cel::ErrorKind::kCostLimit:
      return "cost-limit";
    case cel::ErrorKind::kAttribute:
      return "attribute";
    case cel::ErrorKind::kResult:
      return "result";
  }
  return {};
}

/// Of a syntax error only the first block counts: the parser generator's recovery makes up the rest.
std::string first_block(const std::string& text) {
  return text.substr(0, text.find("\nERROR:"));
}

json answer(const std::string& expression, const cel::Device& device) {
  json result = json::object();
  const cel::Admission admission = cel::admit(expression);
  constexpr const char* kVerdicts[] = {"ok", "too-long", "invalid", "too-complex"};
  result["admission"]["verdict"] = kVerdicts[static_cast<std::size_t>(admission.verdict)];
  if (admission.verdict == cel::Verdict::kInvalid) result["admission"]["error"] = admission.error;
  if (admission.max_cost) result["admission"]["maxCost"] = *admission.max_cost;

  const auto program = cel::compile(expression);
  if (!program) {
    result["compileError"] = program.error().text;
    result["errorKind"] = kind_name(program.error().kind);
    return result;
  }
  result["outputType"] = program->output_type();
  if (program->max_cost() != UINT64_MAX) result["maxCost"] = program->max_cost();
  cel::Scratch scratch;
  const cel::Outcome outcome = cel::evaluate(*program, device, scratch);
  if (outcome.error_kind != cel::ErrorKind::kAttribute) result["cost"] = outcome.cost;
  if (outcome.ok()) {
    result["match"] = outcome.match;
  } else {
    result["runtimeError"] = outcome.error;
    result["errorKind"] = kind_name(outcome.error_kind);
  }
  return result;
}

/// What the two answers have to agree on.
void normalize(json& ours, json& theirs) {
  if (theirs.contains("costVaries")) {
    theirs.erase("costVaries");
    ours.erase("cost");
  }
  for (json* side : {&ours, &theirs}) {
    if (side->value("errorKind", "") == "syntax") (*side)["compileError"] = first_block((*side)["compileError"]);
    json& admission = (*side)["admission"];
    const std::string error = admission.value("error", "");
    if (error.find("Syntax error") != std::string::npos) admission["error"] = first_block(error);
    if (is_courtesy(side->value("runtimeError", ""))) (*side)["runtimeError"] = "internal error";
  }
}

struct Count {
  int equal = 0, all = 0;
};

void compare_all(const std::filesystem::path& path) {
  std::ifstream in(path);
  INFO("corpus " << path);
  REQUIRE(in.good());
  std::map<std::string, Count> families;
  const char* quiet = std::getenv("GPUSCHED_CONFORMANCE_SHOW");
  int shown = quiet == nullptr ? 20 : std::atoi(quiet);
  for (std::string line; std::getline(in, line);) {
    const json test = json::parse(line);
    json theirs = test["expect"];
    json ours = answer(test["input"]["expression"].get<std::string>(), Input(test["input"]["device"]).device());
    normalize(ours, theirs);
    Count& count = families[test["family"].get<std::string>()];
    ++count.all;
    if (ours == theirs) {
      ++count.equal;
    } else if (shown-- > 0) {
      std::cout << test["id"].get<std::string>() << ": "
                << test["input"]["expression"].get<std::string>().substr(0, 400) << "\n  ours   "
                << ours.dump(-1, ' ', false, json::error_handler_t::replace) << "\n  theirs " << theirs.dump() << "\n";
    }
  }
  Count total;
  for (const auto& [family, count] : families) {
    std::cout << family << ": " << count.equal << " of " << count.all << " equal\n";
    total.equal += count.equal;
    total.all += count.all;
  }
  std::cout << "cel: " << total.equal << " of " << total.all << " equal\n";
  CHECK(total.all > 0);
  CHECK(total.equal == total.all);
}

}  // namespace

TEST_CASE("cel: answers equal those of the real compiler", "[conformance]") {
  compare_all(corpus());
}

// Expressions that nobody writes, found by changing tokens of others: where errors are told depends on how the real
// parser goes on behind one, and what a name means on what is named so by whom.
TEST_CASE("cel: odd expressions are answered as the real compiler answers them", "[conformance]") {
  compare_all("tests/conformance/data/cel-found-cases.jsonl");
}
