#include <catch2/catch.hpp>

#include <string>

#include "support/cel_device.hpp"

namespace gpusched::cel {
namespace {

using test::compile_error;

const std::string kFailed = "compilation failed: ERROR: <input>:";

TEST_CASE("cel-syntax-errors-tell-line-and-column") {
  CHECK(compile_error("1 +") ==
        kFailed +
            "1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', "
            "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}");
  CHECK(compile_error("true &&\n  )").starts_with(kFailed + "2:3: Syntax error: mismatched input ')' expecting {"));
  CHECK(compile_error("").starts_with(kFailed + "1:0: Syntax error: mismatched input '<EOF>'"));
  CHECK(compile_error("'a").starts_with(kFailed + "1:1: Syntax error: token recognition error at: ''a'"));
}

TEST_CASE("cel-syntax-errors-come-with-the-line-and-a-caret") {
  const auto program = compile("device.driver === 'a'");
  REQUIRE_FALSE(program);
  CHECK(program.error().kind == CompileErrorKind::kSyntax);
  CHECK(program.error().text.find("\n | device.driver === 'a'\n | ................^") != std::string::npos);
}

TEST_CASE("cel-unknown-names-are-undeclared") {
  CHECK(compile_error("devise.driver == 'a'") == kFailed + "1:1: undeclared reference to 'devise' (in container '')");
  CHECK(compile_error("device.name == 'a'") == kFailed + "1:7: undefined field 'name'");
  CHECK(compile_error("fly(1)") == kFailed + "1:4: undeclared reference to 'fly' (in container '')");
}

TEST_CASE("cel-reserved-words-are-no-names") {
  CHECK(compile_error("for == 1") == kFailed + "1:1: reserved identifier: for");
}

TEST_CASE("cel-types-must-fit-an-overload") {
  CHECK(compile_error("device.driver == 1") ==
        kFailed + "1:15: found no matching overload for '_==_' applied to '(string, int)'");
  CHECK(compile_error("[1, 'a'].size() == 2") == kFailed + "1:5: expected type 'int' but found 'string'");
}

TEST_CASE("cel-literals-are-checked-when-they-are-compiled") {
  CHECK(compile_error("duration('1x') == duration('1h')") == kFailed + "1:10: invalid duration argument");
  CHECK(compile_error("device.driver.matches('[')") == kFailed + "1:23: invalid matches argument");
  CHECK(compile_error("9223372036854775808 > 0") == kFailed + "1:1: invalid int literal");
}

TEST_CASE("cel-a-selector-is-bool-or-unknown-until-it-runs") {
  const auto program = compile("device.driver");
  REQUIRE_FALSE(program);
  CHECK(program.error().kind == CompileErrorKind::kOutputType);
  CHECK(program.error().text == "must evaluate to bool or the unknown type, not string");
  CHECK(compile("device.attributes['a'].b")->output_type() == "dyn");
}

TEST_CASE("cel-macros-want-simple-names") {
  CHECK(compile_error("[1].all(x.y, true)") == kFailed + "1:10: argument must be a simple name");
  CHECK(compile_error("has(device)") == kFailed + "1:5: invalid argument to has() macro");
}

TEST_CASE("cel-depth-and-size-of-an-expression-are-limited") {
  CHECK(compile_error(std::string(300, '(') + "true" + std::string(300, ')')) ==
        kFailed + "-1:0: expression recursion limit exceeded: 250");
  CHECK(compile_error(std::string(100'001, ' ')) ==
        kFailed + "-1:0: expression code point size exceeds limit: size: 100001, limit 100000");
}

TEST_CASE("cel-admission-tells-the-verdict") {
  CHECK(admit("device.driver == 'a'").verdict == Verdict::kOk);
  CHECK(admit("device.driver == 'a'").max_cost);
  CHECK(admit(std::string(10'241, ' ')).error == "Too long: may not be more than 10240 bytes");
  CHECK(admit("1").verdict == Verdict::kInvalid);
  const Admission complex =
      admit("device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, a + b + c != '')))");
  CHECK(complex.verdict == Verdict::kTooComplex);
  CHECK(complex.error == "Forbidden: too complex, exceeds cost limit");
}

TEST_CASE("cel-new-expressions-try-lists-before-strings") {
  constexpr std::uint64_t kUnbounded = 18446744073709551615U;
  const std::string open_type = "dyn(null).value()";  // the first overload that fits decides what it is
  for (const std::string name : {"indexOf", "lastIndexOf"}) {
    const std::string expression = open_type + "." + name + "(dyn(1)) == 3";
    CHECK(compile(expression)->max_cost() == 1844674407370955268U);
    CHECK(admit(expression).max_cost == kUnbounded);
    CHECK(admit(open_type + "." + name + "(dyn(1), dyn(2)) == 3").max_cost == 1844674407370955269U);
  }
}

TEST_CASE("cel-new-expressions-know-only-what-the-features-allow") {
  const std::string expression = "device.allowMultipleAllocations";
  CHECK(admit(expression).verdict == Verdict::kOk);
  CHECK(admit(expression, {.consumable_capacity = false}).verdict == Verdict::kInvalid);
  CHECK(admit("[1].includes(1)").verdict == Verdict::kInvalid);
  CHECK(admit("[1].includes(1)", {.list_type_attributes = true}).verdict == Verdict::kOk);
  CHECK(compile("[1].includes(1)"));
}

}  // namespace
}  // namespace gpusched::cel
