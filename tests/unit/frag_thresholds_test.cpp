#include "gpusched/frag/thresholds.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace gpusched::frag {

TEST_CASE("thresholds compare exactly, not the rounded per cent") {
  struct Case {
    std::string name;
    std::int64_t free;
    SizeRow row;
    Threshold threshold;
    std::vector<std::string> sentences;
  };
  const std::vector<Case> cases = {
      {"exactly-at-the-limit", 8, {4, 1, 0, 4}, {ThresholdKind::kMaxStranded, 4, 50}, {}},
      {"above-by-less-than-a-tenth",
       100'000,
       {4, 0, 0, 50'001},
       {ThresholdKind::kMaxStranded, 4, 50},
       {"50% of the free GPUs are stranded for pods of 4 GPUs, at most 50% may be"}},
      {"below-though-it-rounds-up", 3000, {8, 0, 0, 1499}, {ThresholdKind::kMaxStranded, 8, 50}, {}},
      {"none-free-strands-none", 0, {8, 0, 0, 0}, {ThresholdKind::kMaxStranded, 8, 0}, {}},
      {"zero-per-cent",
       8,
       {8, 0, 0, 1},
       {ThresholdKind::kMaxStranded, 8, 0},
       {"12.5% of the free GPUs are stranded for pods of 8 GPUs, at most 0% may be"}},
      {"fits-exactly", 8, {2, 4, 2, 0}, {ThresholdKind::kMinFit, 2, 4}, {}},
      {"fits-one-less", 8, {2, 4, 2, 0}, {ThresholdKind::kMinFit, 2, 5}, {"4 pods of 2 GPUs fit, at least 5 must"}},
      {"of-another-size", 8, {2, 4, 2, 0}, {ThresholdKind::kMinFit, 3, 5}, {}},
  };
  for (const Case& test : cases) {
    INFO(test.name);
    ExclusiveGpus gpus;
    gpus.free = test.free;
    gpus.rows = {test.row};
    CHECK(violations(gpus, std::vector{test.threshold}) == test.sentences);
  }
}

TEST_CASE("per cents have one decimal, halves go to the even tenth") {
  struct Case {
    std::string name;
    std::int64_t part, whole;
    double percent;
  };
  const std::vector<Case> cases = {
      {"none-of-none", 0, 0, 0},         {"one-third", 1, 3, 33.3},
      {"two-thirds", 2, 3, 66.7},        {"all", 7, 7, 100},
      {"the-lesson's", 1, 15, 6.7},      {"half-down-to-even", 1, 2000, 0},
      {"half-up-to-even", 3, 2000, 0.2}, {"just-above-half", 501, 1'000'000, 0.1},
  };
  for (const Case& test : cases) {
    INFO(test.name);
    CHECK(SizeRow{1, 0, 0, test.part}.stranded_percent(test.whole) == Approx(test.percent).margin(1e-12));
    CHECK(SizeRow{1, test.part, 0, 0}.usable_percent(test.whole) == Approx(test.percent).margin(1e-12));
  }
}

}  // namespace gpusched::frag
