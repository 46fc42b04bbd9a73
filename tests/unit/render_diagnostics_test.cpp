#include <catch2/catch.hpp>

#include <string>

#include "gpusched/render/render.hpp"

namespace gpusched::render {

TEST_CASE("a diagnostic says what is known and no more") {
  Diagnostic diagnostic;
  diagnostic.message = "what happened";
  CHECK(diagnostic_text(diagnostic, false) == "error: what happened\n");
  diagnostic.source = "pods.json";
  CHECK(diagnostic_text(diagnostic, false) == "error: pods.json: what happened\n");
  diagnostic.line = 12;
  diagnostic.column = 5;
  CHECK(diagnostic_text(diagnostic, false) == "error: pods.json:12:5: what happened\n");
  diagnostic.pointer = "/pods/3";
  diagnostic.object = "pod train-8";
  diagnostic.hint = "do this";
  CHECK(diagnostic_text(diagnostic, false) ==
        "error: pods.json:12:5 /pods/3 (pod train-8): what happened\n  hint: do this\n");
  diagnostic.severity = Severity::kWarning;
  CHECK(diagnostic_text(diagnostic, true) ==
        "\x1b[1;33mwarning:\x1b[0m pods.json:12:5 /pods/3 (pod train-8): what happened\n  hint: do this\n");
}

TEST_CASE("nothing of an input steers the terminal") {
  Diagnostic diagnostic;
  diagnostic.message = "found \x1b[2J";
  diagnostic.source = "a\nb";
  diagnostic.object = "pod \xe2\x80\xae";
  diagnostic.hint = "\xff";
  CHECK(diagnostic_text(diagnostic, false) == "error: a\\nb (pod \\u202e): found \\x1b[2J\n  hint: \\xff\n");
}

TEST_CASE("no value of an input fills the screen") {
  Diagnostic diagnostic;
  diagnostic.message = std::string(10'000, 'm');
  diagnostic.pointer = '/' + std::string(10'000, 'p');
  CHECK(diagnostic_text(diagnostic, false) ==
        "error: /" + std::string(199, 'p') + "…: " + std::string(4'000, 'm') + "…\n");
}

TEST_CASE("as JSON it is one line with every member") {
  Diagnostic diagnostic;
  diagnostic.severity = Severity::kNote;
  diagnostic.code = "some-code";
  diagnostic.message = "two\nlines";
  diagnostic.line = 3;
  CHECK(
      diagnostic_json(diagnostic) ==
      R"({"severity":"note","code":"some-code","message":"two\nlines","source":"","line":3,"column":0,"pointer":"","object":"","hint":""})"
      "\n");
}

}  // namespace gpusched::render
