#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <string>
#include <vector>

#include "gpusched/check/suite.hpp"

namespace gpusched::check {
namespace {

io::Document document(const std::string& text) {
  auto documents = io::parse_documents({"suite.yaml", text});
  REQUIRE(documents);
  return documents->front();
}

/// "line pointer (object): message", a line for each.
std::string errors_of(const std::string& text) {
  const Result<Suite> suite = read_suite(document(text));
  std::string all;
  for (const Diagnostic& error : suite ? Diagnostics() : suite.error()) {
    all += fmt::format("{} {} ({}): {}\n", error.line, error.pointer, error.object, error.message);
  }
  return all;
}

}  // namespace

TEST_CASE("a suite with everything") {
  const Result<Suite> suite = read_suite(document(R"(
pins: {kubernetes: 1.30, kueue: "0.17", features: {DRAPartitionableDevices: false}, documents: gpusched/v1alpha1}
questions:
- name: first
  command: gpusched place cluster.json 'my pods.json' --fill "a b"
  exit: 1
  message: {contains: Insufficient}
  fields:
    /unplaced: 1
    /a: {atLeast: 2, below: 5}
    /gone: {absent: true}
- name: second
  command: [frag, c.json]
  input: stdin.json
  verdict: gated
  output: |
    text
)"));
  REQUIRE(suite);
  CHECK(suite->pins.kubernetes == "1.30");
  CHECK(suite->pins.features == std::vector<std::string>{"DRAPartitionableDevices=false"});
  CHECK(suite->pins.documents);
  REQUIRE(suite->questions.size() == 2);
  const Question& first = suite->questions[0];
  CHECK(first.line == 4);
  CHECK(first.command == std::vector<std::string>{"place", "cluster.json", "my pods.json", "--fill", "a b"});
  CHECK(first.message_contains->text() == "Insufficient");
  REQUIRE(first.fields.size() == 3);
  CHECK(first.fields[1].rules.size() == 2);
  CHECK(first.fields[1].rules[1].relation == Relation::kBelow);
  CHECK(suite->questions[1].output->text() == "text\n");
  CHECK(suite->questions[1].input == "stdin.json");
}

TEST_CASE("mistakes of a suite name file, question, place and what is allowed") {
  struct Case {
    std::string name, text, errors;
  };
  const std::vector<Case> cases = {
      {"no-questions", "pins: {}\n", "1  (): the suite has no \"questions\"\n"},
      {"empty", "questions: []\n", "1 /questions (): the suite has no question\n"},
      {"two-of-a-name", "questions:\n- {name: a, command: x, exit: 0}\n- {name: a, command: x, exit: 0}\n",
       "3 /questions/1/name (question a): there is a question \"a\" already, in line 2\n"},
      {"nothing-expected", "questions:\n- {name: a, command: frag x}\n",
       "2 /questions/0 (question a): the question expects nothing\n"},
      {"pipe", "questions:\n- {name: a, command: frag x | head, exit: 0}\n",
       "2 /questions/0/command (question a): \"frag x | head\" is no command: there is no shell that could make "
       "something of '|'\n"},
      {"open-quote", "questions:\n- {name: a, command: \"frag 'x\", exit: 0}\n",
       "2 /questions/0/command (question a): \"frag 'x\" is no command: a quote ' is never closed\n"},
      {"exit-code", "questions:\n- {name: a, command: x, exit: 256}\n",
       "2 /questions/0/exit (question a): \"exit\": expected a whole number from 0 to 255, found 256\n"},
      {"pointer", "questions:\n- {name: a, command: x, fields: {unplaced: 1}}\n",
       "2 /questions/0/fields/unplaced (question a): \"unplaced\" is no JSON pointer: it starts with /\n"},
      {"threshold", "questions:\n- {name: a, command: x, fields: {/a: {atLeast: [1]}}}\n",
       "2 /questions/0/fields/~1a/atLeast (question a): a threshold is a number, or a quantity as text\n"},
      {"version", "pins: {kubernetes: latest}\nquestions: [{name: a, command: x, exit: 0}]\n",
       "1 /pins/kubernetes (): a version such as 1.37 or 1.36.2, not \"latest\"\n"},
      {"golden-leaves", "questions:\n- {name: a, command: x, golden: a/../../b}\n",
       "2 /questions/0/golden (question a): \"a/../../b\" is no file in the suite's folder\n"},
      {"golden-absolute", "questions:\n- {name: a, command: x, golden: /dev/zero}\n",
       "2 /questions/0/golden (question a): \"/dev/zero\" is no file in the suite's folder\n"},
      {"two-outputs", "questions:\n- {name: a, command: x, golden: g, output: o}\n",
       "2 /questions/0/output (question a): the whole output is expected twice: `golden` and `output`\n"},
  };
  for (const Case& test : cases) {
    INFO(test.name);
    CHECK(errors_of(test.text) == test.errors);
  }
}

TEST_CASE("an error about a question has its place") {
  const Result<Suite> suite = read_suite(document("questions:\n- name: a\n  exit: 0\n  command: check b.yaml\n"));
  REQUIRE(suite);
  const Diagnostic error = question_error(*suite, suite->questions[0], "command", "code", "text");
  CHECK(error.line == 4);
  CHECK(error.column == 12);
  CHECK(error.pointer == "/questions/0/command");
  CHECK(error.object == "question a");
}

TEST_CASE("words of a command line") {
  struct Case {
    std::string line;
    std::vector<std::string> words;
  };
  const std::vector<Case> cases = {
      {"  a\tb\n c ", {"a", "b", "c"}},
      {R"(a 'b "c' "d 'e" f\ g)", {"a", "b \"c", "d 'e", "f g"}},
      {R"("a\"b\\c\d")", {"a\"b\\c\\d"}},
      {"'' a\"\"b", {"", "ab"}},
      {"a\\\nb", {"ab"}},
      {"--max-stranded 8=50% -o=json", {"--max-stranded", "8=50%", "-o=json"}},
  };
  std::string why;
  for (const Case& test : cases) {
    INFO(test.line);
    CHECK(split_words(test.line, why) == test.words);
  }
  for (const std::string line : {"a > b", "a; b", "a && b", "$HOME", "`a`", "a < b", "\"a", "a\\"}) {
    INFO(line);
    CHECK_FALSE(split_words(line, why));
    CHECK_FALSE(why.empty());
  }
}

}  // namespace gpusched::check
