#include "io/item_splitter.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

using gpusched::Result;
using gpusched::io::Batch;
using gpusched::io::Envelope;
using gpusched::io::Item;
using gpusched::io::ItemSplitter;

namespace {

struct Split {
  std::vector<std::string> items;
  std::vector<std::uint64_t> offsets;
  std::vector<Envelope> envelopes;
  std::string error;
};

Split split(std::string_view text, std::size_t block) {
  const auto stream = gpusched::io::stream_of(text);
  ItemSplitter splitter(*stream, {.block_bytes = block});
  Split result;
  while (true) {
    Result<Batch> batch = splitter.next();
    if (!batch) {
      result.error = batch.error().front().code;
      break;
    }
    if (batch->items.empty()) {
      break;
    }
    for (const Item& item : batch->items) {
      result.items.emplace_back(batch->text(item));
      result.offsets.push_back(item.offset);
    }
  }
  result.envelopes = splitter.envelopes();
  return result;
}

}  // namespace

TEST_CASE("objects come out of every list shape, whatever the block size") {
  struct Case {
    std::string name, text;
    std::vector<std::string> items;
    std::string kind;
  };
  const std::vector<Case> cases = {
      {"one-object", R"( {"kind":"Pod","a":{"b":"}"}} )", {R"({"kind":"Pod","a":{"b":"}"}})"}, "Pod"},
      {"list-kind-last",
       R"({"apiVersion":"v1","items":[{"a":1},{"b":[2,"]"]}],"kind":"List"})",
       {R"({"a":1})", R"({"b":[2,"]"]})"},
       "List"},
      {"list-kind-first",
       R"({"kind":"PodList","metadata":{"x":"{"},"items":[ {"a":"\"}"} , {} ]})",
       {R"({"a":"\"}"})", "{}"},
       "PodList"},
      {"empty-list", R"({"kind":"List","items":[]})", {}, "List"},
      {"one-a-line", "{\"a\":1}\n{\"b\":2}\r\n\n{\"c\":3}", {R"({"a":1})", R"({"b":2})", R"({"c":3})"}, ""},
      {"array", R"([{"a":1},{"b":2}])", {R"({"a":1})", R"({"b":2})"}, ""},
      {"items-inside-are-no-list", R"({"spec":{"items":[{"a":1}]}})", {R"({"spec":{"items":[{"a":1}]}})"}, ""},
      {"backslashes",
       R"({"items":[{"a":"\\"},{"b":"\\\""}],"n":1,"t":true})",
       {R"({"a":"\\"})", R"({"b":"\\\""})"},
       ""},
      {"byte-order-mark", "\xEF\xBB\xBF{\"a\":1}", {R"({"a":1})"}, ""},
  };
  for (const Case& test : cases) {
    for (const std::size_t block : {1U, 2U, 3U, 7U, 64U, 4096U}) {
      CAPTURE(test.name, block);
      const Split result = split(test.text, block);
      CHECK(result.error.empty());
      CHECK(result.items == test.items);
      REQUIRE(!result.envelopes.empty());
      CHECK(result.envelopes.front().type.kind == test.kind);
      for (std::size_t i = 0; i < result.items.size(); ++i) {
        CHECK(test.text.substr(result.offsets[i], result.items[i].size()) == result.items[i]);
      }
    }
  }
}

TEST_CASE("what is cut or no object is an error, never an empty list") {
  struct Case {
    std::string name, text, code;
  };
  const std::vector<Case> cases = {
      {"cut-in-item", R"({"items":[{"a":1},{"b":)", "cut-input"},
      {"cut-after-item", R"({"items":[{"a":1})", "cut-input"},
      {"cut-in-string", R"({"kind":"Li)", "cut-input"},
      {"cut-before-end", R"({"items":[{"a":1}],"kind":"List")", "cut-input"},
      {"scalar-item", R"({"items":[1]})", "syntax"},
      {"text-behind", R"({"a":1} x)", "syntax"},
      {"no-colon", R"({"a" 1})", "syntax"},
  };
  for (const Case& test : cases) {
    for (const std::size_t block : {1U, 5U, 4096U}) {
      CAPTURE(test.name, block);
      CHECK(split(test.text, block).error == test.code);
    }
  }
}

TEST_CASE("an object larger than the limit is refused") {
  const std::string text = R"({"items":[{"a":")" + std::string(10'000, 'x') + R"("}]})";
  const auto stream = gpusched::io::stream_of(text);
  ItemSplitter splitter(*stream, {.block_bytes = 100, .max_item_bytes = 1'000});
  const Result<Batch> batch = splitter.next();
  REQUIRE(!batch);
  CHECK(batch.error().front().code == "object-too-large");
}
