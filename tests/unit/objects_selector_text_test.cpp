#include "gpusched/objects/selector_text.hpp"

#include <catch2/catch.hpp>

namespace gpusched::objects {
namespace {

bool chosen(std::string_view selector, const Labels& labels) {
  return matches(parse_label_selector(selector).value(), labels);
}

TEST_CASE("a selector as kubectl takes it") {
  const Labels labels = {{"app", "train"}, {"tier", "gold"}, {"empty", ""}};
  for (const char* const text :
       {"", "app=train", "app==train", "app = train", "app!=web", "zone!=a", "tier in (gold, silver)",
        "tier notin (bronze)", "app", "!zone", "app=train,tier=gold,!zone", "empty="}) {
    CAPTURE(text);
    CHECK(chosen(text, labels));
  }
  for (const char* const text : {"app=web", "app!=train", "tier in (silver)", "tier notin (gold,silver)", "zone",
                                 "!app", "app=train,tier=silver"}) {
    CAPTURE(text);
    CHECK_FALSE(chosen(text, labels));
  }
}

TEST_CASE("what is no selector is named") {
  for (const char* const text : {"=a", "a in", "a in (", "a in ()", "a of (b)", "(a)", "a b", "a=b c", "!", "a=b,,c"}) {
    CAPTURE(text);
    const auto failed = parse_label_selector(text);
    REQUIRE_FALSE(failed);
    CHECK(failed.error().front().code == "label-selector");
  }
}

}  // namespace
}  // namespace gpusched::objects
