#include <catch2/catch.hpp>

#include <string>

#include "gpusched/base/short_text.hpp"

namespace gpusched {

TEST_CASE("same-text-is-equality-for-every-length-and-place") {
  for (std::size_t size = 0; size <= 40; ++size) {
    const std::string text(size, 'a');
    CHECK(same_text(text, std::string(size, 'a')));
    CHECK_FALSE(same_text(text, std::string(size + 1, 'a')));
    for (std::size_t place = 0; place < size; ++place) {
      std::string other = text;
      other[place] = 'b';
      INFO(size << " " << place);
      CHECK_FALSE(same_text(text, other));
    }
  }
  CHECK(same_text({}, ""));
}

}  // namespace gpusched
