#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "gpusched/render/render.hpp"
#include "render/html.hpp"
#include "render/html_map.hpp"

using namespace gpusched;
using render::Format;
using Json = nlohmann::ordered_json;

namespace {

std::string page_of(Json document) {
  return render::render({std::make_shared<const Json>(std::move(document))}, Format::kHtml);
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) {
    ++found;
  }
  return found;
}

/// A FragmentationReport in which every name is the same.
Json fragmentation_of(const std::string& name) {
  const Json gpu = {{"model", name}, {"island", 0}, {"free", 0}, {"holders", {{{"pod", name}, {"share", 1}}}}};
  const Json mig = {{"model", name},
                    {"island", 1},
                    {"slices", 8},
                    {"instances", {{{"profile", name}, {"start", 0}, {"slices", 4}, {"pod", name}}}}};
  return {{"apiVersion", "gpusched/v1alpha1"},
          {"kind", "FragmentationReport"},
          {"fragmentation",
           {{"free", 0}, {"total", 1}, {"largestBlock", 0}, {"largestIsland", 0}, {"rows", Json::array()}}},
          {"mig", Json::array()},
          {"by", "pool"},
          {"groups", {{{"name", name}, {"rows", Json::array()}}}},
          {"violations", {name}},
          {"cluster", {{"nodes", {{{"name", name}, {"gpus", {gpu, mig}}}}}}}};
}

}  // namespace

TEST_CASE("html-escapes-hostile-names") {
  struct Case {
    std::string name;
    std::string raw;    // must not stand in the page more often than the page itself has it
    std::string shown;  // must stand in it
  };
  const Case c = GENERATE(values<Case>({
      {"<script>alert(1)</script>", "<script>alert", "&lt;script&gt;alert(1)&lt;/script&gt;"},
      {"</style><img src=x onerror=alert(1)>", "<img", "&lt;/style&gt;&lt;img src=x"},
      {"\" onmouseover=\"alert(1)", "\" onmouseover=", "&quot; onmouseover=&quot;alert(1)"},
      {"' onfocus='x", "' onfocus=", "&#39; onfocus=&#39;x"},
      {"<!-- ]]> <?php", "<!--", "&lt;!-- ]]&gt; &lt;?php"},
      {"&lt;b&gt;", " &lt;b&gt;", "&amp;lt;b&amp;gt;"},
      {std::string("a\0b\x1b[31m", 8), "\x1b", "a\\x00b\\x1b[31m"},
      {"user\u202egpj.exe", "\u202e", "user\\u202egpj.exe"},
      {"zero\u200bwidth", "\u200b", "zero\\u200bwidth"},
      {"two\nlines", "two\nlines", "two\\nlines"},
      {"javascript:alert(1)", "href=\"javascript", "javascript:alert(1)"},
  }));
  const std::string page = page_of(fragmentation_of(c.name));
  CAPTURE(c.name);
  CHECK(count(page, c.raw) == 0);
  CHECK(count(page, c.shown) >= 6);
}

TEST_CASE("html-shows-any-kind-of-document") {
  const std::string page = page_of({{"apiVersion", "gpusched/v1alpha1"},
                                    {"kind", "Unheard<of>"},
                                    {"answer", 42},
                                    {"list", {{{"<key>", "<value>"}, {"deep", {{"a", {1, 2}}}}}}}});
  CHECK(count(page, "&lt;key&gt;") == 1);
  CHECK(count(page, "&lt;value&gt;") == 1);
  CHECK(count(page, "Unheard&lt;of&gt;") >= 2);
  CHECK(count(page, "<key>") == 0);
}

TEST_CASE("html-stands-nesting-of-any-depth") {
  Json deep = 1;
  for (int i = 0; i < 2000; ++i) {
    Json outer = Json::array();
    outer.push_back(std::move(deep));
    deep = std::move(outer);
  }
  CHECK(count(page_of({{"kind", "Deep"}, {"value", std::move(deep)}}), "</html>") == 1);
}

TEST_CASE("html-needs-nothing-else") {
  const std::string page = page_of(fragmentation_of("n"));
  CHECK(count(page, "default-src 'none'; style-src 'sha256-") == 1);
  CHECK(count(page, "script-src 'sha256-") == 1);
  CHECK(count(page, "unsafe-") == 0);
  CHECK(count(page, " style=\"") == 0);
  CHECK(count(page, "http://") + count(page, "https://") == 0);
  CHECK(count(page, " src=") == 0);
  CHECK(count(page, "<script>") == 1);
}

TEST_CASE("html-lives-with-missing-members") {
  for (const char* kind : {"PlacementReport", "FragmentationReport"}) {
    const std::string page = page_of({{"kind", kind}});
    CHECK(count(page, "</html>") == 1);
  }
}

TEST_CASE("html-tells-every-member") {
  for (const char* const kind :
       {"PlacementReport", "FragmentationReport", "PendingReport", "PendingReportList", "WorkloadReport",
        "MessageReport", "AllocationReport", "GangReport", "ChainReport", "CheckReport"}) {
    INFO(kind);
    const std::string page = page_of({{"apiVersion", "gpusched/v1alpha1"},
                                      {"kind", kind},
                                      {"aText", "text-of-later"},
                                      {"aList", {{{"key", "entry-of-later"}}}}});
    CHECK(count(page, "text-of-later") == 1);
    CHECK(count(page, "entry-of-later") == 1);
  }
}

TEST_CASE("html-tells-the-answers-that-search") {
  const Json sizes = {{"free", 1}, {"largestBlock", 1}, {"largestIsland", 1}, {"rows", Json::array()}};
  const Json remarks = {{"budgets", {"<b>"}}, {"orphans", Json::array()}};
  Json defrag = {{"wanted", "new"},
                 {"pods", {"new"}},
                 {"outcome", "plan"},
                 {"optimal", true},
                 {"maxMoves", 8},
                 {"atLeast", 1},
                 {"steps", 1},
                 {"devices", 2},
                 {"before", sizes},
                 {"after", sizes},
                 {"places", {{{"pod", "new"}, {"node", "n1"}, {"gpus", {0}}}}},
                 {"moves", {{{"pod", "old"}, {"from", "n1"}, {"to", "n2"}, {"gpus", {0, 1}}}}}};
  defrag.update(remarks);
  const std::string page = page_of(
      {{"apiVersion", "gpusched/v1alpha1"}, {"kind", "PlacementReport"}, {"pods", Json::array()}, {"defrag", defrag}});
  CHECK(count(page, "room for new after 1 move of 2 GPUs, proven the cheapest") == 1);
  CHECK(count(page, "<td>old</td><td>n1</td><td>n2</td><td>GPU 0, 1</td>") == 1);
  CHECK(count(page, "evictions wait for it") == 1);
  CHECK(count(page, "by &lt;b&gt;") == 1);
}

TEST_CASE("html-what-if-lists-pods-whose-answer-changes") {
  const auto pod = [](const char* name, const char* node) { return Json{{"name", name}, {"node", node}}; };
  Json evicted = pod("again", "n1");
  evicted["evictedBy"] = "high";
  Json requeued = pod("again", "n2");
  requeued["requeued"] = true;
  const auto report = [&](const char* mover) {
    return Json{{"apiVersion", "gpusched/v1alpha1"},
                {"kind", "PlacementReport"},
                {"placed", 3},
                {"unplaced", 2},
                {"pods", {evicted, pod("mover", mover), pod("", "n1"), pod("", ""), requeued}},
                {"fragmentation",
                 {{"free", 0}, {"total", 0}, {"largestBlock", 0}, {"largestIsland", 0}, {"rows", Json::array()}}}};
  };
  Json after = report("n2");
  after["whatIf"] = {{"edits", Json::array()}, {"before", report("n1")}};
  const std::string page = page_of(after);
  const std::size_t start = page.find("Pods whose answer changes");
  REQUIRE(start != std::string::npos);
  const std::string table = page.substr(start, page.find("</table>", start) - start);
  CHECK(count(table, ">mover<") == 1);
  CHECK(count(table, "again") == 0);
  CHECK(count(table, "unnamed") == 0);
}

TEST_CASE("html-plain-values") {
  struct Case {
    std::string name;
    Json value;
    std::string words;
  };
  const Case c = GENERATE(values<Case>({
      {"null", nullptr, "–"},
      {"whole", 4, "4"},
      {"fraction", 4.25, "4.25"},
      {"whole-as-double", 4.0, "4"},
      {"long-fraction", 1.0 / 3, "0.33"},
      {"range", {{"min", 2}, {"max", 4}}, "2 to 4"},
      {"list", {"a", "b"}, "a, b"},
      {"empty-list", Json::array(), "–"},
      {"yes", true, "yes"},
      {"object", {{"a", 1}}, "{\"a\":1}"},
  }));
  CAPTURE(c.name);
  CHECK(render::html::plain(c.value) == c.words);
}

TEST_CASE("html-a-pod-keeps-its-colour-in-every-map") {
  const auto map_of = [](std::initializer_list<const char*> pods, render::html::PodColors& colors) {
    Json gpus = Json::array();
    for (const char* const pod : pods) {
      gpus.push_back({{"model", "A100"}, {"island", 0}, {"free", 0}, {"holders", {{{"pod", pod}, {"share", 1}}}}});
    }
    return render::html::cluster_map({{"nodes", {{{"name", "n"}, {"gpus", gpus}}}}}, {}, colors);
  };
  const auto color_of = [](const std::string& map, const std::string& pod) {
    const std::size_t title = map.find(": " + pod + "\"");
    REQUIRE(title != std::string::npos);
    const std::size_t look = map.rfind("class=\"g c", title);
    REQUIRE(look != std::string::npos);
    return map.substr(look, std::string("class=\"g c0").size());
  };
  render::html::PodColors colors;
  const std::string before = map_of({"first", "second"}, colors);
  const std::string after = map_of({"third", "second", "first"}, colors);
  CHECK(color_of(before, "first") != color_of(before, "second"));
  CHECK(color_of(after, "first") == color_of(before, "first"));
  CHECK(color_of(after, "second") == color_of(before, "second"));
  CHECK(color_of(after, "third") != color_of(after, "first"));
}
