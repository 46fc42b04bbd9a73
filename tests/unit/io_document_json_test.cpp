#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/io/document.hpp"

using namespace gpusched;
using namespace gpusched::io;

namespace {

Result<std::vector<Document>> parse(std::string text) {
  return parse_documents({"f.json", std::move(text)});
}

/// "line:column code: message" of the first error.
std::string first_error(std::string text) {
  const auto documents = parse(std::move(text));
  if (documents) return "no error";
  const Diagnostic& d = documents.error().front();
  return std::to_string(d.line) + ":" + std::to_string(d.column) + " " + d.code + ": " + d.message;
}

struct ErrorCase {
  const char* name;
  std::string text;
  const char* expected;
};

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

}  // namespace

TEST_CASE("a JSON syntax error says what was expected and found", "[io][json]") {
  const std::vector<ErrorCase> cases = {
      {"missing-comma", R"({"a":1 "b":2})", "1:8 json-syntax: expected ',' or '}' after a member, found '\"'"},
      {"missing-comma-in-list", "[1,\n 2 3]", "2:4 json-syntax: expected ',' or ']' after an item, found '3'"},
      {"trailing-comma", "{\"a\":1,\n}", "2:1 json-syntax: expected a key in double quotes after ',', found '}'"},
      {"trailing-comma-in-list", "[1,]", "1:4 json-syntax: expected a value after ',', found ']'"},
      {"missing-colon", R"({"a" 1})", "1:6 json-syntax: expected ':' after the key \"a\", found '1'"},
      {"colon-behind-a-value", R"({"a":"b":1})", "1:9 json-syntax: expected ',' or '}' after a member, found ':'"},
      {"missing-value", R"({"a":})", "1:6 json-syntax: expected a value, found '}'"},
      {"wrong-bracket", R"({"a":1])", "1:7 json-syntax: expected ',' or '}' after a member, found ']'"},
      {"template", R"({"a":{{ .x }}})", "1:7 json-syntax: expected a key in double quotes or '}', found '{'"},
      {"leading-zero", R"({"a":01})", "1:6 json-syntax: '01' is not a number of JSON"},
      {"no-digits-behind-the-point", "[1.]", "1:2 json-syntax: '1.' is not a number of JSON"},
      {"letters-in-a-number", "[1x]", "1:2 json-syntax: '1x' is not a number of JSON"},
      {"plus-sign", "[+1]", "1:2 json-syntax: expected a value, found '+1'"},
      {"python-literal", R"({"a":True})", "1:6 json-syntax: expected a value, found 'True'"},
      {"longer-literal", R"([truex])", "1:2 json-syntax: expected a value, found 'truex'"},
      {"nan", "[NaN]", "1:2 json-syntax: expected a value, found 'NaN'"},
      {"line-break-in-string", "[\"a\nb\"]", "1:2 json-syntax: the string \"a\" has no closing quote on its line"},
      {"control-character", "[\"a\x01\"]",
       "1:4 control-character: the control character '\\x01' stands inside a string"},
      {"unknown-escape", R"(["\q"])", R"(1:3 json-syntax: '\q' is not an escape of JSON)"},
      {"short-unicode-escape", R"(["\u12"])", R"(1:3 json-syntax: '\u12' is not an escape of JSON)"},
      {"nul-byte", std::string("[1,\0]", 5), "1:4 json-syntax: expected a value, found '\\x00'"},
      {"invalid-utf8", "[\"a\xff\"]", "1:4 invalid-utf8: the byte 0xff is not valid UTF-8"},
      {"cut-utf8", "{\"a\":\"\xc3\"}", "1:7 invalid-utf8: the byte 0xc3 is not valid UTF-8"},
      {"surrogate-in-utf8", "[\"\xed\xa0\x80\"]", "1:3 invalid-utf8: the byte 0xed is not valid UTF-8"},
      {"cut-in-a-string", R"({"a":"xyz)", "1:6 cut-off: the string \"xyz\" is never closed"},
      {"cut-in-a-list", "{\"a\":\n[1,2", "2:5 cut-off: the text ends inside the list that starts on line 2"},
      {"cut-in-an-object", R"({"a":)", "1:6 cut-off: the text ends inside the object that starts on line 1"},
      {"one-bracket-too-many", "{}}", "1:3 json-syntax: expected '{' or '[', found '}'"},
      {"garbage-at-the-end", "{} x", "1:4 json-syntax: expected '{' or '[', found 'x'"},
      {"comment", "{\"a\":1, // c\n\"b\":2}", "1:9 json-syntax: expected a key in double quotes after ',', found '/'"},
      {"second-document", "{\"a\":1}\n{\"b\":}", "2:6 json-syntax: expected a value, found '}'"},
      {"duplicate-key", "{\"a\":1,\n\"a\":2}",
       "2:1 duplicate-key: the key \"a\" stands twice in one object: first on line 1, again on line 2"},
      {"duplicate-key-by-escape", R"({"a":1,"\u0061":2})",
       "1:8 duplicate-key: the key \"a\" stands twice in one object"},
      {"too-deep", nested(257), "1:257 too-deep: more than 256 objects and lists are nested here"},
      {"hundred-thousand-deep", nested(100'000), "1:257 too-deep: more than 256 objects and lists are nested here"},
      {"hundred-thousand-open", std::string(100'000, '['),
       "1:257 too-deep: more than 256 objects and lists are nested here"},
  };
  for (const ErrorCase& c : cases) {
    DYNAMIC_SECTION(c.name) {
      CHECK(first_error(c.text) == c.expected);
    }
  }
}

TEST_CASE("a JSON error hints at the repair", "[io][json]") {
  const auto hint = [](std::string text) { return parse(std::move(text)).error().front().hint; };
  CHECK(hint(R"({"a":1,})") == "remove the comma before '}'");
  CHECK(hint(R"(["a" "b"])") == "a comma may be missing");
  CHECK(hint(R"([None])") == "write null");
  CHECK(hint(R"({"a":foo})") == "put the string foo in double quotes");
  CHECK(hint("{\"a\":\n1]") == "the object starts on line 1");
  CHECK(hint("{} // end") == "JSON has no comments");
}

TEST_CASE("JSON values keep their text, order and place", "[io][json]") {
  const auto documents =
      parse("{\"z\": [1.50, -0, 1e999, 123456789012345678901234567890],\n \"a\": null, \"t\": true}");
  REQUIRE(documents);
  const Document& document = documents->front();
  CHECK(document.format == Format::kJson);
  CHECK(document.source_name() == "f.json");
  const auto members = document.root.members();
  REQUIRE(members.size() == 3);
  CHECK(members[0].key() == "z");
  CHECK(members[1].key() == "a");
  CHECK(members[1].value.is_null());
  CHECK(members[2].value.as_bool());
  const auto items = members[0].value.items();
  REQUIRE(items.size() == 4);
  CHECK(items[0].text() == "1.50");
  CHECK(items[1].text() == "-0");
  CHECK(items[2].text() == "1e999");
  CHECK(items[3].text() == "123456789012345678901234567890");
  CHECK(position_of(document.text(), members[1].key_offset) == Position{2, 2});
  CHECK(position_of(document.text(), items[1].offset()) == Position{1, 14});
  CHECK(document.root.find("nope") == nullptr);
}

TEST_CASE("JSON strings are decoded", "[io][json]") {
  const auto documents =
      parse(R"(["", "plain text", "\"\\\/\b\f\n\r\t", "\u00e9\u20ac\ud83d\ude00", "\ud800x", "\udc00", "a\u0000b"])");
  REQUIRE(documents);
  const auto items = documents->front().root.items();
  REQUIRE(items.size() == 7);
  CHECK(items[0].text().empty());
  CHECK(items[1].text() == "plain text");
  CHECK(items[2].text() == "\"\\/\b\f\n\r\t");
  CHECK(items[3].text() == "é€😀");
  CHECK(items[4].text() == "\xEF\xBF\xBDx");
  CHECK(items[5].text() == "\xEF\xBF\xBD");
  CHECK(items[6].text() == std::string_view("a\0b", 3));
}

TEST_CASE("a source may hold several JSON documents", "[io][json]") {
  const auto [name, text, count] = GENERATE(table<std::string, std::string, std::size_t>({
      {"one-document", "{\"a\":1}\n", 1},
      {"one-a-line", "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n", 3},
      {"crlf-lines", "{\"a\":1}\r\n{\"a\":2}\r\n", 2},
      {"concatenated", "{\"a\":\"}{\"}[1]{}", 3},
      {"pretty-printed", "{\n  \"a\": 1\n}\n{\n  \"a\": 2\n}\n", 2},
      {"byte-order-mark", "\xEF\xBB\xBF{\"a\":1}", 1},
  }));
  INFO(name);
  const auto documents = parse(text);
  REQUIRE(documents);
  REQUIRE(documents->size() == count);
  CHECK(documents->back().index == count - 1);
}

TEST_CASE("every broken line is reported where a line is an object", "[io][json]") {
  const auto documents = parse("{\"a\":1}\n{\"a\":}\n{\"a\":2}\n{\"a\" 3}\n{\"a\":4}\n");
  REQUIRE_FALSE(documents);
  REQUIRE(documents.error().size() == 2);
  CHECK(documents.error()[0].line == 2);
  CHECK(documents.error()[1].line == 4);

  const auto pretty_printed = parse("{\n  \"a\":\n}\n{\n  \"b\":\n}\n");
  REQUIRE_FALSE(pretty_printed);
  CHECK(pretty_printed.error().size() == 1);
}

TEST_CASE("every duplicate key is reported", "[io][json]") {
  std::string text = "{\"k0\": 0";
  for (int i = 1; i < 40; ++i) text += ",\n\"k" + std::to_string(i) + "\": 0";
  text += ",\n\"k3\": 1,\n\"k7\": 1}";
  const auto documents = parse(text);
  REQUIRE_FALSE(documents);
  REQUIRE(documents.error().size() == 2);
  CHECK(documents.error()[0].message == "the key \"k3\" stands twice in one object: first on line 4, again on line 41");
  CHECK(documents.error()[1].message == "the key \"k7\" stands twice in one object: first on line 8, again on line 42");
}

TEST_CASE("a text in braces that is YAML is read as YAML", "[io][json]") {
  for (const char* text : {"{a: 1}", "{'a': 1}", "{\"a\": 1, # comment\n \"b\": 2}", "{\"a\":1}\n---\n{\"b\":2}\n"}) {
    INFO(text);
    const auto documents = parse(text);
    REQUIRE(documents);
    CHECK(documents->front().format == Format::kYaml);
    CHECK(documents->front().root.members()[0].key() == "a");
  }
  CHECK(first_error("{a: 1") == "1:2 json-syntax: expected a key in double quotes or '}', found 'a'");
}

TEST_CASE("limits of the JSON reader can be set", "[io][json]") {
  CHECK(parse(nested(256)).has_value());
  CHECK_FALSE(parse_documents({"f", nested(4)}, {.max_depth = 3}).has_value());
  CHECK(parse_documents({"f", nested(3)}, {.max_depth = 3}).has_value());
  CHECK(parse_documents({"f", "[1,2,3]"}, {.max_bytes = 6}).error().front().message ==
        "7 bytes are more than the limit of 6 bytes");
  CHECK(parse_documents({"f", "{}{}{}"}, {.max_documents = 2}).error().front().code == "too-many-documents");
}

TEST_CASE("large JSON containers are read", "[io][json]") {
  std::string list = "[0";
  for (int i = 1; i < 1'000'000; ++i) list += ",1";
  const auto documents = parse(list + "]");
  REQUIRE(documents);
  CHECK(documents->front().root.items().size() == 1'000'000);

  std::string object = "{\"k\":0";
  for (int i = 0; i < 100'000; ++i) object += ",\"" + std::to_string(i) + "\":0";
  const auto many_keys = parse(object + "}");
  REQUIRE(many_keys);
  CHECK(many_keys->front().root.members().size() == 100'001);
}

TEST_CASE("every cut of a JSON text is an error with a place", "[io][json]") {
  const std::string text = "{\"a\": [1, -2.5e3, \"x\\u00e9y\\n\", true, null, {\"b\": {}}], \"ü\": \"\"}";
  REQUIRE(parse(text));
  for (std::size_t size = 1; size < text.size(); ++size) {
    INFO(text.substr(0, size));
    const auto documents = parse(text.substr(0, size));
    REQUIRE_FALSE(documents);
    CHECK(documents.error().front().line == 1);
    CHECK(documents.error().front().message != "this is not valid JSON");
  }
}
