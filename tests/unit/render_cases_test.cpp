// Answers as lists of test cases: which rule, which level, what passes.
#include <catch2/catch.hpp>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "gpusched/render/render.hpp"
#include "render/cases.hpp"

namespace gpusched::render {
namespace {

using Json = nlohmann::ordered_json;

report::Document document(Json json) {
  return {std::make_shared<const Json>(std::move(json))};
}

Json placed(const std::string& name, const std::string& node) {
  return {{"name", name},  {"node", node},          {"resource", "nvidia.com/gpu"},
          {"gpus", {0}},   {"islands", {0}},        {"consequences", Json::array()},
          {"message", ""}, {"nodes", Json::array()}};
}

Json placement(std::vector<Json> pods) {
  return {{"apiVersion", "gpusched/v1alpha1"},
          {"kind", "PlacementReport"},
          {"pods", std::move(pods)},
          {"fragmentation", {{"free", 0}, {"largestBlock", 0}, {"largestIsland", 0}, {"rows", Json::array()}}},
          {"mig", Json::array()}};
}

/// "pod name: rule level; ..."
std::string summary(const report::Document& answer) {
  static constexpr std::array<std::string_view, 4> kLevels = {"note", "warning", "undecided", "error"};
  std::string text;
  for (const Case& each : cases_of(answer, kind_of(*answer.json)).cases) {
    text += each.kind + " " + each.name + ":";
    for (const Finding& found : each.findings) {
      text += " " + std::string(found.rule->id) + " " + std::string(kLevels[static_cast<std::size_t>(found.level)]);
    }
    text += each.passed() ? " passed\n" : " failed\n";
  }
  return text;
}

}  // namespace

TEST_CASE("rule ids are unique and sorted") {
  std::vector<std::string_view> ids;
  for (const Rule& each : rules()) {
    ids.push_back(each.id);
  }
  CHECK(std::ranges::is_sorted(ids));
  CHECK(std::set(ids.begin(), ids.end()).size() == ids.size());
}

TEST_CASE("a pod of place") {
  Json pending = placed("p", "");
  pending["message"] = "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.";
  Json warned = placed("w", "n");
  warned["consequences"] = {{{"kind", "spans-islands"}, {"text", "GPUs span 2 NVLink islands"}}};
  Json evicted = placed("e", "n");
  evicted["evictedBy"] = "p";
  Json again = placed("e", "m");
  again["requeued"] = true;

  CHECK(summary(document(placement({placed("a", "n")}))) == "pod a: passed\n");
  CHECK(summary(document(placement({pending}))) == "pod p: GPU001 error failed\n");
  CHECK(summary(document(placement({warned}))) == "pod w: GPU106 warning passed\n");
  CHECK(summary(document(placement({evicted}))) == "pod e: GPU005 error failed\n");
  CHECK(summary(document(placement({evicted, again}))) == "pod e: GPU005 warning passed\npod e: passed\n");
  Json strict = placement({warned});
  strict["failOn"] = {"consequences"};
  CHECK(summary(document(strict)) == "pod w: GPU106 error failed\n");
}

TEST_CASE("the answer of a search") {
  Json pending = placed("p", "");
  Json evicted = placed("e", "n");
  evicted["evictedBy"] = "p";
  Json warned = placed("w", "n");
  warned["consequences"] = {{{"kind", "spans-islands"}, {"text", "GPUs span 2 NVLink islands"}}};
  // The exit code is the search's, so what pods ran into is worth a look only.
  const std::string pods = "pod p: GPU001 warning passed\npod e: GPU005 warning passed\npod w: GPU106 warning passed\n";
  struct Search {
    std::string name, member;
    Json value;
    std::string expected;
  };
  const Json node{{"node", "n"}, {"drainable", false}, {"message", "it runs the control plane"}};
  const Json never{{"count", 1}, {"examples", {"p"}}, {"reasons", {{{"shape", "s"}, {"reason", "too small"}}}}};
  const auto defrag = [](const char* outcome) {
    return Json{{"wanted", "p"}, {"outcome", outcome}, {"maxMoves", 8}, {"steps", 5}, {"moves", Json::array()}};
  };
  const auto compare = [](int first, int second) {
    return Json{
        {"rows",
         {{{"name", "a"}, {"placed", 1}, {"pending", first}}, {{"name", "b"}, {"placed", 1}, {"pending", second}}}}};
  };
  for (const Search& test : std::vector<Search>{
           {"a-node-can-go", "drainable", {{"drainable", 1}, {"nodes", {node}}}, "question drainable: passed\n"},
           {"no-node-can-go",
            "drainable",
            {{"drainable", 0}, {"nodes", {node}}},
            "question drainable: GPU206 error failed\n"},
           {"plan", "defrag", defrag("plan"), "question defrag p: passed\n"},
           {"no-plan", "defrag", defrag("no-plan"), "question defrag p: GPU207 error failed\n"},
           {"out-of-steps", "defrag", defrag("undecided"), "question defrag p: GPU004 undecided failed\n"},
           {"nodes-added",
            "minNodes",
            {{"nodes", 1}, {"pending", 1}, {"never", Json::array()}},
            "question min-nodes: passed\n"},
           {"of-no-shape",
            "minNodes",
            {{"nodes", 0}, {"pending", 1}, {"never", Json::array({never})}},
            "question min-nodes: GPU208 error failed\n"},
           {"one-places-all", "compare", compare(1, 0),
            "alternative a: GPU209 warning passed\nalternative b: passed\n"},
           {"none-places-all", "compare", compare(1, 2),
            "alternative a: GPU209 error failed\nalternative b: GPU209 error failed\n"}}) {
    INFO(test.name);
    Json report = placement({pending, evicted, warned});
    report["failOn"] = {"consequences"};
    report[test.member] = test.value;
    CHECK(summary(document(report)) == test.expected + pods);
  }
}

TEST_CASE("MIG layouts") {
  const auto mix = [](bool optimal) {
    return document({{"apiVersion", "gpusched/v1alpha1"},
                     {"kind", "FragmentationReport"},
                     {"repartition",
                      {{"optimal", optimal},
                       {"mix",
                        {{{"profile", "1g.10gb"}, {"wanted", 2}, {"served", 2}},
                         {{"profile", "3g.40gb"}, {"wanted", 2}, {"served", 1}}}}}}});
  };
  CHECK(summary(mix(true)) == "profile 1g.10gb: passed\nprofile 3g.40gb: GPU210 error failed\n");
  CHECK(summary(mix(false)) == "profile 1g.10gb: passed\nprofile 3g.40gb: GPU004 undecided failed\n");
  CHECK(
      summary(document({{"apiVersion", "gpusched/v1alpha1"},
                        {"kind", "MigLayoutReport"},
                        {"layouts",
                         {{{"target", "A"}, {"wanted", {"7g", "1g"}}, {"fits", false}, {"message", "no"}, {"hint", ""}},
                          {{"target", "A"}, {"wanted", {"7g"}}, {"fits", true}}}}})) ==
      "layout A=7g,1g: GPU211 error failed\nlayout A=7g: passed\n");
}

TEST_CASE("a workload that runs passes") {
  const auto workload = [](const char* verdict) {
    return document({{"apiVersion", "gpusched/v1alpha1"},
                     {"kind", "WorkloadReport"},
                     {"workload", {{"kind", "Job"}, {"namespace", "ml"}, {"name", "train"}}},
                     {"podsWithNode", 1},
                     {"podsWithoutNode", 0},
                     {"explanation", {{{"verdict", verdict}, {"text", "Job ml/train: ..."}}}},
                     {"items", Json::array()}});
  };
  CHECK(summary(workload("runs")) == "workload Job/ml/train: passed\n");
  CHECK(summary(workload("finished")) == "workload Job/ml/train: passed\n");
  CHECK(summary(workload("suspended")) == "workload Job/ml/train: GPU008 error failed\n");
}

TEST_CASE("a verdict of kube-scheduler") {
  struct Verdict {
    std::string verdict, expected;
  };
  for (const Verdict& test : std::vector<Verdict>{{"scheduled", "pod ml/p: passed\n"},
                                                  {"unschedulable", "pod ml/p: GPU001 error failed\n"},
                                                  {"gated", "pod ml/p: GPU002 error failed\n"},
                                                  {"waiting", "pod ml/p: GPU002 error failed\n"},
                                                  {"error", "pod ml/p: GPU003 error failed\n"},
                                                  {"undecided", "pod ml/p: GPU004 undecided failed\n"}}) {
    INFO(test.verdict);
    const Json report{{"apiVersion", "gpusched/v1alpha1"},
                      {"kind", "PendingReport"},
                      {"pod", {{"namespace", "ml"}, {"name", "p"}}},
                      {"verdict", test.verdict},
                      {"message", ""},
                      {"pluginMessage", ""},
                      {"node", ""}};
    CHECK(summary(document(report)) == test.expected);
    const Json list{{"apiVersion", "gpusched/v1alpha1"}, {"kind", "List"}, {"items", {report}}};
    CHECK(summary(document(list)) == test.expected);
  }
}

TEST_CASE("a location is that of the object") {
  report::Document answer = document(placement({placed("a", "n"), placed("b", "n"), placed("b-x-0", "n")}));
  answer.locations["pod b"] = {"pods.json", 12, "/pods/1"};
  CHECK(cases_of(answer, "PlacementReport").cases[0].location.file.empty());
  answer.locations[""] = {"cluster.json", 0, ""};
  const std::vector<Case> cases = cases_of(answer, "PlacementReport").cases;
  CHECK(cases[0].location.file == "cluster.json");
  CHECK(cases[1].location.line == 12);
  CHECK(cases[2].location.line == 12);  // made of it
}

TEST_CASE("a hostile name stays where it belongs") {
  Json pending = placed("</testcase>|@all\n=x", "");
  pending["message"] = "](http://evil.example) ]]> \x1b[2J";
  report::Document answer = document(placement({pending}));
  answer.locations["pod </testcase>|@all\n=x"] = {"a b.json", 3, "/pods/0"};

  const std::string xml = render(answer, Format::kJunit);
  CHECK(xml.find("name=\"&lt;/testcase&gt;|@all&#10;=x\"") != std::string::npos);
  CHECK(xml.find('\x1b') == std::string::npos);
  CHECK(xml.find("at a b.json:3\n</failure>") != std::string::npos);

  const std::string whole = render(answer, Format::kMarkdown);
  const std::string text = whole.substr(0, whole.find("<details>"));  // behind it is a code block
  CHECK(text.find("| ❌ | pod &#60;/testcase&#62;&#124;@<!-- -->all&#92;n=x | Pending |") != std::string::npos);
  CHECK(text.find("](http") == std::string::npos);

  const Json sarif = Json::parse(render(answer, Format::kSarif));
  const Json& result = sarif.at("runs").at(0).at("results").at(0);
  CHECK(result.at("message").at("text") ==
        "pod </testcase>|@all\\\\n=x: \\](http://evil.example) \\]\\]> \\\\x1b\\[2J");
  const Json& place = result.at("locations").at(0).at("physicalLocation");
  CHECK(place.at("artifactLocation").at("uri") == "a%20b.json");
  CHECK(place.at("region").at("startLine") == 3);
}

TEST_CASE("a comment has room for a report of any size") {
  std::vector<Json> pods;
  for (int i = 0; i < 5'000; ++i) {
    pods.push_back(placed("pod-" + std::to_string(i), i % 2 == 0 ? "" : "n"));
    pods.back()["message"] = "Insufficient nvidia.com/gpu";
  }
  const std::string text = render(document(placement(std::move(pods))), Format::kMarkdown);
  CHECK(text.size() < 65'536);
  CHECK(text.find("### ❌ gpusched place: 2500 of 5000 passed") == 0);
  CHECK(text.find("\nand ") != std::string::npos);
}

TEST_CASE("a long finding neither fills a comment nor empties it") {
  Json first = placed("first", "");
  Json reasons = Json::array();
  for (int i = 0; i < 400; ++i) {
    reasons.push_back({{"reason", std::string(900, 'r')}, {"count", 1}, {"examples", {"n"}}});
  }
  first["nodes"] = reasons;
  const std::string text = render(document(placement({first, placed("second", "")})), Format::kMarkdown);
  CHECK(text.contains("| pod first |"));
  CHECK(text.contains("… and 391 more lines"));
  CHECK(text.contains("| pod second |"));
}

TEST_CASE("what has no cases has neither JUnit nor SARIF") {
  const report::Document message = document({{"apiVersion", "gpusched/v1alpha1"}, {"kind", "MessageReport"}});
  CHECK_FALSE(can_render(message, Format::kJunit));
  CHECK_FALSE(can_render(message, Format::kSarif));
  CHECK(can_render(message, Format::kMarkdown));
}

TEST_CASE("what has no list has neither names nor rows") {
  const report::Document message = document({{"apiVersion", "gpusched/v1alpha1"}, {"kind", "MessageReport"}});
  CHECK_FALSE(can_render(message, Format::kName));
  CHECK_FALSE(can_render(message, Format::kCsv));
  CHECK_FALSE(can_render(message, Format::kCsvEvents));
  const report::Document differences = document({{"apiVersion", "gpusched/v1alpha1"},
                                                 {"kind", "VerificationReport"},
                                                 {"differences", {{{"pod", "ml/p"}, {"expected", "x"}}}}});
  CHECK(render(differences, Format::kName) == "pod/p\n");
  CHECK(render(differences, Format::kCsv) == "pod,expected\nml/p,x\n");
}

}  // namespace gpusched::render
