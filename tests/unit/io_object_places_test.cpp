#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <string>

#include "gpusched/io/object_places.hpp"

namespace gpusched::io {
namespace {

std::string places(const std::string& text) {
  const auto documents = parse_documents({"a.yaml", text});
  REQUIRE(documents);
  std::string all;
  for (const Document& document : *documents) {
    for (const NamedPlace& place : named_places(document)) {
      all += fmt::format("{} {}/{} {} {}\n", place.kind, place.name_space, place.name, place.line, place.pointer);
    }
  }
  return all;
}

}  // namespace

TEST_CASE("entries of a fixture") {
  CHECK(places("nodes:\n- name: a\n- name: b\npods:\n- name: p\n- {}\njobs:\n- name: j\n") ==
        "node /a 2 /nodes/0\nnode /b 3 /nodes/1\npod /p 5 /pods/0\njob /j 8 /jobs/0\n");
}

TEST_CASE("Kubernetes objects, alone and in lists") {
  CHECK(places("kind: Pod\nmetadata: {name: p, namespace: ml}\n---\nkind: List\nitems:\n- kind: ResourceClaim\n"
               "  metadata: {name: c}\n- kind: List\n  items:\n  - {kind: Node, metadata: {name: a}}\n- kind: Secret\n"
               "  metadata: {name: s}\n") ==
        "pod ml/p 1 \nclaim /c 6 /items/0\nnode /a 10 /items/1/items/0\nsecret /s 11 /items/2\n");
}

TEST_CASE("lines do not depend on the order of the lists in the text") {
  CHECK(places("jobs:\n- name: j\npods:\n- name: p\nnodes:\n- name: a\n- name: b\n") ==
        "node /a 6 /nodes/0\nnode /b 7 /nodes/1\npod /p 4 /pods/0\njob /j 2 /jobs/0\n");
}

TEST_CASE("what has no name has no place") {
  CHECK(places("kind: Pod\n").empty());
  CHECK(places("pods: 3\nnodes: [1, {name: 2x}]\n") == "node /2x 2 /nodes/1\n");
  CHECK(places("[1]").empty());
}

}  // namespace gpusched::io
