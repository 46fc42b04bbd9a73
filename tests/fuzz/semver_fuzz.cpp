// Two texts, a line each, as semantic versions: what is read prints as it was written, versions have one order, and a
// version that needs no putting right stays itself.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cel/semver.hpp"
#include "support/fuzz_checks.hpp"

using gpusched::testing::require;

namespace {

namespace cel = gpusched::cel;

void check_text(std::string_view text) {
  const auto read = cel::parse_semver(text);
  require(read || !read.error().empty());
  if (read) {
    require(cel::to_string(*read) == text);
    require(cel::compare(*read, *read) == 0);
  }
  const auto normal = cel::normalize_semver(text);
  require(normal || !normal.error().empty());
  require(!read || (normal && *normal == text));
  if (!normal) return;
  const auto mended = cel::parse_semver(*normal);
  require(!mended || cel::to_string(*mended) == *normal);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = std::min(text.find('\n'), size);
  const std::array texts = {text.substr(0, line), text.substr(std::min(line + 1, size))};
  for (const std::string_view each : texts) check_text(each);
  const auto a = cel::parse_semver(texts[0]), b = cel::parse_semver(texts[1]);
  if (!a || !b) return 0;
  require(cel::compare(*a, *b) == -cel::compare(*b, *a));
  // Only build data, which has no order, may tell equal versions apart.
  if (cel::compare(*a, *b) == 0) {
    require(texts[0].substr(0, texts[0].find('+')) == texts[1].substr(0, texts[1].find('+')));
  }
  return 0;
}
