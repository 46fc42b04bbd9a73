// YAML output, read back with our own reader, whose scalars mean what they mean to Kubernetes.
#include <catch2/catch.hpp>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gpusched/io/document.hpp"
#include "gpusched/render/render.hpp"

namespace gpusched::render {
namespace {

using Json = nlohmann::ordered_json;

std::string yaml(Json json) {
  return render({std::make_shared<const Json>(std::move(json))}, Format::kYaml);
}

Json json_of(const io::Value& value) {
  switch (value.kind()) {
    case io::Kind::kNull:
      return nullptr;
    case io::Kind::kFalse:
    case io::Kind::kTrue:
      return value.as_bool();
    case io::Kind::kNumber:
      return Json::parse(value.text());
    case io::Kind::kString:
      return value.text();
    case io::Kind::kArray: {
      Json list = Json::array();
      for (const io::Value& item : value.items()) list.push_back(json_of(item));
      return list;
    }
    case io::Kind::kObject: {
      Json object = Json::object();
      for (const io::Member& member : value.members()) object[std::string(member.key())] = json_of(member.value);
      return object;
    }
  }
  return {};
}

Json read_back(const std::string& text) {
  const auto documents = io::parse_documents({"test.yaml", text});
  REQUIRE(documents);
  REQUIRE(documents->size() == 1);
  return json_of(documents->front().root);
}

}  // namespace

TEST_CASE("strings that look like something else are quoted") {
  struct Case {
    std::string value, written;
  };
  const std::vector<Case> cases = {
      {"dgx-a", "dgx-a"},
      {"resource.k8s.io/v1", "resource.k8s.io/v1"},
      {"A100_80GB", "A100_80GB"},
      {"", R"("")"},
      {"true", R"("true")"},
      {"False", R"("False")"},
      {"yes", R"("yes")"},
      {"NO", R"("NO")"},
      {"on", R"("on")"},
      {"Off", R"("Off")"},
      {"y", R"("y")"},
      {"N", R"("N")"},
      {"null", R"("null")"},
      {"Null", R"("Null")"},
      {"~", R"("~")"},
      {"1", R"("1")"},
      {"1e3", R"("1e3")"},
      {"0x10", R"("0x10")"},
      {"1_000", R"("1_000")"},
      {"12:30:45", R"("12:30:45")"},
      {"2026-11-29", R"("2026-11-29")"},
      {".5", R"(".5")"},
      {".nan", R"(".nan")"},
      {"-.inf", R"("-.inf")"},
      {"-", R"("-")"},
      {"---", R"("---")"},
      {"- a", R"("- a")"},
      {"a: b", R"("a: b")"},
      {"a #b", R"("a #b")"},
      {"#a", R"("#a")"},
      {"<<", R"("<<")"},
      {"=", R"("=")"},
      {"*a", R"("*a")"},
      {"&a", R"("&a")"},
      {"!a", R"("!a")"},
      {"%a", R"("%a")"},
      {"@a", R"("@a")"},
      {"`a", R"("`a")"},
      {"[a]", R"("[a]")"},
      {"{a}", R"("{a}")"},
      {"'a'", R"("'a'")"},
      {"say \"a\"", R"("say \"a\"")"},
      {"back\\slash", R"("back\\slash")"},
      {" a", R"(" a")"},
      {"a ", R"("a ")"},
      {"a\nb", R"("a\nb")"},
      {"a\tb", R"("a\tb")"},
      {"\x1b[31m", R"("\u001b[31m")"},
      {"\x7f", R"("\x7f")"},
      {"\u0085", R"("\u0085")"},
      {"\u00a0", "\"\u00a0\""},
      {"\u2028\u2029", R"("\u2028\u2029")"},
      {"\ufeff", R"("\ufeff")"},
      {"\ufffe\uffff", R"("\ufffe\uffff")"},
      {"\U0001f600", "\"\U0001f600\""},
  };
  for (const Case& test : cases) {
    INFO(test.value);
    const std::string text = yaml({{"value", test.value}});
    CHECK(text == "value: " + test.written + "\n");
    CHECK(read_back(text) == Json{{"value", test.value}});
    const std::string as_key = yaml(Json::object({{test.value, 1}}));
    CHECK(as_key == test.written + ": 1\n");
    CHECK(read_back(as_key) == Json::object({{test.value, 1}}));
  }
}

TEST_CASE("every string comes back, in any place") {
  const Json document = {
      {"ünïcode", "größe 训练"}, {"line\u2028separator", "\u0085\u2029\ufeff"}, {"list", {"no", "\u007f", "x\u200b"}}};
  CHECK(read_back(yaml(document)) == document);
}

TEST_CASE("nesting, empty collections and numbers") {
  const Json document = {
      {"numbers", {0, -1, 9007199254740993, 18446744073709551615U, 1.0, 0.5, 1e300}},
      {"flags", {true, false, nullptr}},
      {"empty", {{"list", Json::array()}, {"object", Json::object()}}},
      {"nested", {{{"a", {1, {{"b", 2}}}}}, Json::array({Json::array({1, 2}), Json::array(), Json::object()})}},
  };
  CHECK(yaml(document) ==
        "numbers:\n- 0\n- -1\n- 9007199254740993\n- 18446744073709551615\n- 1.0\n- 0.5\n- 1e+300\n"
        "flags:\n- true\n- false\n- null\n"
        "empty:\n  list: []\n  object: {}\n"
        "nested:\n- a:\n  - 1\n  - b: 2\n- - - 1\n    - 2\n  - []\n  - {}\n");
  CHECK(read_back(yaml(document)) == document);
}

}  // namespace gpusched::render
