#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "gpusched/base/text.hpp"
#include "render/escape.hpp"

namespace gpusched::render {
namespace {

struct Case {
  std::string name, text, escaped;
};

}  // namespace

TEST_CASE("no text leaves its place in XML") {
  const std::vector<Case> cases = {
      {"markup", R"(</failure><script a="b">&amp;)", "&lt;/failure&gt;&lt;script a=&quot;b&quot;&gt;&amp;amp;"},
      {"cdata-end", "]]>", "]]&gt;"},
      {"line-feeds-stay", "a\nb\n", "a\nb\n"},
      {"control-characters", "a\x01\x1b[2J\r\tb", "a\\x01\\x1b[2J\\r\\tb"},
      {"direction-mark", "a\xe2\x80\xae", "a\\u202e"},
      {"not-utf-8", "\xff", "\\xff"},
      {"no-character", "a\xef\xbf\xbf\xef\xbf\xbe", "a\xef\xbf\xbd\xef\xbf\xbd"},
      {"apostrophe", "it's", "it's"},
  };
  for (const Case& test : cases) {
    INFO(test.name);
    CHECK(xml_text(test.text) == test.escaped);
  }
}

TEST_CASE("no text leaves its place in Markdown") {
  const std::vector<Case> cases = {
      {"cell", "a|b", "a&#124;b"},
      {"lines", "a\n# b", "a&#92;n#<!-- --> b"},
      {"html", "<img src=x onerror=alert(1)>", "&#60;img src=x onerror=alert(1)&#62;"},
      {"comment", "<!-- x -->", "&#60;&#33;-- x --&#62;"},
      {"code", "`a`", "&#96;a&#96;"},
      {"emphasis", "**a** _b_ ~c~", "&#42;&#42;a&#42;&#42; &#95;b&#95; &#126;c&#126;"},
      {"link", "[a](http://x)", "&#91;a&#93;(http&#58;//x)"},
      {"bare-link", "https://evil.example www.evil.example", "https&#58;//evil.example www&#46;evil.example"},
      {"mention", "@org/team a@b.example", "@<!-- -->org/team a@<!-- -->b.example"},
      {"reference", "#1", "#<!-- -->1"},
      {"entity", "&lt;", "&#38;lt;"},
      {"math", "$x$", "&#36;x&#36;"},
      {"escape", "\\|", "&#92;&#124;"},
      {"list", "- a", "&#45; a"},
      {"plain", "ml/train-8 -> dgx-a, 3.5", "ml/train-8 -&#62; dgx-a, 3.5"},
  };
  for (const Case& test : cases) {
    INFO(test.name);
    CHECK(markdown_text(test.text) == test.escaped);
  }
}

TEST_CASE("a code block ends where it should") {
  CHECK(markdown_code_block("a") == "```text\na\n```\n");
  CHECK(markdown_code_block("```\n<b>\n") == "````text\n```\n<b>\n````\n");
  CHECK(markdown_code_block("`````") == "``````text\n`````\n``````\n");
}

TEST_CASE("no text is a formula in CSV") {
  const std::vector<Case> cases = {
      {"equals", "=1+1", "'=1+1"},
      {"plus", "+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"},
      {"minus", "-2+3", "'-2+3"},
      {"at", "@SUM(A1)", "'@SUM(A1)"},
      {"tab", "\t=1", "'\\t=1"},
      {"carriage-return", "\r=1", "'\\r=1"},
      {"line-feed", "a\nb", "\"a\nb\""},
      {"escape-sequence", "a\x1b[31mb", "a\\x1b[31mb"},
      {"direction-mark", "a\u202eb", "a\\u202eb"},
      {"quoted-formula", "=\"a\",b", "\"'=\"\"a\"\",b\""},
      {"negative-number", "-5", "-5"},
      {"exponent", "-1.5e3", "-1.5e3"},
      {"inside", "a=1", "a=1"},
      {"comma", "a,b", "\"a,b\""},
      {"quote", "a\"b", "\"a\"\"b\""},
      {"empty", "", ""},
  };
  for (const Case& test : cases) {
    INFO(test.name);
    CHECK(csv_cell(test.text) == test.escaped);
  }
}

TEST_CASE("a file name is a URI reference") {
  CHECK(uri_of_file("fixtures/cluster.json") == "fixtures/cluster.json");
  CHECK(uri_of_file("/a b/c#d.json") == "file:///a%20b/c%23d.json");
  CHECK(uri_of_file("javascript:alert(1)") == "javascript%3Aalert%281%29");
  CHECK(uri_of_file("\xc3\xa4?") == "%C3%A4%3F");
}

}  // namespace gpusched::render
