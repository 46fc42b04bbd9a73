#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/io/document.hpp"

using namespace gpusched;
using namespace gpusched::io;

namespace {

Result<std::vector<Document>> parse(std::string text) {
  return parse_documents({"f.yaml", std::move(text)});
}

std::string first_error(std::string text) {
  const auto documents = parse(std::move(text));
  if (documents) return "no error";
  const Diagnostic& d = documents.error().front();
  return std::to_string(d.line) + ":" + std::to_string(d.column) + " " + d.code + ": " + d.message;
}

/// The tree as JSON text without blanks.
std::string show(const Value& value) {
  std::string out;
  switch (value.kind()) {
    case Kind::kNull:
      return "null";
    case Kind::kFalse:
      return "false";
    case Kind::kTrue:
      return "true";
    case Kind::kNumber:
      return std::string(value.text());
    case Kind::kString:
      return '"' + std::string(value.text()) + '"';
    case Kind::kArray:
      for (const Value& item : value.items()) out += (out.empty() ? "" : ",") + show(item);
      return "[" + out + "]";
    case Kind::kObject:
      for (const Member& member : value.members()) {
        out += (out.empty() ? "" : ",") + std::string(member.key()) + ":" + show(member.value);
      }
      return "{" + out + "}";
  }
  return out;
}

std::string show(std::string text) {
  const auto documents = parse(std::move(text));
  if (!documents) return documents.error().front().message;
  std::string out;
  for (const Document& document : *documents) out += (out.empty() ? "" : " ") + show(document.root);
  return out;
}

struct Case {
  const char* name;
  std::string text;
  const char* expected;
};

}  // namespace

TEST_CASE("plain YAML scalars mean what they mean to Kubernetes", "[io][yaml]") {
  const std::vector<Case> cases = {
      {"booleans", "[true, True, yes, on, y, false, No, OFF, n]", "[true,true,true,true,true,false,false,false,false]"},
      {"other-cases-are-strings", "[tRUE, yES, oN]", R"(["tRUE","yES","oN"])"},
      {"nulls", "[~, null, NULL, ]", "[null,null,null]"},
      {"quoted-are-strings", R"(["yes", '1', "null", ""])", R"(["yes","1","null",""])"},
      {"integers", "[0, -5, +5, 1_000, 12345678901234567890123]", "[0,-5,5,1000,12345678901234567890123]"},
      {"other-bases", "[0x1F, -0x1f, 0o17, 017, 0b101]", "[31,-31,15,15,5]"},
      {"not-octal-is-a-float", "[089, 08]", "[89,8]"},
      {"floats", "[1.50, .5, 5., -.5e3, 1e3, +1.5]", "[1.50,0.5,5,-0.5e3,1e3,1.5]"},
      {"quantities-are-strings", "[80Gi, 500m, 1.5.2, 1-2, 0x, 12e, 1:30]",
       R"(["80Gi","500m","1.5.2","1-2","0x","12e","1:30"])"},
      {"dates-are-strings", "[2024-01-31, 2024-01-31T10:00:00Z]", R"(["2024-01-31","2024-01-31T10:00:00Z"])"},
      {"tags", "[!!str 5, !!int \"7\", !!float 2, !!bool \"true\", !!null ~]", R"(["5",7,2,true,null])"},
      {"block-scalars", "a: |\n  x\n  y\nb: >-\n  z\n  w\n", "{a:\"x\ny\n\",b:\"z w\"}"},
      {"escapes", "a: \"\\x41\\u00e9\\N\\_\\t\"\n", "{a:\"Aé\xC2\x85\xC2\xA0\t\"}"},
      {"keys", "1: a\nyes: b\n0x10: c\n2.5: d", R"({1:"a",true:"b",16:"c",2.5:"d"})"},
      {"comment", "a: b #c: d\n# e\n", R"({a:"b"})"},
      {"windows-lines", "a: 1\r\nb:\r\n  - x\r\n", R"({a:1,b:["x"]})"},
  };
  for (const Case& c : cases) {
    const std::string text = c.text[0] == '[' ? "# YAML\n" + c.text : c.text;
    DYNAMIC_SECTION(c.name) {
      CHECK(show(text) == c.expected);
    }
  }
}

TEST_CASE("YAML documents, anchors and merge keys", "[io][yaml]") {
  const std::vector<Case> cases = {
      {"documents", "---\na: 1\n---\n# nothing\n---\nb: 2\n...\n", "{a:1} {b:2}"},
      {"directive", "%YAML 1.2\n---\na: 1\n", "{a:1}"},
      {"document-behind-an-end-mark", "a: 1\n...\n# c\nb: 2\n", "{a:1} {b:2}"},
      {"alias", "a: &x {b: 1}\nc: *x\nd: [*x, *x]\n", "{a:{b:1},c:{b:1},d:[{b:1},{b:1}]}"},
      {"alias-of-a-scalar-as-key", "a: &x k\n*x : 1\n", "{a:\"k\",k:1}"},
      {"anchors-end-with-their-document", "a: &x 1\n---\nb: &x 2\nc: *x\n", "{a:1} {b:2,c:2}"},
      {"merge", "a: &x {p: 1, q: 2}\nb:\n  <<: *x\n  q: 3\n", "{a:{p:1,q:2},b:{q:3,p:1}}"},
      {"own-key-before-merge-wins", "b:\n  q: 3\n  <<: {q: 2}\n", "{b:{q:3}}"},
      {"merge-list", "<<: [{a: 1}, {a: 2, b: 3}]\nc: 4\n", "{c:4,a:1,b:3}"},
      {"quoted-merge-key-is-a-key", "'<<': 1\n", "{<<:1}"},
      {"json-in-yaml", "# c\n{\"a\": [1, \"x\\u00e9\"]}\n", "{a:[1,\"xé\"]}"},
      {"set-notation", "? a\n? b\n", "{a:null,b:null}"},
      {"byte-order-mark",
       "\xEF\xBB\xBF"
       "a: 1\n",
       "{a:1}"},
  };
  for (const Case& c : cases) {
    DYNAMIC_SECTION(c.name) {
      CHECK(show(c.text) == c.expected);
    }
  }
}

TEST_CASE("a YAML error says what is wrong and where", "[io][yaml]") {
  const std::vector<Case> cases = {
      {"tab", "a:\n\tb: 1\n", "2:1 yaml-tab: a tab is not allowed in the indentation of YAML"},
      {"tab-behind-spaces", "a:\n  \tb: 1\n", "2:3 yaml-tab: a tab is not allowed in the indentation of YAML"},
      {"second-colon", "a: b: c\n", "1:5 yaml-syntax: a second ':' on one line is not allowed here"},
      {"missing-colon", "a: 1\nsome words\n", "2:1 yaml-syntax: expected ':' after the key \"some words\""},
      {"wrong-indentation", "a:\n  - 1\n - 2\n",
       "3:2 yaml-syntax: expected a 'key: value' line of the object above, found '-'"},
      {"open-list", "a: [1, 2",
       "1:9 yaml-syntax: expected ',' or ']' in a list in brackets, found the end of the text"},
      {"open-object", "a: {b: 1",
       "1:9 yaml-syntax: expected ',' or '}' in an object in braces, found the end of the text"},
      {"open-string", "a: \"x", "1:6 yaml-syntax: a quoted string is never closed"},
      {"open-string-at-a-line-break", "a: \"x\\\"\nb: 1\n",
       "1:4 cut-off: the quoted string that starts here is never closed"},
      {"open-single-quotes", "a: !!str 'x''\n", "1:10 cut-off: the quoted string that starts here is never closed"},
      {"open-lists", "a: [[[1\n", "1:5 cut-off: the bracket '[' that stands here is never closed"},
      {"reserved-character", "a: @x\n", "1:4 yaml-syntax: '@x' cannot start a value"},
      {"unknown-alias", "a: *nope\n", "1:4 yaml-syntax: the alias '*nope' has no anchor before it"},
      {"alias-inside-its-anchor", "a: &x [*x]\n", "1:8 alias-loop: the alias 'x' stands inside its own anchor"},
      {"unknown-escape", "a: \"\\q\"\n", "1:7 yaml-syntax: an unknown escape stands in a string in double quotes"},
      {"unknown-tag", "a: !Ref x\n", "1:4 yaml-tag: the tag \"!Ref\" is not known"},
      {"tag-that-does-not-fit", "a: !!int x\n", "1:4 yaml-tag: \"x\" does not fit its tag \"!!int\""},
      {"infinity", "a: .inf\n", "1:4 not-a-number: \".inf\" cannot be used: a number must be finite"},
      {"object-as-key", "? {a: 1}\n: 2\n", "1:3 yaml-key: an object cannot be a key"},
      {"null-as-key", "null: 1\n", "1:1 yaml-key: null cannot be a key"},
      {"template", "a: {{ .x }}\n", "1:5 yaml-key: an object cannot be a key"},
      {"merge-of-a-number", "<<: 3\n",
       "1:5 yaml-merge: '<<' merges an object or a list of objects, found the number 3"},
      {"duplicate-key", "a: 1\nb:\n  c: 1\n  c: 2\n",
       "4:3 duplicate-key: the key \"c\" stands twice in one object: first on line 3, again on line 4"},
      {"control-character", "a: x\x04y\n", "1:5 control-character: the control character '\\x04' is not allowed"},
      {"nul-byte", std::string("a: x\0", 5), "1:5 control-character: the control character '\\x00' is not allowed"},
      {"invalid-utf8", "a: é\xff\n", "1:6 invalid-utf8: the byte 0xff is not valid UTF-8"},
      {"lone-scalar", "hello world\n",
       "1:1 not-a-document: expected an object or a list, found the string \"hello world\""},
      {"comments-only", "# nothing\n", "0:0 no-document: there is no document in this input"},
      {"stray-comma", ",", "1:1 yaml-syntax: expected '---' or the end of the text, found ','"},
      {"text-behind-a-document", "--- [a]\nb: 1\n",
       "2:1 yaml-syntax: expected '---' or the end of the text, found 'b'"},
      {"part-of-json", "\"a\": \"b\",\n\"c\": \"d\"\n",
       "1:1 json-syntax: this is a part of a JSON text: its braces are missing"},
  };
  for (const Case& c : cases) {
    DYNAMIC_SECTION(c.name) {
      CHECK(first_error(c.text) == c.expected);
    }
  }
}

TEST_CASE("hostile YAML is refused quickly", "[io][yaml]") {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int k = 0; k < 9; ++k) bomb += ", " + last;
    bomb += "]\n";
  }
  CHECK(first_error(bomb) == "6:45 alias-bomb: the aliases up to here stand for more than 1000000 values");

  std::string tower = "a0: &a0 [x]\n";
  for (int i = 1; i < 300; ++i) {
    tower += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  }
  CHECK(first_error(tower) == "256:14 too-deep: with this alias more than 256 objects and lists are nested");

  const std::string deep(100'000, '[');
  CHECK(first_error("a: " + deep + std::string(100'000, ']')) ==
        "1:259 too-deep: more than 256 objects and lists are nested here");
  std::string dashes;
  for (int i = 0; i < 100'000; ++i) dashes += "- ";
  CHECK(first_error(dashes + "x") == "1:513 too-deep: more than 256 objects and lists are nested here");
}

TEST_CASE("YAML values know their place", "[io][yaml]") {
  const auto documents = parse("é: [€, x]\nb:\n  - c: 1\n");
  REQUIRE(documents);
  const Document& document = documents->front();
  const auto place = [&document](std::uint32_t offset) { return position_of(document.text(), offset); };
  const auto members = document.root.members();
  CHECK(place(members[0].value.items()[1].offset()) == Position{1, 11});
  CHECK(place(members[1].key_offset) == Position{2, 1});
  CHECK(place(members[1].value.items()[0].members()[0].value.offset()) == Position{3, 8});
}
