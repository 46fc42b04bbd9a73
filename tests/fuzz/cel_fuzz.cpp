// Any text as a device selector: it compiles or has an error with a text, the same way each time, and what compiles can
// be evaluated on a device with every type of attribute within the cost limit.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "gpusched/base/quantity.hpp"
#include "gpusched/cel/program.hpp"
#include "support/fuzz_checks.hpp"

using gpusched::testing::require;

namespace {

namespace cel = gpusched::cel;

const cel::Device& device() {
  static const std::vector<std::int64_t> kNumbers = {1, 2, 3};
  static const std::vector<std::string_view> kTexts = {"a", "b"};
  static const std::vector<bool> kBools = {true, false};
  static const gpusched::Quantity kMemory = *gpusched::try_parse_quantity("40Gi");
  static const cel::Device kDevice = [] {
    cel::Device made("dra.example.com", true);
    made.add_attribute("name", "fish");
    made.add_attribute("count", std::int64_t{7});
    made.add_attribute("yes", true);
    made.add_attribute("version", cel::VersionText{"1.2.3-rc.1"});
    made.add_attribute("other.example.com/name", "bird");
    made.add_attribute("numbers", std::span<const std::int64_t>(kNumbers));
    made.add_attribute("texts", std::span<const std::string_view>(kTexts));
    made.add_attribute("bools", &kBools);
    made.add_capacity("memory", kMemory);
    return made;
  }();
  return kDevice;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const cel::Admission admission = cel::admit(text, {.consumable_capacity = true, .list_type_attributes = true});
  require((admission.verdict == cel::Verdict::kOk) == admission.error.empty());
  const auto program = cel::compile(text);
  if (!program) {
    require(!program.error().text.empty());
    return 0;
  }
  cel::Scratch scratch;
  const cel::Outcome outcome = cel::evaluate(*program, device(), scratch);
  require(outcome.ok() == outcome.error.empty());
  const cel::Outcome again = cel::evaluate(*program, device(), scratch);
  require(again.match == outcome.match && again.cost == outcome.cost && again.error == outcome.error);
  require(outcome.error_kind == cel::ErrorKind::kCostLimit || outcome.cost <= cel::kMaxCost);
  return 0;
}
