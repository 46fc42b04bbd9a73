#include "gpusched/io/decode.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

using namespace gpusched;
using namespace gpusched::io;

namespace {

constexpr std::array<std::string_view, 3> kPolicies = {"binpack", "spread", "topology"};

struct Gpu {
  std::string model;
  std::int64_t memory = 0;
};

struct Node {
  std::string name;
  std::int64_t count = 0;
  bool cordoned = false;
  std::string weight;
  std::size_t policy = 0;
  std::vector<Gpu> gpus;
  std::vector<std::string> islands;
};

Gpu decode_gpu(Decoder& decoder, const Value& value) {
  ObjectReader object(decoder, value, "GPU");
  Gpu gpu;
  gpu.model = object.required_string("model");
  gpu.memory = object.optional_int64("memory_mib", 1).value_or(0);
  return gpu;
}

Node decode_node(Decoder& decoder, const Value& value) {
  ObjectReader object(decoder, value, "node");
  Node node;
  node.count = object.optional_int64("count", 1, 1024).value_or(1);
  node.name = object.required_string("name");
  if (!node.name.empty()) object.set_name(node.name);
  node.cordoned = object.optional_bool("cordoned").value_or(false);
  node.weight = object.optional_decimal("weight").value_or("0");
  node.policy = object.optional_one_of("policy", kPolicies).value_or(0);
  for (const std::string_view island : object.strings("islands")) node.islands.emplace_back(island);
  object.array("gpus", [&](const Value& item, std::size_t) { node.gpus.push_back(decode_gpu(decoder, item)); });
  return node;
}

struct Decoded {
  std::vector<Node> nodes;
  Diagnostics diagnostics;
};

Decoded decode(std::string text) {
  const auto documents = parse_documents({"f.json", std::move(text)});
  REQUIRE(documents);
  Decoder decoder(documents->front());
  Decoded decoded;
  {
    ObjectReader root(decoder, documents->front().root, "cluster");
    root.array("nodes", [&](const Value& item, std::size_t) { decoded.nodes.push_back(decode_node(decoder, item)); });
  }
  decoded.diagnostics = decoder.take_diagnostics();
  return decoded;
}

/// Decodes one node with the given members beside its name.
Diagnostics node_errors(const std::string& members) {
  return decode("{\"nodes\": [{\"name\": \"n1\", " + members + "}]}").diagnostics;
}

}  // namespace

TEST_CASE("values of the right type are decoded", "[io][decode]") {
  const Decoded decoded = decode(R"({"nodes": [{"name": "n1", "count": 8, "cordoned": true, "weight": 1.50,
      "policy": "spread", "islands": ["a", "b"], "gpus": [{"model": "H100", "memory_mib": 81559}]}, {"name": "n2",
      "count": null}]})");
  CHECK(decoded.diagnostics.empty());
  REQUIRE(decoded.nodes.size() == 2);
  const Node& node = decoded.nodes[0];
  CHECK(node.name == "n1");
  CHECK(node.count == 8);
  CHECK(node.cordoned);
  CHECK(node.weight == "1.50");
  CHECK(node.policy == 1);
  CHECK(node.islands == std::vector<std::string>{"a", "b"});
  REQUIRE(node.gpus.size() == 1);
  CHECK(node.gpus[0].memory == 81559);
  CHECK(decoded.nodes[1].count == 1);
}

TEST_CASE("a wrong value is reported in people's words", "[io][decode]") {
  struct Case {
    const char* name;
    const char* member;
    const char* message;
    const char* hint;
    const char* pointer;
  };
  const std::vector<Case> cases = {
      {"string-for-a-number", R"("count": "eight")",
       "\"count\": expected a whole number from 1 to 1024, found the string \"eight\"", "", "/nodes/0/count"},
      {"quoted-number", R"("count": "8")", "\"count\": expected a whole number from 1 to 1024, found the string \"8\"",
       "write 8 without quotes", "/nodes/0/count"},
      {"too-large", R"("count": 4096)", "\"count\": expected a whole number from 1 to 1024, found 4096", "",
       "/nodes/0/count"},
      {"too-small", R"("count": 0)", "\"count\": expected a whole number from 1 to 1024, found 0", "",
       "/nodes/0/count"},
      {"beyond-64-bits", R"("count": 9223372036854775808)",
       "\"count\": expected a whole number from 1 to 1024, found 9223372036854775808", "", "/nodes/0/count"},
      {"fraction", R"("count": 8.0)", "\"count\": expected a whole number from 1 to 1024, found 8.0",
       "write it without fraction and exponent", "/nodes/0/count"},
      {"exponent", R"("count": 1e2)", "\"count\": expected a whole number from 1 to 1024, found 1e2",
       "write it without fraction and exponent", "/nodes/0/count"},
      {"list-for-a-number", R"("count": [1])", "\"count\": expected a whole number from 1 to 1024, found a list", "",
       "/nodes/0/count"},
      {"lower-bound-only", R"("gpus": [{"model": "A", "memory_mib": -1}])",
       "\"memory_mib\": expected a whole number of at least 1, found -1", "", "/nodes/0/gpus/0/memory_mib"},
      {"string-for-a-bool", R"("cordoned": "yes")", "\"cordoned\": expected true or false, found the string \"yes\"",
       "", "/nodes/0/cordoned"},
      {"string-for-a-decimal", R"("weight": "1")", "\"weight\": expected a number, found the string \"1\"", "",
       "/nodes/0/weight"},
      {"unknown-value", R"("policy": "bin-pack")",
       "\"policy\": expected one of binpack, spread, topology, found the string \"bin-pack\"", "did you mean binpack?",
       "/nodes/0/policy"},
      {"number-for-a-word", R"("policy": 1)",
       "\"policy\": expected one of binpack, spread, topology, found the number 1", "", "/nodes/0/policy"},
      {"object-for-a-list", R"("gpus": {})", "\"gpus\": expected a list, found an empty object", "", "/nodes/0/gpus"},
      {"string-for-an-object", R"("gpus": ["H100"])", "expected an object for the GPU, found the string \"H100\"", "",
       "/nodes/0/gpus/0"},
      {"number-in-a-list-of-strings", R"("islands": ["a", 7])", "expected a string, found the number 7", "",
       "/nodes/0/islands/1"},
      {"missing-key", R"("gpus": [{"memory_mib": 1}])", "the GPU has no \"model\"", "", "/nodes/0/gpus/0"},
      {"null-for-a-required-key", R"("gpus": [{"model": null}])", "\"model\" must not be null", "",
       "/nodes/0/gpus/0/model"},
      {"unknown-key", R"("gpus": [{"model": "A", "memory_mb": 1}])",
       "the GPU has no key \"memory_mb\"; allowed: model, memory_mib", "did you mean \"memory_mib\"?",
       "/nodes/0/gpus/0/memory_mb"},
      {"key-with-a-slash", R"("a/b~c": 1)",
       "the node has no key \"a/b~c\"; allowed: count, name, cordoned, weight, policy, islands, gpus", "",
       "/nodes/0/a~1b~0c"},
  };
  for (const Case& c : cases) {
    DYNAMIC_SECTION(c.name) {
      const Diagnostics diagnostics = node_errors(c.member);
      REQUIRE(diagnostics.size() == 1);
      CHECK(diagnostics[0].message == c.message);
      CHECK(diagnostics[0].hint == c.hint);
      CHECK(diagnostics[0].pointer == c.pointer);
      CHECK(diagnostics[0].object == "node n1");
      CHECK(diagnostics[0].source == "f.json");
    }
  }
}

TEST_CASE("all errors are collected in the order of the text", "[io][decode]") {
  const Decoded decoded = decode(
      "{\"nodes\": [\n"
      "  {\"count\": 0, \"nmae\": \"x\"},\n"
      "  7,\n"
      "  {\"count\": \"1\",\n"
      "   \"name\": \"n3\", \"gpus\": [{}]}\n"
      "], \"kind\": 1}");
  std::vector<std::string> found;
  for (const Diagnostic& d : decoded.diagnostics) {
    found.push_back(std::to_string(d.line) + ":" + std::to_string(d.column) + " " + d.code + " " + d.pointer + " [" +
                    d.object + "]");
  }
  CHECK(found == std::vector<std::string>{
                     "2:3 missing-key /nodes/0 []",
                     "2:13 out-of-range /nodes/0/count []",
                     "2:16 unknown-key /nodes/0/nmae []",
                     "3:3 wrong-type /nodes/1 []",
                     "4:13 wrong-type /nodes/2/count [node n3]",
                     "5:27 missing-key /nodes/2/gpus/0 [node n3]",
                     "6:4 unknown-key /kind []",
                 });
  CHECK(decoded.nodes.size() == 3);
}

TEST_CASE("the root may be of the wrong kind", "[io][decode]") {
  const Decoded decoded = decode("[1]");
  REQUIRE(decoded.diagnostics.size() == 1);
  CHECK(decoded.diagnostics[0].message == "expected an object for the cluster, found a list");
  CHECK(decoded.diagnostics[0].pointer.empty());
  CHECK(decoded.diagnostics[0].line == 1);
}

TEST_CASE("readers may add warnings and rules of their own", "[io][decode]") {
  const auto documents = parse_documents({"f.yaml", "limits:\n  cpu: 4\n  memory: 8Gi\nextra: 1\n"});
  REQUIRE(documents);
  Decoder decoder(documents->front());
  {
    ObjectReader root(decoder, documents->front().root, "pod");
    root.ignore_other_keys();
    root.object("limits", [&](const Value& limits) {
      ObjectReader reader(decoder, limits, "limits");
      CHECK(reader.optional_text("cpu") == "4");
      CHECK(reader.optional_text("memory") == "8Gi");
      CHECK_FALSE(reader.optional_text("gpu").has_value());
      decoder.warn(limits, "note", "only a warning");
      CHECK_FALSE(decoder.failed());
      reader.error("memory", "too-much", "more than the node has");
    });
  }
  CHECK(decoder.failed());
  const Diagnostics diagnostics = decoder.take_diagnostics();
  REQUIRE(diagnostics.size() == 2);
  CHECK(diagnostics[0].severity == Severity::kWarning);
  CHECK(diagnostics[0].pointer == "/limits");
  CHECK(diagnostics[1].pointer == "/limits/memory");
  CHECK(diagnostics[1].line == 3);
  CHECK_FALSE(decoder.failed());
}

TEST_CASE("maps of strings are decoded", "[io][decode]") {
  const auto documents = parse_documents({"f.yaml", "labels:\n  zone: a\n  rack: 7\n"});
  REQUIRE(documents);
  Decoder decoder(documents->front());
  {
    ObjectReader root(decoder, documents->front().root, "node");
    const auto labels = root.string_map("labels");
    REQUIRE(labels.size() == 1);
    CHECK(labels[0].second == "a");
  }
  const Diagnostics diagnostics = decoder.take_diagnostics();
  REQUIRE(diagnostics.size() == 1);
  CHECK(diagnostics[0].message == "\"rack\": expected a string, found the number 7");
  CHECK(diagnostics[0].hint == "put it in quotes");
  CHECK(diagnostics[0].pointer == "/labels/rack");
}
