#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <string>
#include <vector>

#include "check/values.hpp"
#include "gpusched/check/baseline.hpp"
#include "gpusched/check/diff.hpp"
#include "gpusched/check/judge.hpp"
#include "gpusched/check/update.hpp"

namespace gpusched::check {
namespace {

io::Document document(const std::string& text) {
  auto documents = io::parse_documents({"suite.yaml", text});
  REQUIRE(documents);
  return documents->front();
}

Suite suite_of(const std::string& expectations) {
  Result<Suite> suite = read_suite(document("questions:\n- name: q\n  command: x\n" + expectations));
  REQUIRE(suite);
  return std::move(*suite);
}

constexpr std::string_view kAnswer =
    R"({"kind": "PendingReport", "verdict": "unschedulable", "message": "no room", "count": 7,
 "half": 0.50, "big": 18446744073709551616, "open": {"min": 2, "max": 6}, "memory": "80Gi", "names": ["a", "b"], "none": null,
 "rows": [{"size": 1, "name": "one"}, {"size": 2, "name": "two/three"}], "a/b": {"~": true}})";

/// "what pointer: expected E, found F" of each mismatch.
std::string mismatches(const std::string& expectations, Answer answer) {
  const Suite suite = suite_of(expectations);
  std::string text;
  for (const Mismatch& mismatch : judge(suite.questions[0], answer).mismatches) {
    text += fmt::format("{}{}: {} / {}\n", name_of(mismatch.what),
                        mismatch.pointer.empty() ? "" : " " + mismatch.pointer, mismatch.expected, mismatch.found);
  }
  return text;
}

Answer answered(int exit = 1) {
  Answer answer;
  answer.exit = exit;
  answer.output = "a\nb\n";
  answer.document = document(std::string(kAnswer));
  return answer;
}

}  // namespace

TEST_CASE("what holds and what does not") {
  struct Case {
    std::string expectations, mismatches;
  };
  const std::vector<Case> cases = {
      {"  exit: 1\n", ""},
      {"  exit: 0\n", "exit: 0 / 1\n"},
      {"  verdict: unschedulable\n", ""},
      {"  verdict: gated\n", "verdict: gated / unschedulable\n"},
      {"  message: no room\n", ""},
      {"  message: room\n", "message: room / no room\n"},
      {"  message: {contains: room}\n", ""},
      {"  message: {contains: rooms}\n", "message: a message with rooms / no room\n"},
      {"  output: \"a\\nb\\n\"\n", ""},
      {"  output: a\n", "output: the output of the suite / another output\n"},
      {"  fields: {/count: 7}\n", ""},
      {"  fields: {/count: 7.0}\n", ""},
      {"  fields: {/count: \"7\"}\n", "field /count: \"7\" / 7\n"},
      {"  fields: {/half: 5e-1}\n", ""},
      {"  fields: {/big: {above: 18446744073709551615, atMost: 18446744073709551616}}\n", ""},
      {"  fields: {/count: {atLeast: 8}}\n", "field /count: at least 8 / 7\n"},
      {"  fields: {/count: {atMost: 7, above: 6.9, below: 7.1, not: 8}}\n", ""},
      {"  fields: {/count: {below: 7}}\n", "field /count: below 7 / 7\n"},
      {"  fields: {/open: {atLeast: 3}}\n", "field /open: at least 3 / {\"min\":2,\"max\":6}\n"},
      {"  fields: {/open: {atMost: 6}}\n", ""},
      {"  fields: {/memory: {atLeast: 40Gi, below: 81Gi}}\n", ""},
      {"  fields: {/memory: {atLeast: 1Ti}}\n", "field /memory: at least \"1Ti\" / \"80Gi\"\n"},
      {"  fields: {/names: {atLeast: 1}}\n", "field /names: at least 1 / [\"a\",\"b\"]\n"},
      {"  fields: {/names: {contains: b}}\n", ""},
      {"  fields: {/names: {contains: c}}\n", "field /names: with \"c\" / [\"a\",\"b\"]\n"},
      {"  fields: {/names: [a, b]}\n", ""},
      {"  fields: {/names: {equals: [b, a]}}\n", "field /names: [\"b\",\"a\"] / [\"a\",\"b\"]\n"},
      {"  fields: {/none: null}\n", ""},
      {"  fields: {/missing: {absent: true}}\n", ""},
      {"  fields: {/none: {absent: true}}\n", "field /none: absent / null\n"},
      {"  fields: {/missing: 1}\n", "field /missing: 1 / absent\n"},
      {"  fields: {/rows/1/size: 2}\n", ""},
      {"  fields: {/rows/size=2/name: two/three}\n", ""},
      {"  fields: {/rows/name=two~1three/size: 2}\n", ""},
      {"  fields: {/rows/name=four/size: 2}\n", "field /rows/name=four/size: 2 / absent\n"},
      {"  fields: {/a~1b/~0: true}\n", ""},
      {"  fields: {/counts: 7}\n", "field /counts: 7 / absent; the answer has /count\n"},
      {"  fields: {/wherever/count: 7}\n", "field /wherever/count: 7 / absent; the answer has /count\n"},
      {"  fields: {/size: 2}\n", "field /size: 2 / absent; the answer has /rows/name=one/size\n"},
      {"  fields: {/rows/name=ona/size: 2}\n",
       "field /rows/name=ona/size: 2 / absent; the answer has /rows/name=one/size\n"},
  };
  for (const Case& test : cases) {
    INFO(test.expectations);
    CHECK(mismatches(test.expectations, answered()) == test.mismatches);
  }
}

TEST_CASE("what is no answer") {
  Answer answer;
  answer.exit = 2;
  answer.errors = "error: the input has no nodes\n  hint: name a cluster\n";
  CHECK(mismatches("  exit: 2\n  message: the input has no nodes\n", answer).empty());
  CHECK(mismatches("  verdict: gated\n", answer) ==
        "exit: an answer, exit code 0 or 1 / 2: the input has no nodes; name a cluster\n"
        "verdict: gated / this answer has no verdict\n");
  answer.broken = "ended by signal 11";
  CHECK(mismatches("  exit: 2\n", answer) == "run: an answer / ended by signal 11\n");
}

TEST_CASE("numbers of any size") {
  struct Case {
    std::string a, b;
    int order;
  };
  for (const Case& test : std::vector<Case>{{"1", "1.0", 0},
                                            {"-0", "0", 0},
                                            {"0.1", "1e-1", 0},
                                            {"100", "1E+2", 0},
                                            {"-2", "-1", -1},
                                            {"-2", "1", -1},
                                            {"0.09", "0.1", -1},
                                            {"12", "9", 1},
                                            {"1e999999999999999999999", "9", 1},
                                            {"1e-999999999999999999999", "0", 1},
                                            {"9007199254740993", "9007199254740992", 1}}) {
    INFO(test.a << " " << test.b);
    CHECK(compare_numbers(test.a, test.b) == test.order);
    CHECK(compare_numbers(test.b, test.a) == -test.order);
  }
}

TEST_CASE("a difference reads like diff -u") {
  const std::string before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n";
  std::string after = before;
  after.replace(after.find("3\n"), 2, "three\n");
  after.erase(after.find("13\n"), 3);
  CHECK(unified_diff(before, after, "a", "b") ==
        "--- a\n+++ b\n@@ -1,6 +1,6 @@\n 1\n 2\n-3\n+three\n 4\n 5\n 6\n@@ -10,5 +10,4 @@\n 10\n 11\n 12\n-13\n 14\n");
  CHECK(unified_diff("", "x\n", "a", "b") == "--- a\n+++ b\n@@ -0,0 +1 @@\n+x\n");
  CHECK(unified_diff("x", "x\n", "a", "b") == "--- a\n+++ b\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n");
  CHECK(unified_diff(before, before, "a", "b").empty());
}

TEST_CASE("a difference of everything is short") {
  std::string before;
  std::string after;
  for (int i = 0; i < 3'000; ++i) {
    before += fmt::format("a{}\n", i);
    after += fmt::format("b{}\n", i);
  }
  const std::string diff = unified_diff(before, after, "a", "b");
  CHECK(std::ranges::count(diff, '\n') == 203);
  CHECK(diff.ends_with("\n... and 5801 more lines\n"));
}

TEST_CASE("one value is replaced in place") {
  const std::string text =
      "# what we expect\nquestions:\n- name: q # the first\n  command: x\n  exit: 1   # no\n  verdict: 'gated'\n  "
      "fields: "
      "{/a: old text, /b: [1, 2], /c: \"x\"} # three\n  output: |\n    line one\n\n    line two\n  # the end\n";
  const Suite suite = [&] {
    Result<Suite> read = read_suite(document(text));
    REQUIRE(read);
    return std::move(*read);
  }();
  const Question& q = suite.questions[0];
  struct Case {
    io::Value place;
    std::string json, from, to;
  };
  const std::vector<Case> cases = {
      {*q.exit, "0", "exit: 1 ", "exit: 0 "},
      {*q.verdict, "\"unschedulable\"", "'gated'", "unschedulable"},
      {q.fields[0].rules[0].value, "\"new: # text\"", "old text", "\"new: # text\""},
      {q.fields[0].rules[0].value, "\"new\"", "old text", "new"},
      {q.fields[1].rules[0].value, "[3,[4]]", "[1, 2]", "[3,[4]]"},
      {q.fields[2].rules[0].value, "\"true\"", "\"x\"", "\"true\""},
      {*q.output, "\"one\\ntwo\\n\"", "    line one\n\n    line two\n", "    one\n    two\n"},
      {*q.output, "\"no end\"", "|\n    line one\n\n    line two\n", "\"no end\"\n"},
  };
  for (const Case& test : cases) {
    INFO(test.json);
    std::string expected = text;
    expected.replace(expected.find(test.from), test.from.size(), test.to);
    const std::vector<ValueEdit> edit = {{test.place, test.json}};
    CHECK(replace_values(suite.document, edit).document.text() == expected);
  }
}

TEST_CASE("many values are replaced at once, and one that cannot be leaves the others") {
  const Suite suite = suite_of(
      "  fields:\n    /a: 1  # one\n    /b: \"x \\\" y\" # two\n    /c: 'it''s'\n    /d: [1, {k: \"]\"}, [2]] # four\n"
      "    /e:\n    - 1\n    /f: plain, with a comma\n");
  std::vector<ValueEdit> edits;
  for (const FieldExpectation& field : suite.questions[0].fields) {
    edits.push_back({field.rules[0].value, R"("needs: quotes")"});
  }
  edits.push_back({suite.questions[0].fields[0].rules[0].value, R"("needs: quotes")"});
  edits.push_back({suite.questions[0].fields[0].rules[0].value, "8"});
  const EditedDocument edited = replace_values(suite.document, edits);
  CHECK(edited.made == std::vector<bool>{true, true, true, true, false, true, true, false});
  CHECK(edited.document.text().substr(edited.document.text().find("/a")) ==
        "/a: \"needs: quotes\"  # one\n    /b: \"needs: quotes\" # two\n    /c: \"needs: quotes\"\n"
        "    /d: \"needs: quotes\" # four\n    /e:\n    - 1\n    /f: \"needs: quotes\"\n");
}

TEST_CASE("a golden file that is missing or cannot be read is a mismatch, whatever the output") {
  Answer answer = answered();
  answer.output = "";
  CHECK(mismatches("  golden: g\n", answer) == "golden: g / no such file (check --update writes it)\n");
  answer.golden = "";
  CHECK(mismatches("  golden: g\n", answer).empty());
  answer.golden_error = "no regular file";
  CHECK(mismatches("  golden: g\n", answer) == "golden: g / no regular file\n");
  CHECK_FALSE(judge(suite_of("  golden: g\n").questions[0], answer).mismatches[0].replacement);
}

TEST_CASE("a value in block style is left to people") {
  const Suite suite = suite_of("  fields:\n    /a:\n      - 1\n      - 2\n");
  const std::vector<ValueEdit> edit = {{suite.questions[0].fields[0].rules[0].value, "[3]"}};
  CHECK_FALSE(replace_values(suite.document, edit).made[0]);
}

TEST_CASE("what got worse") {
  const auto baseline = [](const std::string& passed, const std::string& value) {
    return read_baseline(document(
        R"({"apiVersion": "gpusched/v1alpha1", "kind": "CheckReport", "questions": [{"suite": "./a/../s.yaml", "name": "q",
            "passed": )" +
        passed + R"(, "thresholds": [{"pointer": "/count", "relation": "atLeast", "limit": 1, "value": )" + value +
        "}]}]}"));
  };
  const auto worse = [&](const std::string& expectations, const std::string& passed, const std::string& value) {
    const Suite suite = suite_of(expectations);
    const Result<Baseline> earlier = baseline(passed, value);
    REQUIRE(earlier);
    return got_worse(judge(suite.questions[0], answered()), &earlier->at({"s.yaml", "q"}));
  };
  using Texts = std::vector<std::string>;
  CHECK(worse("  exit: 0\n", "true", "1") == Texts{"passed in the baseline"});
  CHECK(worse("  exit: 0\n", "false", "1") == Texts{});
  CHECK(worse("  fields: {/count: {atLeast: 1}}\n", "true", "8") == Texts{"/count was 8, is 7"});
  CHECK(worse("  fields: {/count: {atLeast: 1}}\n", "true", "6") == Texts{});
  CHECK(worse("  fields: {/count: {atMost: 9}}\n", "true", "6") == Texts{});  // another threshold then
  CHECK(worse("  fields: {/count: {atLeast: 9}}\n", "false", "8") == Texts{"/count was 8, is 7"});
  const Suite suite = suite_of("  exit: 0\n");
  CHECK(got_worse(judge(suite.questions[0], answered()), nullptr) == Texts{"is new, and fails"});
}

TEST_CASE("a baseline that is none") {
  const Result<Baseline> read =
      read_baseline(document(R"({"apiVersion": "gpusched/v1alpha1", "kind": "GangReport", "questions": []})"));
  REQUIRE_FALSE(read);
  CHECK(read.error().front().pointer == "/kind");
}

}  // namespace gpusched::check
