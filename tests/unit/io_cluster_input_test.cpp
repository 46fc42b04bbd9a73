// Every shape in which kubectl and the API server hand out objects, and what must never be read as a cluster.
#include "gpusched/io/cluster_input.hpp"

#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <vector>

using namespace gpusched;
using namespace gpusched::io;

namespace {

Result<ClusterInput> read(const std::string& text, std::size_t jobs = 1) {
  std::istringstream stream(text);
  SourceReader reader({}, stream);
  const std::vector<std::string> arguments = {"-"};
  return read_cluster_input(reader, arguments, jobs);
}

std::string code(const Result<ClusterInput>& input) {
  return input ? "" : input.error().front().code;
}

/// "node a, pod ns/p".
std::string names(const ClusterDump& dump) {
  std::string names;
  for (const NodeRecord& node : dump.nodes) names += (names.empty() ? "node " : ", node ") + node.node.meta.name;
  for (const PodRecord& pod : dump.pods) names += (names.empty() ? "pod " : ", pod ") + pod.full_name();
  return names;
}

const std::string kNode = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"a"},"status":{"nodeInfo":{}}})";
const std::string kPod =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"ns"},"spec":{"containers":[{"name":"c"}]}})";
const std::string kBareNode = R"({"metadata":{"name":"a"},"status":{"nodeInfo":{"kubeletVersion":"v1.37.2"}}})";
const std::string kBarePod = R"({"metadata":{"name":"p","namespace":"ns"},"spec":{"containers":[{"name":"c"}]}})";

std::string list(const std::string& kind, const std::string& items) {
  return R"({"apiVersion":"v1","kind":")" + kind + R"(","metadata":{"resourceVersion":""},"items":[)" + items + "]}";
}

}  // namespace

TEST_CASE("every list shape gives the same objects") {
  struct Case {
    std::string name, text, names;
  };
  const std::string both = "node a, pod ns/p";
  const std::vector<Case> cases = {
      {"one-object", kPod, "pod ns/p"},
      {"list", list("List", kNode + "," + kPod), both},
      {"list-of-lists", list("List", list("NodeList", kBareNode) + "," + list("List", list("PodList", kBarePod))),
       both},
      {"items-first", R"({"items":[)" + kNode + "," + kPod + R"(],"kind":"List","apiVersion":"v1"})", both},
      {"pod-list-without-item-kinds", list("PodList", kBarePod), "pod ns/p"},
      {"pod-list-kind-last", R"({"items":[)" + kBarePod + R"(],"metadata":{},"kind":"PodList"})", "pod ns/p"},
      {"node-list-kind-last", R"({"items":[)" + kBareNode + R"(],"kind":"NodeList"})", "node a"},
      {"one-a-line", kNode + "\n" + kPod + "\n", both},
      {"concatenated", kNode + kPod, both},
      {"lists-one-after-another", list("NodeList", kBareNode) + list("PodList", kBarePod), both},
      {"json-array", "[" + kNode + "," + kPod + "]", both},
      {"byte-order-mark", "\xEF\xBB\xBF" + kNode, "node a"},
      {"crlf",
       R"({"kind":"Node",)"
       "\r\n"
       R"("apiVersion":"v1","metadata":{"name":"a"}})"
       "\r\n",
       "node a"},
      {"yaml", "apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n", "node a"},
      {"yaml-documents", "---\napiVersion: v1\nkind: Node\nmetadata: {name: a}\n---\n# nothing\n---\n" + kPod + "\n",
       both},
      {"yaml-list", "apiVersion: v1\nkind: List\nitems:\n- " + kNode + "\n- " + kPod + "\n", both},
      {"yaml-items-without-kind",
       "kind: PodList\napiVersion: v1\nitems:\n- metadata: {name: p, namespace: ns}\n  spec: {containers: [{name: "
       "c}]}\n",
       "pod ns/p"},
      {"empty-list", list("List", ""), ""},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    for (const std::size_t jobs : {1, 2, 5}) {
      const Result<ClusterInput> input = read(c.text, jobs);
      REQUIRE(input);
      CHECK(names(input->dump) == c.names);
      CHECK(input->fixtures.empty());
    }
  }
}

TEST_CASE("what is cut or only a part is never a smaller cluster") {
  struct Case {
    std::string name, text, code;
  };
  const std::string whole = list("List", kNode + "," + kPod);
  const std::string yaml = "apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n---\nkind: Pod\nmetadata: {name: p";
  const std::vector<Case> cases = {
      {"cut-behind-an-item", whole.substr(0, whole.find(kPod) - 1), "cut-input"},
      {"cut-in-an-item", whole.substr(0, whole.find(kPod) + 20), "cut-input"},
      {"last-bracket-missing", whole.substr(0, whole.size() - 1), "cut-input"},
      {"second-object-cut", kNode + "\n" + kPod.substr(0, 30), "cut-input"},
      {"paged", R"({"kind":"PodList","metadata":{"continue":"eyJ2IjoibWV0"},"items":[)" + kBarePod + "]}",
       "paged-list"},
      {"paged-kind-last", R"({"items":[],"metadata":{"x":1,"continue" : "abc"},"kind":"List"})", "paged-list"},
      {"object-twice", list("List", kNode + "," + kNode), "duplicate-object"},
      {"object-twice-in-two-lists", list("List", kPod) + list("PodList", kBarePod), "duplicate-object"},
      {"slice-twice",
       list("List", R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"s"}},)"
                    R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"s"}})"),
       "duplicate-object"},
      {"key-twice", R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"},"spec":{"priority":1,"priority":2}})",
       "duplicate-key"},
      {"garbage-behind", kNode + "error from server", "syntax"},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    CHECK(code(read(c.text)) == c.code);
    CHECK(code(read(c.text, 3)) == c.code);
  }
  CHECK_FALSE(read(yaml));
}

TEST_CASE("an empty continue token and equal names of different things are fine") {
  for (const std::string& text :
       {R"({"kind":"PodList","metadata":{"continue":""},"items":[)" + kBarePod + "]}",
        list("List",
             kPod + "," + R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"other"},"spec":{}})"),
        list("List", R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"}},)"
                     R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","metadata":{"name":"j"}})")}) {
    INFO(text);
    CHECK(read(text));
  }
}

TEST_CASE("every bad object is reported, with its place in the list") {
  const std::string bad = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"b"},"spec":{"unschedulable":"yes"}})";
  const std::string worse =
      R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"c"},"status":{"allocatable":{"cpu":"many"}}})";
  const Result<ClusterInput> input = read(list("List", kNode + "," + bad + "," + worse));
  REQUIRE_FALSE(input);
  REQUIRE(input.error().size() == 2);
  CHECK(input.error()[0].pointer == "/items/1/spec/unschedulable");
  CHECK(input.error()[0].object == "Node b");
  CHECK(input.error()[1].pointer == "/items/2/status/allocatable/cpu");
  CHECK(input.error()[1].code == "quantity-syntax");
}

TEST_CASE("a fixture beside a dump stays a fixture") {
  const Result<ClusterInput> input = read(R"({"nodes":[{"name":"a"}]})");
  REQUIRE(input);
  CHECK(input->fixtures.size() == 1);
  CHECK(input->dump.empty());
}

TEST_CASE("the number of threads changes nothing") {
  std::string items;
  for (int i = 0; i < 3000; ++i) {
    const std::string name = std::to_string(i);
    items += (i == 0 ? "" : ",") +
             (R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p)" + name +
              R"(","namespace":"n","labels":{"app":"x)" + std::to_string(i % 7) +
              R"("}},"spec":{"nodeName":"a","containers":[{"name":"c","resources":{"requests":{"cpu":")" +
              std::to_string(i % 5) + R"("}}}]},"status":{"phase":"Running"}})" + std::string(500, ' '));
  }
  const Result<ClusterInput> one = read(list("List", items));
  REQUIRE(one);
  REQUIRE(one->dump.pods.size() == 3000);
  CHECK(one->dump.pod_specs.size() == 5);  // equal specs are kept once
  for (const std::size_t jobs : {2, 3, 8}) {
    const Result<ClusterInput> many = read(list("List", items), jobs);
    REQUIRE(many);
    REQUIRE(many->dump.pods.size() == 3000);
    bool equal = true;
    for (std::size_t i = 0; i < 3000; ++i) {
      equal &= one->dump.pods[i].name == many->dump.pods[i].name && one->dump.pods[i].spec == many->dump.pods[i].spec &&
               one->dump.pods[i].place.index == many->dump.pods[i].place.index;
    }
    CHECK(equal);
  }
}
