#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gpusched/base/shared.hpp"

using gpusched::Shared;
using Words = std::vector<std::string>;

TEST_CASE("copies share a value until one is edited", "[base]") {
  Shared<Words> first = Words{"a"};
  Shared<Words> second = first;
  CHECK(&*first == &*second);
  second.edit().push_back("b");
  CHECK(*first == Words{"a"});
  CHECK(*second == Words{"a", "b"});
  const Words* const own = &*second;
  second.edit().push_back("c");  // nobody shares it: no copy is made
  CHECK(&*second == own);
}

TEST_CASE("shared values are compared as values", "[base]") {
  CHECK(Shared<Words>(Words{"a"}) == Shared<Words>(Words{"a"}));
  CHECK_FALSE(Shared<Words>(Words{"a"}) == Shared<Words>());
}

TEST_CASE("what was never set is empty, and an edit of one leaves the others empty", "[base]") {
  Shared<Words> first, second;
  first.edit().push_back("a");
  CHECK(second->empty());
  CHECK(std::vector<std::string>(first.begin(), first.end()) == Words{"a"});
}
