// The DRA allocator against the answers of the real one: devices and their order, chosen subrequests, configurations,
// node selectors, error texts, and the number of steps of the search.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>

#include "alloc_cases.hpp"
#include "conformance/corpus.hpp"
#include "gpusched/dra/cel_selectors.hpp"

namespace gpusched::conformance {

TEST_CASE("alloc-cases") {
  constexpr std::size_t kShown = 3;
  AllocReplay replay(kShown);
  for (const io::Document& document : corpus("alloc-cases.jsonl")) {
    const AllocCase question = read_alloc_case(document);
    dra::CelSelectors selectors(question.features);
    replay.ask(question, selectors);
  }
  fmt::print("{}", replay.summary());
  CHECK(replay.all_equal());
}

}  // namespace gpusched::conformance
